//! What a [`Target`] is made of: an address, a command, or a server of this process.

use std::sync::Arc;

use crate::api::App;
use crate::io::child::ChildSpec;
use crate::io::target::Target;

impl From<&str> for Target {
    fn from(url: &str) -> Self {
        Self::url(url)
    }
}

impl From<String> for Target {
    fn from(url: String) -> Self {
        Self::url(url)
    }
}

impl<const N: usize> From<[&str; N]> for Target {
    fn from(argv: [&str; N]) -> Self {
        Self::command(argv)
    }
}

impl From<Vec<String>> for Target {
    fn from(argv: Vec<String>) -> Self {
        Self::command(argv)
    }
}

impl From<ChildSpec> for Target {
    fn from(spec: ChildSpec) -> Self {
        Self::Command(spec)
    }
}

impl From<&App> for Target {
    fn from(app: &App) -> Self {
        Self::Server(Arc::clone(app.engine()))
    }
}
