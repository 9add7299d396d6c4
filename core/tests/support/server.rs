//! The standard server, registered from `tests/vectors/standard.json`.

use std::sync::Arc;
use std::time::Duration;

use omniport::engine::http::HttpOptions;
use omniport::engine::{Engine, ServerOptions};
use omniport::entropy::Entropy;
use omniport::protocol::http::origin::{Cors, OriginPolicy, OriginSettings};
use omniport::registry::completion::Reference;
use omniport::registry::prompt::Prompt;
use omniport::registry::resource::{Resource, ResourceTemplate};
use omniport::registry::tool::{Rate, Tool, ToolOptions};
use omniport::time::Now;
use serde_json::Value;

use super::host::{Handler, ScriptedHost};
use super::vector::ServerSettings;

const STANDARD: &str = include_str!("../../../tests/vectors/standard.json");

/// A server of its own for each run.
pub struct Standard {
    pub engine: Arc<Engine>,
    pub host: Arc<ScriptedHost>,
    pub http: Arc<HttpOptions>,
}

/// Randomness that is the same in every run: a counter through a mixing function.
#[derive(Default)]
struct Fixed(std::sync::atomic::AtomicU64);

impl Entropy for Fixed {
    fn fill(&self, bytes: &mut [u8]) {
        for byte in bytes {
            let count = self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            *byte = (count.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u8;
        }
    }
}

impl Standard {
    /// Builds the server with a vector's settings.
    pub fn build(settings: &ServerSettings, now: Now) -> Result<Self, String> {
        let host = Arc::<ScriptedHost>::default();
        let options = options(settings);
        let engine =
            Engine::new(options, Arc::clone(&host) as Arc<_>, Arc::new(Fixed::default()), now).map_err(text)?;
        let offered = |kind: &str| settings.only.as_ref().is_none_or(|only| only.iter().any(|name| name == kind));
        let all: Value = serde_json::from_str(STANDARD).map_err(|error| error.to_string())?;
        for kind in ["tools", "resources", "templates", "prompts", "completions"] {
            let list = if kind == "templates" { "resources" } else { kind };
            if offered(list) {
                for definition in all[kind].as_array().into_iter().flatten() {
                    register(&engine, &host, kind, definition)?;
                }
            }
        }
        Ok(Self { engine, host, http: Arc::new(http_options(settings)?) })
    }
}

fn options(settings: &ServerSettings) -> ServerOptions {
    let mut options = ServerOptions::new("standard", "1.0.0");
    options.page_size = settings.page_size;
    options.instructions = settings.instructions.as_deref().map(Into::into);
    options.mask_errors = settings.mask_errors;
    options.auth = settings.auth;
    options.visibility = settings.visibility;
    options.subscribe = !settings.no_subscriptions;
    options.legacy_sessions = !settings.stateless;
    options.concurrency = settings.concurrency;
    options.audit = true;
    let limits = &mut options.limits;
    let set = |limit: &mut usize, value: Option<usize>| *limit = value.unwrap_or(*limit);
    set(&mut limits.message_bytes, settings.message_bytes);
    set(&mut limits.in_flight, settings.in_flight);
    set(&mut limits.sessions, settings.sessions);
    set(&mut limits.parked, settings.parked);
    set(&mut limits.replay_events, settings.replay_events);
    options
}

fn http_options(settings: &ServerSettings) -> Result<HttpOptions, String> {
    let origins = OriginSettings {
        allowed_hosts: settings.allowed_hosts.clone(),
        allowed_origins: settings.cors_origin.iter().cloned().collect(),
        allow_any_host: false,
    };
    let policy = OriginPolicy::new([127, 0, 0, 1].into(), &origins).map_err(text)?;
    let mut http = HttpOptions::new(policy);
    http.json_only = settings.json_only;
    if let Some(origin) = &settings.cors_origin {
        http.cors = Some(Cors::new(std::slice::from_ref(origin), false).map_err(text)?);
    }
    Ok(http)
}

/// Registers one definition of `standard.json`.
pub fn register(engine: &Engine, host: &ScriptedHost, kind: &str, definition: &Value) -> Result<(), String> {
    let slot = engine.registry.next_slot();
    let json = definition.to_string();
    let name = |member: &str| definition[member].as_str().unwrap_or_default().to_owned();
    let handler = match kind {
        "tools" => {
            let name = name("name");
            let tool = Tool::new(&json, slot, tool_options(&name), engine.limits()).map_err(text)?;
            engine.registry.change(|catalog| catalog.tools.put(tool));
            Handler::Tool(name)
        }
        "resources" => {
            let resource = Resource::new(&json, slot, None).map_err(text)?;
            engine.registry.change(|catalog| catalog.resources.put(resource));
            Handler::Resource(name("name"))
        }
        "templates" => {
            let template = ResourceTemplate::new(&json, slot, None, &[]).map_err(text)?;
            engine.registry.change(|catalog| catalog.templates.put(template));
            Handler::Resource(name("name"))
        }
        "prompts" => {
            let prompt = Prompt::new(&json, slot).map_err(text)?;
            engine.registry.change(|catalog| catalog.prompts.put(prompt));
            Handler::Prompt(name("name"))
        }
        _ => {
            let reference = match definition["prompt"].as_str() {
                Some(prompt) => Reference::Prompt(prompt.into()),
                None => Reference::Template(name("template").into()),
            };
            let argument = name("argument");
            engine.registry.change(|catalog| catalog.completions.put(reference, &argument, slot));
            Handler::Completion(argument)
        }
    };
    host.put(slot, handler);
    Ok(())
}

fn tool_options(name: &str) -> ToolOptions {
    let rate = Rate { calls: 2, per: Duration::from_secs(60), by_principal: true };
    match name {
        "limited" => ToolOptions { rate: Some(rate), ..ToolOptions::default() },
        "narrow" => ToolOptions { concurrency: Some(1), ..ToolOptions::default() },
        "timed" | "timed_ask" => ToolOptions { timeout: Some(Duration::from_secs(1)), ..ToolOptions::default() },
        _ => ToolOptions::default(),
    }
}

fn text(error: omniport::error::Error) -> String {
    error.to_string()
}
