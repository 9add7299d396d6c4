//! Runs every file of `tests/vectors` on the engine, for each revision and transport that it names.

use std::path::{Path, PathBuf};

mod support;

use support::run::{Tally, run};
use support::vector::{Vector, files};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors")
}

/// Every vector but `standard.json`, which describes the server.
fn vectors() -> Vec<(String, Result<Vector, String>)> {
    let folder = folder();
    let paths = files(&folder).into_iter().filter(|path| *path != folder.join("standard.json"));
    let name = |path: &Path| path.strip_prefix(&folder).expect("below the folder").display().to_string();
    paths.map(|path| (name(&path), Vector::read(&path))).collect()
}

/// Set `VECTOR` to a part of a path to run only those.
fn chosen(name: &str) -> bool {
    let wanted = std::env::var_os("VECTOR");
    wanted.is_none_or(|wanted| name.contains(&*wanted.to_string_lossy()))
}

#[test]
fn every_vector_holds() {
    let mut failures = Vec::new();
    let (mut runs, mut total) = (0, Tally::default());
    for (name, vector) in vectors().into_iter().filter(|(name, _)| chosen(name)) {
        let vector = match vector {
            Ok(vector) => vector,
            Err(error) => {
                failures.push(format!("{name}: cannot be read: {error}"));
                continue;
            }
        };
        for revision in vector.revisions() {
            for transport in &vector.transports {
                runs += 1;
                match run(&vector, &revision, *transport) {
                    Ok(tally) if tally.steps == 0 || tally.assertions == 0 => {
                        failures.push(format!("{name}: asserts nothing"));
                    }
                    Ok(tally) => {
                        total.steps += tally.steps;
                        total.assertions += tally.assertions;
                        total.messages += tally.messages;
                    }
                    Err(error) => {
                        failures
                            .push(format!("{name} [{revision}, {transport:?}]\n  rule: {}\n  {error}", vector.rule));
                    }
                }
            }
        }
    }
    println!("{runs} runs: {total:?}");
    assert!(failures.is_empty(), "{} of {runs} runs failed:\n\n{}\n", failures.len(), failures.join("\n\n"));
    assert!(runs > 0 && total.messages > 0, "nothing ran");
}
