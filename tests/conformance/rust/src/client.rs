//! The client of the conformance suite: does what a client scenario wants to see.

use omniport::api::client::Client;
use omniport::error::{Error, Result};
use omniport::types::{CreateMessageResult, ElicitRequestFormParams, ElicitResult, JSONObject, Tool};
use serde_json::{Value, json};

/// Connects to the suite's server and does what `scenario` is about; `context` is what the suite says beside, as JSON.
pub async fn run(url: &str, scenario: &str, context: &str) -> Result<()> {
    let client = Client::builder(url)
        .name("conformance", "1.0.0")
        .on_elicit(|form| async move { ElicitResult::accept(defaults(&form)) })
        .on_sample(|_| async { Ok(CreateMessageResult::text("A thought", "a thinker")) })
        .roots(["file:///home"])
        .connect()
        .await?;
    match scenario {
        "initialize" | "request-metadata" | "json-schema-ref-no-deref" => drop(client.list_tools().await?),
        "tools_call" | "elicitation-sep1034-client-defaults" | "sse-retry" => call_first_tool(&client).await?,
        "sep-2322-client-request-state" => answer_in_rounds(&client).await?,
        "http-standard-headers" => use_each_kind(&client).await?,
        "http-custom-headers" => call_wanted_tools(&client, context).await?,
        "http-invalid-tool-headers" => call_every_tool(&client).await?,
        "json-schema-2020-12-preservation" => echo_schema(&client).await?,
        _ => return Err(Error::invalid_params(format!("there is no scenario `{scenario}`"))),
    }
    client.close().await;
    Ok(())
}

/// A user who changes nothing in the form.
fn defaults(form: &ElicitRequestFormParams) -> JSONObject {
    let mut content = JSONObject::new();
    for (name, field) in &form.requested_schema.properties {
        let field = serde_json::to_value(field).unwrap_or_default();
        if let Some(default) = field.get("default") {
            content.insert(name.clone(), default.clone());
        }
    }
    if content.is_empty() {
        content.insert("confirmed".to_owned(), true.into());
    }
    content
}

async fn call_first_tool(client: &Client) -> Result<()> {
    if let Some(tool) = client.list_tools().await?.first() {
        let is_plain = tool.input_schema.get("properties").is_none_or(|properties| properties == &json!({}));
        let arguments = if is_plain { json!({}) } else { json!({ "a": 2, "b": 3 }) };
        client.call_tool(&tool.name, arguments).await?;
    }
    Ok(())
}

async fn call_every_tool(client: &Client) -> Result<()> {
    for tool in client.list_tools().await? {
        let required = tool.input_schema.get("required").and_then(Value::as_array);
        let names = required.into_iter().flatten().filter_map(Value::as_str);
        let arguments: JSONObject = names.map(|name| (name.to_owned(), "x".into())).collect();
        client.call_tool(&tool.name, arguments).await?;
    }
    Ok(())
}

#[derive(serde::Deserialize)]
struct Wanted {
    #[serde(rename = "toolCalls")]
    calls: Vec<WantedCall>,
}

#[derive(serde::Deserialize)]
struct WantedCall {
    name: String,
    arguments: JSONObject,
}

async fn call_wanted_tools(client: &Client, context: &str) -> Result<()> {
    let wanted: Wanted = serde_json::from_str(context).map_err(|error| Error::parse(error.to_string()))?;
    // What their headers are is known of listed tools only.
    client.list_tools().await?;
    for call in wanted.calls {
        client.call_tool(&call.name, call.arguments).await?;
    }
    Ok(())
}

async fn use_each_kind(client: &Client) -> Result<()> {
    for tool in client.list_tools().await? {
        client.call_tool(&tool.name, ()).await?;
    }
    for resource in client.list_resources().await? {
        client.read_resource(&resource.uri).await?;
    }
    for prompt in client.list_prompts().await? {
        client.get_prompt(&prompt.name, ()).await?;
    }
    Ok(())
}

async fn answer_in_rounds(client: &Client) -> Result<()> {
    let (first, second) =
        tokio::join!(client.call_tool("test_mrtr_echo_state", ()), client.call_tool("test_mrtr_unrelated", ()));
    first?;
    second?;
    client.call_tool("test_mrtr_no_state", ()).await?;
    client.call_tool("test_mrtr_no_result_type", ()).await?;
    Ok(())
}

async fn echo_schema(client: &Client) -> Result<()> {
    let tools = client.list_tools().await?;
    let schema =
        tools.iter().find(|tool| tool.name == "json_schema_2020_12_tool").map(|Tool { input_schema, .. }| input_schema);
    client.call_tool("json_schema_echo", json!({ "schema": schema })).await?;
    Ok(())
}
