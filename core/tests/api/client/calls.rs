//! Every method, and what a call may have different from others.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use omniport::api::client::{Builder, CallOptions, Client, Level, Operation, Reference};
use omniport::api::{App, Context, Json, NoArguments, PromptSpec, Server, ToolError};
use omniport::error::ErrorKind;
use omniport::types::{ContentBlock, ResourceContents};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{clients, is_modern, plain, server};

#[derive(Serialize, Deserialize, JsonSchema)]
struct Pair {
    a: i64,
    b: i64,
}

#[derive(Serialize, Deserialize, JsonSchema, PartialEq, Debug)]
struct Sum {
    sum: i64,
}

fn everything() -> Server {
    server()
        .tool("add", "Add two numbers.", |pair: Pair, _| async move { Ok(Sum { sum: pair.a + pair.b }) })
        .tool("fail", "", |_: NoArguments, _| async { Err::<(), _>(ToolError::new("closed on Mondays")) })
        .resource("test://text", "text", |_, _| async { Ok("content") })
        .template("test://{name}/text", "texts", |variables, _| async move {
            Ok(variables.get("name").unwrap_or_default().to_owned())
        })
        .raw_prompt(PromptSpec::new("greet").argument("name", "Who.", true), |arguments, _| async move {
            Ok(format!("Greet {}", arguments["name"]))
        })
        .completion(Reference::Prompt("greet".into()), "name", |typed, given, _| async move {
            let names = ["Ada", "Alan", "Grace"].into_iter().filter(|name| name.starts_with(&typed));
            Ok(names.filter(|name| given.get("not").is_none_or(|not| not != name)).collect::<Vec<_>>())
        })
}

#[tokio::test]
async fn every_method_works_in_both_eras() {
    let app = everything().build().unwrap();
    for client in plain(&app).await {
        let info = client.server();
        let named = info.server.as_ref().map(|server| (server.name.as_str(), server.version.as_str()));
        assert_eq!((named, info.instructions.as_deref()), (Some(("demo", "1.2.3")), Some("Be kind.")));
        assert!(info.capabilities.tools.is_some() && info.capabilities.completions.is_some());

        let tools = client.list_tools().await.unwrap();
        assert_eq!(tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>(), ["add", "fail"]);
        assert_eq!(client.list_resources().await.unwrap()[0].uri, "test://text");
        assert_eq!(client.list_resource_templates().await.unwrap()[0].uri_template, "test://{name}/text");
        assert_eq!(client.list_prompts().await.unwrap()[0].name, "greet");

        let result = client.call_tool("add", Pair { a: 1, b: 2 }).await.unwrap();
        assert_eq!(result.structured::<Sum>().unwrap(), Sum { sum: 3 });
        let failed = client.call_tool("fail", ()).await.unwrap();
        assert_eq!((failed.is_error, failed.text().as_str()), (Some(true), "closed on Mondays"));
        assert_eq!(failed.structured::<Sum>().unwrap_err().message(), "closed on Mondays");

        let read = client.read_resource("test://ada/text").await.unwrap();
        assert!(matches!(&read.contents[0], ResourceContents::Text(text) if text.text == "ada"), "{read:?}");
        let prompt = client.get_prompt("greet", json!({"name": "Ada"})).await.unwrap();
        assert!(matches!(&prompt.messages[0].content, ContentBlock::Text(text) if text.text == "Greet Ada"));
        let greet = Reference::Prompt("greet".into());
        let completion = client.complete(&greet, "name", "A").await.unwrap();
        assert_eq!(completion.completion.values, ["Ada", "Alan"]);
        let completion = client.complete(&greet, "name", "A").given(json!({"not": "Ada"})).await.unwrap();
        assert_eq!(completion.completion.values, ["Alan"]);

        client.ping().await.unwrap();
        client.set_log_level(Level::Error).await.unwrap();
        client.subscribe("test://text").await.unwrap();
        client.unsubscribe("test://text").await.unwrap();
        let raw = client.request(Operation::ListPrompts, "", CallOptions::default()).await.unwrap();
        assert!(raw.get().contains(r#""name":"greet""#));
        client.close().await;
    }
}

#[tokio::test]
async fn errors_keep_their_facts() {
    let app = server()
        .tool("coded", "", |_: NoArguments, _| async {
            Err::<(), _>(ToolError::protocol(-31999, "later", json!({"wait": 5})))
        })
        .build()
        .unwrap();
    for client in plain(&app).await {
        let error = client.call_tool("coded", ()).await.unwrap_err();
        assert_eq!((error.kind(), error.code(), error.message()), (ErrorKind::Remote, -31999, "later"));
        assert_eq!(error.data().unwrap().get(), r#"{"wait":5}"#);
        assert_eq!(client.call_tool("coded", [1]).await.unwrap_err().kind(), ErrorKind::InvalidParams);
    }
}

#[tokio::test]
async fn a_call_is_a_future_like_any_other() {
    let app = everything().build().unwrap();
    for client in plain(&app).await {
        let add = |b| client.call_tool("add", Pair { a: 1, b });
        let (one, two) = tokio::join!(add(1), add(2));
        assert_eq!(
            (one.unwrap().structured::<Sum>().unwrap().sum, two.unwrap().structured::<Sum>().unwrap().sum),
            (2, 3)
        );
        // It keeps its client.
        let spawned = tokio::spawn(add(3));
        drop(client);
        assert_eq!(spawned.await.unwrap().unwrap().structured::<Sum>().unwrap().sum, 4);
    }
}

#[tokio::test]
async fn one_page_says_where_the_next_begins() {
    let app = everything().page_size(1).build().unwrap();
    for client in plain(&app).await {
        let first = client.list_tools().page(None).await.unwrap();
        assert_eq!((first.items.len(), &*first.items[0].name), (1, "add"));
        let last = client.list_tools().page(first.next_cursor.as_deref()).await.unwrap();
        assert_eq!((&*last.items[0].name, last.next_cursor), ("fail", None));
        assert_eq!(client.list_tools().await.unwrap().len(), 2, "a listing has all pages");
    }
}

#[tokio::test]
async fn a_call_has_its_own_meta_and_its_own_time() {
    let app = server()
        .tool("meta", "", |_: NoArguments, cx: Context| async move { Ok(Json(json!({"it": cx.meta()["vendor/key"]}))) })
        .tool("never", "", |_: NoArguments, _| async {
            std::future::pending::<()>().await;
            Ok(())
        })
        .build()
        .unwrap();
    for client in plain(&app).await {
        let result = client.call_tool("meta", ()).meta("vendor/key", 7).await.unwrap();
        assert_eq!(result.structured_content.unwrap()["it"], 7);
        let error = client.call_tool("never", ()).timeout(Duration::from_millis(1)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout);
        let error = client.call_tool("never", ()).total_timeout(Duration::from_millis(1)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout);
    }
}

fn stepping() -> App {
    let steps = |_: NoArguments, cx: Context| async move {
        for step in 1..=5_u8 {
            cx.progress(step.into(), Some(5.0), Some("a step"));
            tokio::task::yield_now().await;
        }
        Ok(())
    };
    server().tool("steps", "", steps).build().unwrap()
}

#[tokio::test]
async fn w24_progress_comes_in_order_and_before_the_answer() {
    let app = stepping();
    for client in plain(&app).await {
        let seen = Arc::<Mutex<Vec<f64>>>::default();
        let tell = Arc::clone(&seen);
        let call = client.call_tool("steps", ()).on_progress(move |progress| {
            assert_eq!((progress.total, progress.message.as_deref()), (Some(5.0), Some("a step")));
            tell.lock().unwrap().push(progress.progress);
        });
        call.await.unwrap();
        assert_eq!(*seen.lock().unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0]);
    }
}

#[tokio::test]
async fn x03_progress_of_any_call_is_told_before_its_answer() {
    let app = stepping();
    let seen = Arc::<Mutex<Vec<f64>>>::default();
    let hearing = |builder: Builder| {
        let seen = Arc::clone(&seen);
        builder.on_progress(move |progress| {
            seen.lock().unwrap().push(progress.progress);
            assert!(progress.progress < 5.0, "a bug of the user's, which costs no answer");
        })
    };
    for client in clients(&app, hearing).await {
        client.call_tool("steps", ()).await.unwrap();
        assert_eq!(*seen.lock().unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0]);
        seen.lock().unwrap().clear();
        let own = Arc::clone(&seen);
        client.call_tool("steps", ()).on_progress(move |_| own.lock().unwrap().push(0.0)).await.unwrap();
        assert_eq!(*seen.lock().unwrap(), [1.0, 0.0, 2.0, 0.0, 3.0, 0.0, 4.0, 0.0, 5.0, 0.0]);
        seen.lock().unwrap().clear();
    }
}

#[tokio::test]
async fn security_headers_that_are_none_are_refused_and_their_values_are_told_to_nobody() {
    let app = everything().build().unwrap();
    let error = Client::builder(&app).header("x-token", "secret\n").connect().await.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Definition);
    assert!(!format!("{error} {error:?}").contains("secret"));
    for client in clients(&app, |builder| builder.header("x-token", "t")).await {
        let error = client.ping().header("no name", "secret").await.unwrap_err();
        assert!(error.message().contains("no name") && !error.message().contains("secret"), "{error}");
        client.ping().header("x-tenant", "a").safe(true).fresh().await.unwrap();
        assert!(client.state() == omniport::api::client::ClientState::Ready || !is_modern(&client));
    }
}
