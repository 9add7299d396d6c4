//! Runs the committed fuzz inputs as ordinary tests, so that what the fuzzer found once stays found.

#[path = "../fuzz/src/lib.rs"]
mod properties;

use std::path::Path;
use std::{fs, io};

fn run(target: &str, property: fn(&[u8])) -> io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let mut inputs = 0;
    for entry in fs::read_dir(&folder)? {
        property(&fs::read(entry?.path())?);
        inputs += 1;
    }
    assert!(inputs > 0, "no inputs in {}", folder.display());
    Ok(())
}

#[test]
fn envelope() -> io::Result<()> {
    run("envelope", properties::envelope)
}

#[test]
fn sse() -> io::Result<()> {
    run("sse", properties::sse)
}

#[test]
fn lines() -> io::Result<()> {
    run("lines", properties::lines)
}
