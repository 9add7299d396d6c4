//! The house rules that the compiler does not keep: rooms import lower rooms only, nothing below `io` touches the world, versions are
//! compared in few places, and no protocol word lives in a binding.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// What any room may use.
const GROUND: [&str; 4] = ["error", "limits", "time", "entropy"];

/// Words of the world that only `io` and above may say.
const WORLD: [&str; 11] = [
    "std::time::Instant",
    "SystemTime",
    "std::thread",
    "std::fs",
    "std::env",
    "std::process",
    "TcpStream",
    "TcpListener",
    "tokio",
    "hyper",
    "ring::rand",
];

/// Where a version may be compared: the questions are asked of `model::Version`, the answers live there.
const COMPARING: [&str; 7] = [
    "model/version.rs",
    "model/method.rs",
    "protocol/inbound.rs",
    "protocol/exchange.rs",
    "protocol/legacy/",
    "protocol/modern/",
    "protocol/http/",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Files below `folder` with one of the `endings`, as path below it and text.
fn sources(folder: &Path, endings: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if path.is_dir() {
                if !["target", "node_modules", "tests", "Tests", "__pycache__", ".build", "dist"]
                    .contains(&name.as_str())
                {
                    folders.push(path);
                }
            } else if endings.iter().any(|ending| name.ends_with(ending)) {
                let place = path.strip_prefix(folder).expect("below the folder").display().to_string();
                found.push((place, std::fs::read_to_string(&path).expect("a source file is UTF-8")));
            }
        }
    }
    found.sort();
    found
}

/// The text without comments and without the tests at its end.
fn code(text: &str) -> String {
    let body = text.split("#[cfg(test)]").next().unwrap_or_default();
    body.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Sources of the crate, without test files.
fn crate_sources() -> Vec<(String, String)> {
    let all = sources(&root().join("core/src"), &[".rs"]);
    let all = all.into_iter().filter(|(path, _)| !path.ends_with("tests.rs"));
    let all: Vec<_> = all.map(|(path, text)| (path, code(&text))).collect();
    assert!(all.len() > 40, "the sources of the crate were not found");
    all
}

fn room_of(path: &str) -> &str {
    path.split(['/', '.']).next().unwrap_or_default()
}

/// The rooms, lowest first, as the documentation of the crate lists them: it is what people read, so it must be true.
fn rooms() -> &'static [String] {
    static ROOMS: OnceLock<Vec<String>> = OnceLock::new();
    ROOMS.get_or_init(|| {
        let text = std::fs::read_to_string(root().join("core/src/lib.rs")).expect("lib.rs");
        let docs: String = text.lines().filter_map(|line| line.strip_prefix("//!")).collect();
        let (_, list) = docs.split_once("lowest first").expect("the list of rooms");
        let (_, list) = list.split_once(':').expect("the list of rooms");
        let list = list.split_once('.').expect("the list ends with a full stop").0;
        list.split('`').skip(1).step_by(2).map(ToOwned::to_owned).collect()
    })
}

fn rank(room: &str) -> Option<usize> {
    rooms().iter().position(|known| known == room)
}

#[test]
fn every_room_has_its_place_in_the_documentation() {
    let mut sorted = rooms().to_vec();
    sorted.sort();
    sorted.dedup();
    assert_eq!(sorted.len(), rooms().len(), "a room is listed twice: {:?}", rooms());
    assert!(rank("wire") < rank("engine") && rank("engine") < rank("io"), "the order was not read: {:?}", rooms());
    for (path, _) in crate_sources() {
        let room = room_of(&path);
        let known = rank(room).is_some() || GROUND.contains(&room) || ["lib", "types"].contains(&room);
        assert!(known, "{path}: the room `{room}` has no place in the order");
    }
}

#[test]
fn rooms_import_lower_rooms_only() {
    let mut wrong = Vec::new();
    for (path, text) in crate_sources() {
        let room = room_of(&path);
        if room == "lib" {
            continue;
        }
        for used in text.split("crate::").skip(1) {
            let names: Vec<&str> = match used.strip_prefix('{') {
                Some(group) => group.split('}').next().unwrap_or_default().split(',').map(str::trim).collect(),
                None => vec![used],
            };
            for name in names {
                let target = name.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
                let allowed = target == room
                    || GROUND.contains(&target)
                    || match (rank(room), rank(target)) {
                        (Some(own), Some(other)) => other < own,
                        // `types` stands beside the rooms: it uses what lies below all of them, and nothing below `api` uses it.
                        (None, Some(other)) => room == "types" && other < 2,
                        (Some(own), None) => target == "types" && own == rooms().len() - 1,
                        (None, None) => false,
                    };
                if !allowed && !target.is_empty() {
                    wrong.push(format!("{path} uses crate::{target}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_below_io_touches_the_world() {
    let io = rank("io").expect("a room");
    let mut wrong = Vec::new();
    for (path, text) in crate_sources() {
        if rank(room_of(&path)).is_some_and(|room| room >= io) {
            continue;
        }
        // Whether a guard is dropped by a panic is a question about the code itself.
        let text = spelt_out(&text).replace("std::thread::panicking", "");
        for word in WORLD.iter().filter(|word| names(&text, word)) {
            wrong.push(format!("{path} says {word}"));
        }
        // Addresses are values; sockets are the world.
        for used in text.split("std::net::").skip(1) {
            let used = used.split(';').next().unwrap_or_default();
            let named = used.trim_matches(['{', '}', ' ']).split(',').map(str::trim);
            wrong.extend(
                named.filter(|name| !name.starts_with("Ip")).map(|name| format!("{path} uses std::net::{name}")),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The text with `std::time::{A, B}` said once more as `std::time::A`, `std::time::B`.
fn spelt_out(text: &str) -> String {
    let mut out = text.to_owned();
    for prefix in ["std::", "std::time::"] {
        for group in text.split(&format!("{prefix}{{")).skip(1) {
            let names = group.split('}').next().unwrap_or_default().split(',');
            names.for_each(|name| out.push_str(&format!("\n{prefix}{}", name.trim())));
        }
    }
    out
}

/// Whether a word stands in the text by itself.
fn names(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(place, _)| !text[..place].ends_with(part) && !text[place + word.len()..].starts_with(part))
}

#[test]
fn versions_are_compared_in_few_places() {
    let mut wrong = Vec::new();
    for (path, text) in crate_sources() {
        let may = COMPARING.iter().any(|allowed| path.starts_with(allowed)) || room_of(&path) == "types";
        if !may && (text.contains("Version::V20") || text.contains("Self::V20")) {
            wrong.push(format!("{path} names a revision: ask `Version` for what it has instead"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn bindings_hold_no_protocol_word() {
    let table = std::fs::read_to_string(root().join("core/src/model/method.rs")).expect("the method table");
    let quoted: Vec<&str> = table.split('"').skip(1).step_by(2).collect();
    let methods: Vec<&str> = quoted.into_iter().filter(|name| name.contains('/')).collect();
    assert!(methods.len() > 20 && methods.contains(&"tools/call"), "the method table was not read: {methods:?}");
    let revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(root()).expect("the repository").flatten() {
        let folder = entry.file_name().to_string_lossy().into_owned();
        if !folder.starts_with("bindings-") {
            continue;
        }
        for (path, text) in sources(&entry.path(), &[".rs", ".py", ".ts", ".swift"]) {
            // Generated models carry the specification's own constants and links; the generator is checked for drift.
            if path.contains("types/") || path.contains("Types/") {
                continue;
            }
            for word in methods.iter().chain(&revisions).filter(|word| text.contains(&format!("\"{word}\""))) {
                wrong.push(format!("{folder}/{path} holds \"{word}\""));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
