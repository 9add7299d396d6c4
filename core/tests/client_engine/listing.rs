//! Listings: all pages as one result, within bounds, without what nobody could use.

use std::time::Duration;

use omniport::engine::client::CallOptions;
use omniport::error::ErrorKind;
use serde_json::{Value, json};

use super::recorder::{Client, Lines};
use super::talk::{call_options, legacy, modern, modern_http, options, reports};

/// Answers the open request with a page of tools of those names.
fn page(client: &Client<Lines>, names: &[&str], cursor: &str) -> Value {
    let request = client.sent_one();
    let tools: Vec<_> = names.iter().map(|name| format!(r#"{{"name":"{name}","inputSchema":{{}}}}"#)).collect();
    let cursor = if cursor.is_empty() { String::new() } else { format!(r#","nextCursor":{cursor}"#) };
    client.reply(&request, &format!(r#""result":{{"a":{},"tools":[{}]{cursor}}}"#, request["id"], tools.join(",")));
    request
}

#[test]
fn t06_all_pages_are_one_result() {
    for client in [modern(options()), legacy(options())] {
        let token = client.start("list_tools", r#"{"_meta":{"a/b":1}}"#);
        let first = page(&client, &["c", "a"], r#""""#);
        assert!(first["params"].get("cursor").is_none());
        let second = page(&client, &[], r#""x\u0041""#);
        assert_eq!((&second["params"]["cursor"], &second["params"]["_meta"]["a/b"]), (&json!(""), &json!(1)));
        assert_ne!(first["id"], second["id"]);
        let third = page(&client, &["b"], "null");
        assert_eq!(third["params"]["cursor"], "xA");
        let all = client.host.result(token).unwrap().unwrap();
        let names: Vec<_> = all["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
        assert_eq!(names, ["c", "a", "b"], "Y11: in the order of the server");
        assert_eq!(all["a"], first["id"], "other members are those of the first page");
        assert!(all.get("nextCursor").is_none() && client.sent().is_empty());
    }
}

#[test]
fn other_listings_have_pages_too() {
    let client = modern(options());
    for (word, member) in
        [("list_resources", "resources"), ("list_templates", "resourceTemplates"), ("list_prompts", "prompts")]
    {
        let token = client.start(word, "{}");
        client.reply(&client.sent_one(), &format!(r#""result":{{"{member}":[1.0, {{"x": 1}}],"nextCursor":"n"}}"#));
        client.reply(&client.sent_one(), &format!(r#""result":{{"{member}":[null]}}"#));
        assert_eq!(client.host.result(token).unwrap().unwrap(), json!({ member: [1.0, {"x": 1}, null] }));
    }
}

#[test]
fn security_40_a_listing_without_end_is_an_error() {
    let failed = |change: fn(&mut omniport::limits::Limits), cursors: &[&str]| {
        let mut options = options();
        change(&mut options.limits);
        let client = modern(options);
        let token = client.start("list_tools", "{}");
        for cursor in cursors {
            page(&client, &["a", "b"], cursor);
        }
        assert!(client.sent().is_empty());
        client.host.result(token).expect("an end").unwrap_err()
    };
    // The same cursor, however it is spelt.
    let error = failed(|_| {}, &[r#""A""#, r#""\u0041""#]);
    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    let error = failed(|_| {}, &[r#""""#, r#""x""#, r#""""#]);
    assert!(error.message().contains("circles"), "{error}");
    let error = failed(|limits| limits.list_pages = 2, &["\"1\"", "\"2\""]);
    assert_eq!((error.kind(), error.fact("limit")), (ErrorKind::Limit, Some("list_pages")));
    let error = failed(|limits| limits.list_items = 3, &["\"1\"", "\"2\""]);
    assert_eq!(error.fact("limit"), Some("list_items"));
    let error = failed(|limits| limits.list_bytes = 150, &["\"1\"", "\"2\""]);
    assert_eq!(error.fact("limit"), Some("list_bytes"));
}

#[test]
fn one_page_is_given_as_it_is() {
    let client = modern(options());
    let one_page = call_options(|options| options.one_page = true);
    let token = client.start_with("list_tools", r#"{"cursor":"c"}"#, one_page.clone());
    let request = page(&client, &["a"], "\"d\"");
    assert_eq!(request["params"]["cursor"], "c");
    assert_eq!(client.host.result(token).unwrap().unwrap()["nextCursor"], "d");
    // All from a cursor on; coming back to where it began is a circle as well.
    let token = client.start("list_tools", r#"{"cursor":"c"}"#);
    page(&client, &["a"], "\"c\"");
    assert!(client.host.result(token).unwrap().is_err());
    // What is set aside does not cost the cursor.
    let token = client.start_with("list_tools", "{}", one_page);
    client.reply(&client.sent_one(), r#""result":{"tools":[7],"nextCursor":"d"}"#);
    assert_eq!(client.host.result(token).unwrap().unwrap(), json!({"tools": [], "nextCursor": "d"}));
}

#[test]
fn each_page_has_the_time_of_a_call_and_all_have_the_total() {
    let times = call_options(|options| {
        options.timeout = Some(Duration::from_secs(3));
        options.total_timeout = Some(Duration::from_secs(8));
    });
    let mut client = modern(options());
    let token = client.start_with("list_tools", "{}", times);
    for number in 0..3 {
        client.pass(Duration::from_millis(2500));
        page(&client, &["a"], &format!("\"{number}\""));
    }
    client.sent();
    assert!(client.host.result(token).is_none());
    client.pass(Duration::from_millis(500));
    let error = client.host.result(token).unwrap().unwrap_err();
    assert!(error.kind() == ErrorKind::Timeout && error.message().contains("in all"), "{error}");
    assert_eq!(client.sent_one()["method"], "notifications/cancelled");
}

#[test]
fn an_invalid_tool_is_set_aside_and_the_others_stay() {
    const BAD: [&str; 6] = [
        "7",
        "null",
        r#"{"inputSchema":{}}"#,
        r#"{"name":null,"inputSchema":{}}"#,
        r#"{"name":1,"inputSchema":{}}"#,
        r#"{"name":"bad","inputSchema":[]}"#,
    ];
    for client in [modern(options()), legacy(options())] {
        let token = client.start("list_tools", "{}");
        let good = r#"{"name":"good","inputSchema":{"type":"object"},"annotations":7,"icons":"?","x":[1.0]}"#;
        let again = r#"{"name":"good","inputSchema":{},"description":"second"}"#;
        let result = format!(r#""result":{{"x":1,"tools":[{},{good},{again}]}}"#, BAD.join(","));
        client.reply(&client.sent_one(), &result);
        let all = client.host.result(token).unwrap().unwrap();
        assert_eq!(all, json!({"x": 1, "tools": [serde_json::from_str::<Value>(good).unwrap()]}));
        let told = client.host.take();
        assert_eq!(reports(&told).len(), BAD.len() + 1, "{told:?}");
        assert!(reports(&told).iter().any(|text| text.contains("`good`") && text.contains("more than once")));
        assert!(reports(&told).iter().any(|text| text.contains("`bad`")));
    }
}

#[test]
fn a_listing_without_items_is_empty_and_one_without_a_list_is_wrong() {
    let client = legacy(options());
    for nothing in ["{}", r#"{"tools":null}"#] {
        assert_eq!(client.ask("list_tools", "{}", CallOptions::default(), nothing)["tools"], json!([]), "{nothing}");
        assert_eq!(reports(&client.host.take()).len(), 1);
    }
    let token = client.start("list_tools", "{}");
    client.reply(&client.sent_one(), r#""result":{"tools":{}}"#);
    assert!(client.host.result(token).unwrap().unwrap_err().message().contains("`tools`"));
}

#[test]
fn x10_tools_with_broken_annotations_are_left_out_over_http_alone() {
    let tools = r#""result":{"tools":[{"name":"bad","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"no header"}}}}]}"#;
    let client = modern_http(options());
    let token = client.start("list_tools", "{}");
    let (id, _, body) = client.posted();
    client.respond(id, 200, &body, tools);
    assert_eq!(client.host.result(token).unwrap().unwrap()["tools"], json!([]));
    assert!(reports(&client.host.take())[0].contains("`bad`"));
    let client = modern(options());
    let token = client.start("list_tools", "{}");
    client.reply(&client.sent_one(), tools);
    assert_eq!(client.host.result(token).unwrap().unwrap()["tools"].as_array().unwrap().len(), 1);
}
