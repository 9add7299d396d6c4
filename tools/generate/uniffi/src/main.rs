//! `generate-boundary <library> <crate folder> <out folder>`: writes the Swift side of the boundary, from what the library says about itself.

use anyhow::Context;
use camino::Utf8PathBuf;
use uniffi_bindgen::bindings::{GenerateOptions, TargetLanguage, generate_with_bindgen_paths};
use uniffi_bindgen::{BindgenPaths, BindgenPathsLayer};

/// Where `uniffi.toml` is: there is one crate only.
struct Crate(Utf8PathBuf);

impl BindgenPathsLayer for Crate {
    fn get_crate_root(&self, _name: &str) -> Option<Utf8PathBuf> {
        Some(self.0.clone())
    }
}

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1).map(Utf8PathBuf::from);
    let mut next = |what| arguments.next().with_context(|| format!("{what} is missing"));
    let (source, root, out_dir) = (next("the library")?, next("the crate's folder")?, next("the folder to write to")?);
    let mut paths = BindgenPaths::default();
    paths.add_layer(Crate(root));
    let languages = vec![TargetLanguage::Swift];
    generate_with_bindgen_paths(GenerateOptions { languages, source, out_dir, ..Default::default() }, paths)
}
