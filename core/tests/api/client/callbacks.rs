//! What a server asks, answered by the client's callbacks or by hand.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use omniport::api::client::{Builder, Client, EraChoice, InputRequired, Step};
use omniport::api::{Context, Elicited, Json, NoArguments, Server, ToolError};
use omniport::error::{Error, ErrorKind};
use omniport::types::{
    CallToolResult, CreateMessageRequestParams, CreateMessageResult, ElicitResult, InputRequest, Root,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{clients, is_modern, plain, server};

#[derive(Serialize, Deserialize, JsonSchema)]
struct Name {
    name: String,
}

fn asking() -> Server {
    server()
        .tool("greet", "", |_: NoArguments, cx: Context| async move {
            Ok(match cx.elicit::<Name>("Who are you?").await? {
                Elicited::Accept(name) => format!("Hello {}", name.name),
                Elicited::Decline | Elicited::Cancel => "Hello stranger".to_owned(),
            })
        })
        .tool("visit", "", |_: NoArguments, cx: Context| async move {
            Ok(cx.elicit_url("Pay here.", "https://pay.example/1").await?.accepted().is_some())
        })
        .tool("think", "", |_: NoArguments, cx: Context| async move {
            let result = cx.sample(CreateMessageRequestParams::new(10, Vec::new())).await?;
            Ok(result.model)
        })
        .tool("look", "", |_: NoArguments, cx: Context| async move {
            Ok(Json(json!(cx.list_roots().await?.into_iter().map(|root| root.uri).collect::<Vec<_>>())))
        })
        .tool("able", "", |_: NoArguments, cx: Context| async move {
            let capabilities = serde_json::to_value(cx.request().capabilities)?;
            Ok(Json(json!({"can": capabilities})))
        })
}

fn answering(builder: Builder) -> Builder {
    builder
        .on_elicit(|form| async move {
            assert_eq!(form.message, "Who are you?");
            assert!(form.requested_schema.properties.contains_key("name"));
            ElicitResult::accept(Name { name: "Ada".to_owned() })
        })
        .on_elicit_url(|link| async move {
            assert_eq!((link.message.as_str(), link.url.as_str()), ("Pay here.", "https://pay.example/1"));
            Ok(Elicited::Accept(()))
        })
        .on_sample(|asked| async move {
            assert_eq!(asked.max_tokens, 10);
            Ok(CreateMessageResult::text("A thought", "a thinker"))
        })
        .on_roots(|| async { Ok(vec![Root::new("file:///home"), Root::new("file:///srv")]) })
}

#[tokio::test]
async fn one_set_of_callbacks_serves_both_eras() {
    let app = asking().build().unwrap();
    for client in clients(&app, answering).await {
        assert_eq!(client.call_tool("greet", ()).await.unwrap().text(), "Hello Ada");
        assert_eq!(client.call_tool("visit", ()).await.unwrap().text(), "true");
        assert_eq!(client.call_tool("think", ()).await.unwrap().text(), "a thinker");
        let roots = client.call_tool("look", ()).await.unwrap().text();
        assert_eq!(serde_json::from_str::<Vec<String>>(&roots).unwrap(), ["file:///home", "file:///srv"]);
    }
}

#[tokio::test]
async fn capabilities_come_from_the_callbacks() {
    let app = asking().build().unwrap();
    let can =
        async |client: &Client| client.call_tool("able", ()).await.unwrap().structured_content.unwrap()["can"].take();
    for client in plain(&app).await {
        assert_eq!(can(&client).await, json!({}));
        assert!(client.call_tool("greet", ()).await.map_or(true, |result| result.is_error == Some(true)));
    }
    for client in clients(&app, |builder| answering(builder).sampling_tools().sampling_context()).await {
        assert_eq!(
            can(&client).await,
            json!({
                "elicitation": {"form": {}, "url": {}},
                "roots": {"listChanged": true},
                "sampling": {"context": {}, "tools": {}},
            })
        );
    }
    for client in clients(&app, |builder| builder.roots(["file:///home"])).await {
        assert_eq!(can(&client).await, json!({"roots": {}}));
    }
}

#[tokio::test]
async fn y17_a_refusal_is_no_answer_and_no_hang() {
    let app = asking().build().unwrap();
    for client in clients(&app, |builder| builder.on_elicit(|_| async { Ok(ElicitResult::decline()) })).await {
        assert_eq!(client.call_tool("greet", ()).await.unwrap().text(), "Hello stranger");
    }
    let refusing = |builder: Builder| {
        builder.on_elicit(|_| async { Err::<ElicitResult, _>(Error::new(ErrorKind::Refused, "not now").with_code(-1)) })
    };
    for client in clients(&app, refusing).await {
        // A legacy server reads the refusal; in the modern era there is nothing to send it with, and it is the caller's.
        match client.call_tool("greet", ()).await {
            Ok(result) => assert!(!is_modern(&client) && result.is_error == Some(true), "{result:?}"),
            Err(error) => assert!(is_modern(&client) && error.code() == -1, "{error}"),
        }
    }
}

#[tokio::test]
async fn a_callback_that_panics_fails_one_call() {
    let app = asking().build().unwrap();
    let panicking = |builder: Builder| {
        builder.on_elicit(|_| async { if true { panic!("no user") } else { Ok(ElicitResult::decline()) } })
    };
    for client in clients(&app, panicking).await {
        assert!(client.call_tool("greet", ()).await.map_or(true, |result| result.is_error == Some(true)));
        client.ping().await.unwrap();
    }
}

#[tokio::test]
async fn a_question_of_a_call_that_was_dropped_is_dropped_too() {
    let app = asking().build().unwrap();
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let waiting = |builder: Builder| {
        let tell = tell.clone();
        builder.on_elicit(move |_| {
            let held = Held(tell.clone());
            async move {
                held.0.send("asked").unwrap();
                std::future::pending::<()>().await;
                drop(held);
                Ok(ElicitResult::decline())
            }
        })
    };
    struct Held(tokio::sync::mpsc::UnboundedSender<&'static str>);
    impl Drop for Held {
        fn drop(&mut self) {
            let _ = self.0.send("dropped");
        }
    }
    for client in clients(&app, waiting).await {
        let call = tokio::spawn(client.call_tool("greet", ()));
        assert_eq!(told.recv().await, Some("asked"));
        call.abort();
        assert_eq!(told.recv().await, Some("dropped"));
    }
}

#[tokio::test]
async fn a_server_hears_that_roots_changed_where_it_can() {
    let heard = Arc::<AtomicU32>::default();
    let count = Arc::clone(&heard);
    let hear = move || {
        count.fetch_add(1, Ordering::SeqCst);
    };
    let app = asking().on_roots_changed(hear).build().unwrap();
    for client in clients(&app, answering).await {
        client.roots_changed();
        client.ping().await.unwrap();
    }
    assert_eq!(heard.load(Ordering::SeqCst), 1, "the modern era has no such notification");
}

#[tokio::test]
async fn a_call_is_driven_by_hand_and_continued_elsewhere() {
    let app = asking().state_keys([[7; 32]]).build().unwrap();
    let other = asking().state_keys([[7; 32]]).build().unwrap();
    let able = |builder: Builder| builder.capabilities(|can| can.elicitation = Some(Default::default()));
    let client = able(Client::builder(&app).era(EraChoice::Modern)).connect().await.unwrap();
    let Step::Input(input) = client.call_tool("greet", ()).by_hand().await.unwrap() else { panic!("it asks") };
    let text = serde_json::to_string(&input).unwrap();
    client.close().await;

    let client = able(Client::builder(&other).era(EraChoice::Modern)).connect().await.unwrap();
    let mut input: InputRequired<CallToolResult> = serde_json::from_str(&text).unwrap();
    let (key, request) = input.requests().iter().next().map(|(key, request)| (key.clone(), request.clone())).unwrap();
    assert!(matches!(request, InputRequest::Elicit(_)), "{request:?}");
    input.answer(key, ElicitResult::accept(json!({"name": "Grace"})).unwrap());
    let Step::Done(result) = client.resume(input).await.unwrap() else { panic!("it has what it needs") };
    assert_eq!(result.text(), "Hello Grace");
}

#[tokio::test]
async fn by_hand_is_no_different_where_nothing_is_asked() {
    let app = server().tool("plain", "", |_: NoArguments, _| async { Ok::<_, ToolError>("done") }).build().unwrap();
    for client in plain(&app).await {
        let Step::Done(result) = client.call_tool("plain", ()).by_hand().await.unwrap() else {
            panic!("it asks nothing")
        };
        assert_eq!(result.text(), "done");
    }
}
