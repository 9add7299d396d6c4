//! Resources, templates, prompts and completions.

use omniport::api::{
    CacheHint, Json, PromptSpec, Reference, ResourceContent, ResourceSpec, Server, ToolError, assistant, user,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::Client;

#[derive(Deserialize, JsonSchema)]
struct Greet {
    /// Who is greeted.
    name: String,
    style: Option<String>,
}

fn server() -> Server {
    let logo = ResourceSpec::new("test://logo", "logo")
        .mime_type("image/png")
        .cache(CacheHint { ttl_ms: 5000, is_public: true });
    Server::new("demo")
        .resource("test://text", "text", |uri, _| async move { Ok(format!("content of {uri}")) })
        .resource_with(logo, |_, _| async { Ok(vec![1_u8, 2, 3]) })
        .resource("test://parts", "parts", |_, _| async {
            Ok(vec![ResourceContent::text("a").uri("test://parts/a"), ResourceContent::blob("b").mime_type("x/y")])
        })
        .resource("test://json", "json", |_, _| async { Ok(Json(json!({"a": 1}))) })
        .template("db://{table}/{+path}", "rows", |variables, _| async move {
            match variables.get("table") {
                Some("users") => Ok(format!("{} {}", variables.uri(), variables.list("path").join("|"))),
                _ => Err(ToolError::not_found()),
            }
        })
        .prompt("greet", "Greets someone.", |greet: Greet, _| async move {
            Ok([user(format!("Greet {}", greet.name)), assistant(greet.style.unwrap_or_default())])
        })
        .raw_prompt(PromptSpec::new("raw").argument("topic", "What about.", true), |arguments, _| async move {
            Ok(arguments["topic"].clone())
        })
        .completion(Reference::Prompt("greet".into()), "name", |typed, others, _| async move {
            let names = ["Ada", "Alan", "Grace"];
            let names =
                names.into_iter().filter(|name| name.starts_with(&typed) && !others.values().any(|o| o == name));
            Ok(names.collect::<Vec<_>>())
        })
}

#[tokio::test]
async fn resources_fill_in_what_their_handlers_leave_open() {
    let app = server().build().unwrap();
    let mut client = Client::modern(&app);
    let text = client.ask("resources/read", json!({"uri": "test://text"})).await;
    assert_eq!(text["contents"], json!([{"uri": "test://text", "text": "content of test://text"}]));
    let logo = client.ask("resources/read", json!({"uri": "test://logo"})).await;
    assert_eq!(logo["contents"], json!([{"uri": "test://logo", "mimeType": "image/png", "blob": "AQID"}]));
    assert_eq!((&logo["ttlMs"], &logo["cacheScope"]), (&json!(5000), &json!("public")));
    let parts = client.ask("resources/read", json!({"uri": "test://parts"})).await;
    assert_eq!(
        parts["contents"],
        json!([{"uri": "test://parts/a", "text": "a"}, {"uri": "test://parts", "mimeType": "x/y", "blob": "Yg=="}])
    );
    let json = client.ask("resources/read", json!({"uri": "test://json"})).await;
    assert_eq!(json["contents"][0]["mimeType"], "application/json");
}

#[tokio::test]
async fn templates_hand_over_their_variables() {
    let app = server().build().unwrap();
    let mut client = Client::modern(&app);
    let rows = client.ask("resources/read", json!({"uri": "db://users/a/b"})).await;
    assert_eq!(rows["contents"][0]["text"], "db://users/a/b a/b");
    client.request("resources/read", json!({"uri": "db://secrets/a"}));
    let refused = client.next().await;
    client.request("resources/read", json!({"uri": "nothing://here"}));
    let unknown = client.next().await;
    assert_eq!(refused["error"]["code"], unknown["error"]["code"]);
}

#[tokio::test]
async fn prompts_publish_the_members_of_their_type() {
    let app = server().build().unwrap();
    let mut client = Client::modern(&app);
    let list = client.ask("prompts/list", json!({})).await;
    assert_eq!(
        list["prompts"][0]["arguments"],
        json!([{"name": "name", "description": "Who is greeted.", "required": true}, {"name": "style"}])
    );
    let greet = client.ask("prompts/get", json!({"name": "greet", "arguments": {"name": "Ada", "style": "Hi"}})).await;
    assert_eq!(greet["messages"][0], json!({"role": "user", "content": {"type": "text", "text": "Greet Ada"}}));
    assert_eq!(greet["messages"][1]["role"], "assistant");
    let raw = client.ask("prompts/get", json!({"name": "raw", "arguments": {"topic": "tea"}})).await;
    assert_eq!(raw["messages"][0]["content"]["text"], "tea");
}

#[tokio::test]
async fn completions_see_the_other_arguments() {
    let app = server().build().unwrap();
    let mut client = Client::modern(&app);
    let params = json!({
        "ref": {"type": "ref/prompt", "name": "greet"},
        "argument": {"name": "name", "value": "A"},
        "context": {"arguments": {"style": "Alan"}},
    });
    let completion = client.ask("completion/complete", params).await;
    assert_eq!(completion["completion"]["values"], json!(["Ada"]));
}
