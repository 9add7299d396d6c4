//! rmcp's client under load: `rmcp-client [best] URL IN_FLIGHT WARM SECONDS`. `best` keeps connections open and lets all calls go at once.

use std::sync::Arc;

use rmcp::model::CallToolRequestParams;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ServiceExt, model::ClientConfig};
use serde_json::json;

#[path = "../../../../rust/src/callers.rs"]
mod callers;

type Failure = Box<dyn std::error::Error>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let is_best = words.first().is_some_and(|word| word == "best");
    let [url, in_flight, warm, seconds] = &words[usize::from(is_best)..] else {
        return Err("rmcp-client [best] URL IN_FLIGHT WARM SECONDS".into());
    };
    // Its HTTP client wants one, also where nothing is encrypted.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let plan = callers::Plan::parse(in_flight, warm, seconds).ok_or("IN_FLIGHT, WARM and SECONDS are numbers")?;
    let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
    let transport = if is_best {
        config.max_concurrent_requests = 1024;
        let http = reqwest::Client::builder().tcp_nodelay(true).build()?;
        StreamableHttpClientTransport::with_client(http, config)
    } else {
        StreamableHttpClientTransport::from_config(config)
    };
    let client = Arc::new(ClientConfig::default().serve(transport).await?);
    let report = callers::run(plan, move |a, b| {
        let client = Arc::clone(&client);
        async move {
            let arguments = json!({ "a": a, "b": b }).as_object().cloned().unwrap_or_default();
            let params = CallToolRequestParams::new("add").with_arguments(arguments);
            let result = client.call_tool(params).await.map_err(|error| error.to_string())?;
            let text = result.content.first().and_then(|content| content.as_text()).map(|text| text.text.clone());
            text.and_then(|text| text.parse().ok()).ok_or_else(|| "no sum".to_owned())
        }
    });
    println!("{}", report.await?);
    Ok(())
}
