//! Revisions as files name them, and the files themselves.

use std::path::{Path, PathBuf};

/// Every revision, oldest first.
pub const REVISIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/// The revision without a handshake.
pub const MODERN: &str = REVISIONS[4];

/// The names of revisions, with `all`, `legacy` and `modern` spelt out.
pub fn spelt_out(names: &[String]) -> Vec<String> {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let group = |name: &String| -> Vec<String> {
        match name.as_str() {
            "all" => owned(&REVISIONS),
            "legacy" => owned(&REVISIONS[..4]),
            "modern" => owned(&[MODERN]),
            other => owned(&[other]),
        }
    };
    names.iter().flat_map(group).collect()
}

/// Whether the revisions, the groups of `vars` and the pages that a file names exist.
pub fn checked<'a>(
    revisions: &[String],
    mut groups: impl Iterator<Item = &'a String>,
    pages: &[String],
) -> Result<(), String> {
    let known = |name: &String| REVISIONS.contains(&name.as_str());
    if let Some(wrong) = spelt_out(revisions).iter().find(|name| !known(name)) {
        return Err(format!("unknown revision {wrong:?}"));
    }
    if let Some(wrong) = groups.find(|name| !matches!(name.as_str(), "legacy" | "modern") && !known(name)) {
        return Err(format!("`vars` of the unknown revision {wrong:?}"));
    }
    let is_page = |page: &String| page.split_once('/').is_some_and(|(revision, _)| REVISIONS.contains(&revision));
    match pages.iter().find(|page| !is_page(page)) {
        Some(wrong) => Err(format!("{wrong:?} is no page of a revision")),
        None => Ok(()),
    }
}

/// All files below `folder`, in order.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(folder).expect("the folder of vectors");
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "json") {
            found.push(path);
        }
    }
    found.sort();
    found
}
