//! Limits, views and records.

use std::sync::mpsc;
use std::time::Duration;

use omniport::api::{Kind, NoArguments, Rate, Server, ToolSpec};
use serde_json::json;

use crate::support::{Client, text};

#[tokio::test]
async fn what_a_caller_may_not_see_does_not_exist() {
    let app = Server::new("demo")
        .tool("open", "", |_: NoArguments, _| async { Ok("open") })
        .tool("hidden", "", |_: NoArguments, _| async { Ok("hidden") })
        .visible(|request, kind, name| {
            assert_eq!((kind, request.protocol_version.as_deref()), (Kind::Tools, Some("2026-07-28")));
            name != "hidden"
        })
        .build()
        .unwrap();
    let mut client = Client::modern(&app);
    assert_eq!(client.ask("tools/list", json!({})).await["tools"].as_array().unwrap().len(), 1);
    assert_eq!(text(&client.call("open", json!({})).await), "open");
    client.request("tools/call", json!({"name": "hidden"}));
    let hidden = client.next().await["error"].take();
    assert_eq!(hidden["message"], "Unknown tool: hidden");
}

#[tokio::test]
async fn a_rate_holds_back_and_says_how_long() {
    let rate = Rate { calls: 1, per: Duration::from_secs(3600), by_principal: false };
    let app = Server::new("demo")
        .tool_with(ToolSpec::new("it").rate(rate), |_: NoArguments, _| async { Ok("ok") })
        .build()
        .unwrap();
    let mut client = Client::modern(&app);
    assert_eq!(text(&client.call("it", json!({})).await), "ok");
    let held = client.call("it", json!({})).await;
    assert!(text(&held).contains("limit `rate`"), "{held}");
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_ended() {
    let spec = ToolSpec::new("it").timeout(Duration::from_millis(1));
    let app = Server::new("demo")
        .tool_with(spec, |_: NoArguments, _| async {
            std::future::pending::<()>().await;
            Ok(())
        })
        .build()
        .unwrap();
    let result = Client::modern(&app).call("it", json!({})).await;
    assert!(text(&result).contains("time limit"), "{result}");
}

#[tokio::test]
async fn every_call_is_recorded_without_its_arguments() {
    let (tell, told) = mpsc::channel();
    let app = Server::new("demo")
        .tool("it", "", |_: NoArguments, _| async { Ok("ok") })
        .audit(move |record| tell.send(record).unwrap())
        .build()
        .unwrap();
    Client::modern(&app).call("it", json!({})).await;
    let record = told.try_recv().unwrap();
    assert_eq!((&*record.kind, &*record.name, &*record.outcome), ("tool", "it", "ok"));
    assert_eq!(record.arguments_sha256.len(), 64);
}

#[tokio::test]
async fn a_hook_that_panics_ends_nothing() {
    let app = Server::new("demo")
        .tool("it", "", |_: NoArguments, _| async { Ok("ok") })
        .audit(|_| panic!("full disk"))
        .build()
        .unwrap();
    assert_eq!(text(&Client::modern(&app).call("it", json!({})).await), "ok");
}
