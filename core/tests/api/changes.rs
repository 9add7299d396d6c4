//! What is offered, before and while a server serves.

use omniport::api::{Changes, Kind, NoArguments, Offer, ResourceSpec, Server, ToolSpec};
use omniport::error::ErrorKind;
use serde_json::{Value, json};

use crate::support::{Client, text};

fn tool(name: &str, answer: &'static str) -> Offer {
    Offer::tool(ToolSpec::new(name), move |_: NoArguments, _| async move { Ok(answer) })
}

fn names(list: &Value) -> Vec<&str> {
    list["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[test]
fn every_fault_of_a_description_is_named() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Number {
        _n: i64,
    }
    let fault = Server::new("demo")
        .offer(tool("", "x"))
        .raw_tool(ToolSpec::new("bad"), json!({"type": "object", "$ref": "#/nowhere"}), |_: Value, _| async { Ok(()) })
        .prompt("count", "", |_: Number, _| async { Ok("x") })
        .template("db://{", "broken", |_, _| async { Ok("x") })
        .build()
        .err()
        .unwrap();
    assert_eq!(fault.kind(), ErrorKind::Definition);
    for named in ["`name` of a tool is empty", "`bad`", "`count`", "`db://{`"] {
        assert!(fault.message().contains(named), "{named} in {fault}");
    }
}

#[test]
fn one_name_is_offered_once() {
    let fault = Server::new("demo").offers([tool("same", "a"), tool("same", "b")]).build().err().unwrap();
    assert!(fault.message().contains("`same`"), "{fault}");
}

#[tokio::test]
async fn changes_are_seen_and_announced_once_a_list() {
    let app = Server::new("demo").offers([tool("a", "old"), tool("b", "b")]).build().unwrap();
    let mut client = Client::legacy(&app).await;
    app.change(|changes: &mut Changes| {
        changes.remove(Kind::Tools, "b").add(tool("a", "new")).add(tool("c", "c"));
    })
    .unwrap();
    assert_eq!(client.now()["method"], "notifications/tools/list_changed");
    assert!(client.is_silent());
    assert_eq!(names(&client.ask("tools/list", json!({})).await), ["a", "c"]);
    assert_eq!(text(&client.call("a", json!({})).await), "new");
    assert!(app.remove(Kind::Tools, "c") && !app.remove(Kind::Tools, "c"));
    assert_eq!(client.now()["method"], "notifications/tools/list_changed");
    assert!(client.is_silent());
}

#[tokio::test]
async fn a_change_with_a_fault_changes_nothing() {
    let app = Server::new("demo").offer(tool("a", "a")).build().unwrap();
    let mut client = Client::legacy(&app).await;
    let fault = app.change(|changes| {
        changes.remove(Kind::Tools, "a").add(tool("", "x"));
    });
    assert!(fault.is_err() && client.is_silent());
    assert_eq!(text(&client.call("a", json!({})).await), "a");
}

#[tokio::test]
async fn a_declared_list_is_there_before_its_first_item() {
    let app = Server::new("demo").declare(Kind::Tools).build().unwrap();
    let mut client = Client::legacy(&app).await;
    assert!(names(&client.ask("tools/list", json!({})).await).is_empty());
    app.add(tool("late", "late")).unwrap();
    assert_eq!(client.now()["method"], "notifications/tools/list_changed");
    assert_eq!(text(&client.call("late", json!({})).await), "late");
}

#[tokio::test]
async fn subscribers_hear_of_a_resource() {
    let (tell, told) = std::sync::mpsc::channel();
    let offer = Offer::resource(ResourceSpec::new("test://a", "a"), |_, _| async { Ok("a") });
    let app = Server::new("demo")
        .offer(offer)
        .on_subscription(move |uri, active| tell.send((uri.to_owned(), active)).unwrap())
        .build()
        .unwrap();
    let mut client = Client::legacy(&app).await;
    client.ask("resources/subscribe", json!({"uri": "test://a"})).await;
    assert_eq!(told.try_recv().unwrap(), ("test://a".to_owned(), true));
    app.resource_updated("test://a");
    assert_eq!(client.now()["params"]["uri"], "test://a");
}
