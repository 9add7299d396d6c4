//! Structured results and the output schemas of their tools.

use omniport::engine::client::CallOptions;
use omniport::error::{Error, ErrorKind};
use serde_json::{Value, json};

use super::recorder::{Client, Lines, Told};
use super::talk::{legacy, modern, options, reports};

const SCHEMA: &str =
    r#"{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}},"additionalProperties":false}"#;

fn list(client: &Client<Lines>, schemas: &[(&str, &str)]) -> Value {
    let tools: Vec<_> = schemas
        .iter()
        .map(|(name, schema)| format!(r#"{{"name":"{name}","inputSchema":{{}},"outputSchema":{schema}}}"#))
        .collect();
    client.ask("list_tools", "{}", CallOptions::default(), &format!(r#"{{"tools":[{}]}}"#, tools.join(",")))
}

fn call(client: &Client<Lines>, name: &str, result: &str) -> Result<Value, Error> {
    let token = client.start("call_tool", &format!(r#"{{"name":"{name}"}}"#));
    client.reply(&client.sent_one(), &format!("\"result\":{result}"));
    client.host.result(token).expect("an answer")
}

#[test]
fn s01_a_result_that_breaks_its_schema_is_an_error_that_keeps_it() {
    for client in [modern(options()), legacy(options())] {
        let good = r#"{"content":[],"structuredContent":{"n":1}}"#;
        let bad = r#"{"content":[{"type":"text","text":"see"}],"structuredContent":{"n":"x"}}"#;
        assert!(call(&client, "t", bad).is_ok(), "what was never listed is not checked");
        list(&client, &[("t", SCHEMA)]);
        assert!(call(&client, "t", good).is_ok());
        for failed in [r#"{"isError":true,"content":[]}"#, r#"{"isError":true,"structuredContent":{"code":1}}"#] {
            assert_eq!(call(&client, "t", failed).unwrap(), serde_json::from_str::<Value>(failed).unwrap());
        }
        let error = call(&client, "t", bad).unwrap_err();
        assert_eq!(
            (error.kind(), error.fact("tool"), error.fact("path")),
            (ErrorKind::InvalidRequest, Some("t"), Some("n"))
        );
        assert_eq!(error.data().unwrap().get(), bad);
        assert!(error.message().contains("`t`") && error.message().contains("integer"), "{error}");
        assert!(call(&client, "t", r#"{"content":[]}"#).unwrap_err().data().is_some());
    }
}

#[test]
fn s02_a_broken_schema_harms_neither_listing_nor_call() {
    let client = modern(options());
    let all = list(
        &client,
        &[
            ("one", SCHEMA),
            ("two", r##"{"$ref":"#/$defs/Missing"}"##),
            ("three", r#"{"type":"objekt"}"#),
            ("four", r#"{"$ref":"https://example.org/s.json"}"#),
            ("five", "7"),
        ],
    );
    assert_eq!(all["tools"].as_array().unwrap().len(), 5);
    assert!(client.host.take().is_empty());
    for name in ["two", "three", "four", "five"] {
        for _ in 0..2 {
            assert!(call(&client, name, r#"{"structuredContent":{"x":1}}"#).is_ok(), "{name}");
        }
        let told = client.host.take();
        assert!(matches!(&told[..], [Told::Report(_, text)] if text.contains(name)), "{told:?}");
        assert_eq!(reports(&told).len(), 1, "once");
    }
}

#[test]
fn s12_legacy_results_are_objects_and_modern_ones_anything() {
    let client = modern(options());
    list(&client, &[("t", r#"{"type":"array","items":{"type":"integer"}}"#)]);
    assert_eq!(call(&client, "t", r#"{"structuredContent":[1]}"#).unwrap()["structuredContent"], json!([1]));
    let client = legacy(options());
    list(&client, &[("t", r#"{"type":"object","properties":{"result":{"type":"array"}},"required":["result"]}"#)]);
    assert!(call(&client, "t", r#"{"structuredContent":{"result":[1]}}"#).is_ok());
    assert!(call(&client, "t", r#"{"structuredContent":{"result":1}}"#).is_err());
}

#[test]
fn checks_follow_the_list_and_can_be_turned_off() {
    let client = modern(options());
    list(&client, &[("t", SCHEMA)]);
    list(&client, &[("t", "true")]);
    assert!(call(&client, "t", r#"{"structuredContent":{"n":"x"}}"#).is_ok(), "the schema is that of the last listing");
    let mut options = options();
    options.check_output = false;
    let client = modern(options);
    list(&client, &[("t", SCHEMA)]);
    assert!(call(&client, "t", r#"{"content":[]}"#).is_ok());
}

#[test]
fn w17_y14_what_is_unknown_in_a_result_stays_in_it() {
    let client = legacy(options());
    let result = r#"{"content":[{"type":"video","data":"..."},{"type":"text","text":"ok","annotations":{"audience":["user","robot"]}}],"stopReason":"other"}"#;
    assert_eq!(call(&client, "t", result).unwrap(), serde_json::from_str::<Value>(result).unwrap());
}
