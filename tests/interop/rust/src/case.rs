//! What servers.json says about one server over one transport, and how a client is set up for it.

use std::future::ready;
use std::sync::Arc;

use omniport::api::client::{Builder, Client, Target};
use omniport::engine::client::EraChoice;
use omniport::io::child::ChildSpec;
use omniport::model::Version;
use omniport::types::{CreateMessageResult, ElicitResult, ListRootsResult};
use serde_json::{Value, json};

use crate::told::Told;

/// The members of a list, none where there is no list.
pub fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A text, empty where there is none.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Where the server is.
fn target(case: &Value) -> Target {
    if let Some(url) = case["url"].as_str() {
        return Target::url(url);
    }
    let env = case["env"].as_object().into_iter().flatten();
    Target::Command(ChildSpec {
        argv: list(&case["command"]).iter().map(|word| text(word).to_owned()).collect(),
        env: env.map(|(name, value)| (name.clone(), text(value).to_owned())).collect(),
        ..ChildSpec::default()
    })
}

/// A client that answers whatever a server may ask.
pub fn builder(case: &Value, told: &Arc<Told>) -> Builder {
    let [sampled, elicited, rooted, logged, changed] = std::array::from_fn(|_| Arc::clone(told));
    let era = match case["era"].as_str() {
        Some("legacy") => EraChoice::Legacy(Version::NEWEST_LEGACY),
        _ => EraChoice::Auto,
    };
    Client::builder(target(case))
        .name("omniport-walk", "1")
        .era(era)
        .on_sample(move |_| ready(sampled.answer::<CreateMessageResult>("sample")))
        .on_elicit(move |_| ready(elicited.answer::<ElicitResult>("elicit")))
        .on_roots(move || ready(rooted.answer::<ListRootsResult>("roots").map(|found| found.roots)))
        .on_log(move |params| logged.keep(|news| news.logged.push(json!(params))))
        .on_change(move |change| changed.change(change))
}
