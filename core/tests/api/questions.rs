//! Questions of handlers to their clients: the same handler in both eras, parked, resumed and replayed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use omniport::api::{Context, Elicited, Limits, NoArguments, Server, ToolError};
use omniport::types;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::support::{Client, text};

#[derive(Serialize, Deserialize, JsonSchema)]
struct Name {
    /// How you are called.
    name: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Age {
    age: u8,
}

/// What a server did that must not be done twice.
#[derive(Clone, Default)]
struct Effects {
    runs: Arc<AtomicU32>,
    paid: Arc<AtomicU32>,
}

const KEY: [u8; 32] = [7; 32];

fn server(effects: &Effects) -> Server {
    let paying = effects.clone();
    Server::new("demo")
        .state_keys([KEY])
        .tool("greet", "", |_: NoArguments, cx: Context| async move {
            Ok(match cx.elicit::<Name>("Who are you?").await? {
                Elicited::Accept(name) => format!("Hello {}", name.name),
                Elicited::Decline => "Hello stranger".to_owned(),
                Elicited::Cancel => "Bye".to_owned(),
            })
        })
        .tool("both", "", |_: NoArguments, cx: Context| async move {
            let (name, age) = tokio::join!(cx.elicit::<Name>("Name?"), cx.elicit::<Age>("Age?"));
            let (name, age) = (name?.accepted(), age?.accepted());
            Ok(format!("{} {}", name.map(|n| n.name).unwrap_or_default(), age.map(|a| a.age).unwrap_or_default()))
        })
        .tool("pay", "", move |_: NoArguments, cx: Context| {
            let effects = paying.clone();
            async move {
                effects.runs.fetch_add(1, Ordering::SeqCst);
                let receipt = cx
                    .step("charge", || async { Ok::<_, ToolError>(effects.paid.fetch_add(1, Ordering::SeqCst) + 100) })
                    .await?;
                let name = cx.elicit::<Name>("For whom?").await?.accepted();
                let age = cx.elicit::<Age>("How old?").await?.accepted();
                let (name, age) = (name.map(|n| n.name), age.map(|a| a.age));
                Ok(json!({"receipt": receipt, "name": name, "age": age}))
            }
        })
}

fn accept(content: Value) -> Value {
    json!({"action": "accept", "content": content})
}

/// The keys under which a round asks.
fn keys(required: &Value) -> Vec<String> {
    assert_eq!(required["resultType"], "input_required", "{required}");
    required["inputRequests"].as_object().unwrap().keys().cloned().collect()
}

#[tokio::test]
async fn a_legacy_client_is_asked_on_the_back_channel() {
    let app = server(&Effects::default()).build().unwrap();
    let mut client = Client::legacy(&app).await;
    client.request("tools/call", json!({"name": "greet"}));
    let question = client.next().await;
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(question["params"]["requestedSchema"]["properties"]["name"]["description"], "How you are called.");
    client.answer(&question, accept(json!({"name": "Ada"})));
    assert_eq!(text(&client.result().await), "Hello Ada");
    for (action, said) in [("decline", "Hello stranger"), ("cancel", "Bye")] {
        client.request("tools/call", json!({"name": "greet"}));
        let question = client.next().await;
        client.answer(&question, json!({"action": action}));
        assert_eq!(text(&client.result().await), said);
    }
}

#[tokio::test]
async fn a_modern_client_brings_the_answer_to_the_parked_handler() {
    let app = server(&Effects::default()).build().unwrap();
    let mut client = Client::modern(&app);
    let required = client.call("greet", json!({})).await;
    let key = &keys(&required)[0];
    assert_eq!(required["inputRequests"][key]["method"], "elicitation/create");
    let result = client.retry("greet", json!({}), &required, json!({key: accept(json!({"name": "Ada"}))})).await;
    assert_eq!(text(&result), "Hello Ada");
}

#[tokio::test]
async fn questions_asked_together_go_out_in_one_round() {
    let app = server(&Effects::default()).build().unwrap();
    let mut client = Client::modern(&app);
    let required = client.call("both", json!({})).await;
    let keys = keys(&required);
    assert_eq!(keys.len(), 2);
    // One answer alone is not enough: the next round asks for the other again.
    let partly = json!({&keys[0]: accept(json!({"name": "Ada"}))});
    let again = client.retry("both", json!({}), &required, partly).await;
    assert_eq!(self::keys(&again), [keys[1].clone()]);
    let rest = json!({&keys[1]: accept(json!({"age": 36}))});
    assert_eq!(text(&client.retry("both", json!({}), &again, rest).await), "Ada 36");

    let mut legacy = Client::legacy(&app).await;
    legacy.request("tools/call", json!({"name": "both"}));
    let (first, second) = (legacy.next().await, legacy.next().await);
    legacy.answer(&second, accept(json!({"age": 36})));
    legacy.answer(&first, accept(json!({"name": "Ada"})));
    assert_eq!(text(&legacy.result().await), "Ada 36");
}

#[tokio::test]
async fn a_parked_handler_goes_on_without_a_second_run() {
    let effects = Effects::default();
    let app = server(&effects).build().unwrap();
    let mut client = Client::modern(&app);
    let mut required = client.call("pay", json!({})).await;
    for content in [json!({"name": "Ada"}), json!({"age": 36})] {
        let key = &keys(&required)[0];
        required = client.retry("pay", json!({}), &required, json!({key: accept(content)})).await;
    }
    assert_eq!(required["structuredContent"], json!({"receipt": 100, "name": "Ada", "age": 36}));
    assert_eq!((effects.runs.load(Ordering::SeqCst), effects.paid.load(Ordering::SeqCst)), (1, 1));
}

#[tokio::test]
async fn another_replica_replays_and_repeats_no_step() {
    let effects = Effects::default();
    let replica = || server(&effects).build().unwrap();
    let mut required = Client::modern(&replica()).call("pay", json!({})).await;
    for content in [json!({"name": "Ada"}), json!({"age": 36})] {
        let key = &keys(&required)[0];
        let answers = json!({key: accept(content)});
        required = Client::modern(&replica()).retry("pay", json!({}), &required, answers).await;
    }
    assert_eq!(required["structuredContent"], json!({"receipt": 100, "name": "Ada", "age": 36}));
    assert_eq!((effects.runs.load(Ordering::SeqCst), effects.paid.load(Ordering::SeqCst)), (3, 1));
}

#[tokio::test]
async fn without_room_to_park_the_retry_replays_here() {
    let effects = Effects::default();
    let mut limits = Limits::default();
    limits.parked = 0;
    let app = server(&effects).limits(limits).build().unwrap();
    let mut client = Client::modern(&app);
    let mut required = client.call("pay", json!({})).await;
    for content in [json!({"name": "Ada"}), json!({"age": 36})] {
        let key = &keys(&required)[0];
        required = client.retry("pay", json!({}), &required, json!({key: accept(content)})).await;
    }
    assert_eq!(required["structuredContent"]["receipt"], 100);
    assert_eq!((effects.runs.load(Ordering::SeqCst), effects.paid.load(Ordering::SeqCst)), (3, 1));
}

#[tokio::test]
async fn a_client_that_cannot_be_asked_gets_the_code_for_it() {
    let app = server(&Effects::default()).build().unwrap();
    let mut client = Client::mute(&app);
    client.request("tools/call", json!({"name": "greet"}));
    let error = &client.next().await["error"];
    assert_eq!(error["code"], -32021);
    assert_eq!(error["data"]["requiredCapabilities"], json!({"elicitation": {}}));
}

#[tokio::test]
async fn a_question_from_a_task_of_the_handler_goes_out_too() {
    let app = Server::new("demo")
        .tool("it", "", |_: NoArguments, cx: Context| async move {
            let task = tokio::spawn(async move {
                tokio::task::yield_now().await;
                cx.elicit::<Name>("Who?").await
            });
            Ok(task.await??.accepted().map(|name| name.name))
        })
        .build()
        .unwrap();
    let mut client = Client::modern(&app);
    let required = client.call("it", json!({})).await;
    let key = &keys(&required)[0];
    let result = client.retry("it", json!({}), &required, json!({key: accept(json!({"name": "Ada"}))})).await;
    assert_eq!(text(&result), "Ada");
}

#[tokio::test]
async fn an_answer_that_is_no_answer_fails_the_question() {
    let app = server(&Effects::default()).build().unwrap();
    let mut client = Client::legacy(&app).await;
    client.request("tools/call", json!({"name": "greet"}));
    let question = client.next().await;
    client.answer(&question, accept(json!({"name": 7})));
    let result = client.result().await;
    assert_eq!(result["isError"], true);
    assert!(text(&result).contains("name"), "{result}");
}

#[tokio::test]
async fn models_links_and_roots() {
    let app = Server::new("demo")
        .tool("it", "", |_: NoArguments, cx: Context| async move {
            let message = types::SamplingMessage::new(
                types::SamplingMessageContentBlock::from(types::TextContent::new("Hi")),
                types::Role::User,
            );
            let (roots, sampled, opened) = tokio::join!(
                cx.list_roots(),
                cx.sample(types::CreateMessageRequestParams::new(10, vec![message])),
                cx.elicit_url("Log in", "https://example.com/login"),
            );
            Ok(json!([roots?[0].uri, sampled?.model, opened? == Elicited::Accept(())]))
        })
        .build()
        .unwrap();
    let mut client = Client::legacy(&app).await;
    client.request("tools/call", json!({"name": "it"}));
    for _ in 0..3 {
        let question = client.next().await;
        client.answer(
            &question,
            match question["method"].as_str().unwrap() {
                "roots/list" => json!({"roots": [{"uri": "file:///work"}]}),
                "sampling/createMessage" => {
                    json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": "Hi"}})
                }
                _ => json!({"action": "accept"}),
            },
        );
    }
    assert_eq!(text(&client.result().await), r#"["file:///work","m",true]"#);
}

#[tokio::test]
async fn a_cancelled_question_is_taken_back() {
    let app = server(&Effects::default()).build().unwrap();
    let mut client = Client::legacy(&app).await;
    let id = client.request("tools/call", json!({"name": "greet"}));
    let question = client.next().await;
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    let taken_back = client.next().await;
    assert_eq!(
        (&taken_back["method"], &taken_back["params"]["requestId"]),
        (&json!("notifications/cancelled"), &question["id"])
    );
    client.answer(&question, accept(json!({"name": "late"})));
    tokio::task::yield_now().await;
    assert!(client.is_silent());
}
