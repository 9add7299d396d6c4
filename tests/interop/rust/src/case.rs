//! What servers.json says about one server over one transport, and how a client is set up for it.

use http::HeaderMap;
use omniport::api::client::Target;
use omniport::engine::client::{ClientOptions, EraChoice};
use omniport::io::child::ChildSpec;
use omniport::model::Version;
use serde_json::Value;

/// The members of a list, none where there is no list.
pub fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A text, empty where there is none.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Where the server is.
pub fn target(case: &Value) -> Target {
    if let Some(url) = case["url"].as_str() {
        return Target::Url { url: url.to_owned(), headers: HeaderMap::new() };
    }
    let env = case["env"].as_object().into_iter().flatten();
    Target::Command(ChildSpec {
        argv: list(&case["command"]).iter().map(|word| text(word).to_owned()).collect(),
        env: env.map(|(name, value)| (name.clone(), text(value).to_owned())).collect(),
        ..ChildSpec::default()
    })
}

/// A client that answers whatever a server may ask.
pub fn options(case: &Value) -> ClientOptions {
    let mut options = ClientOptions::new("omniport-walk", "1");
    options.capabilities = r#"{"sampling":{},"elicitation":{},"roots":{}}"#.into();
    if case["era"] == "legacy" {
        options.era = EraChoice::Legacy(Version::NEWEST_LEGACY);
    }
    options
}
