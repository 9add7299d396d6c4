use super::*;
use crate::wire::reject::WORDS;
use crate::wire::{Object, write};
use proptest::prelude::*;

#[derive(Debug, Default, serde::Deserialize)]
struct Meta<'a> {
    #[serde(borrow, default)]
    token: Option<&'a RawValue>,
    #[serde(borrow, default)]
    version: Option<Text<'a>>,
}

#[derive(Debug, serde::Deserialize)]
struct Probe<'a> {
    #[serde(borrow, default)]
    name: Option<Text<'a>>,
    #[serde(borrow, default)]
    arguments: Option<Object<'a>>,
    #[serde(borrow, default, rename = "_meta", deserialize_with = "shape::optional_object")]
    meta: Option<Meta<'a>>,
}

fn read(text: &str) -> Result<Message<'_, Probe<'_>>, Rejected> {
    parse(text.as_bytes(), &Limits::default())
}

/// Code, id and whether an answer is allowed.
fn refusal(text: &[u8]) -> (i64, Option<String>, bool) {
    let rejected = parse::<Probe<'_>>(text, &Limits::default()).unwrap_err();
    assert_ne!(rejected.error.message(), "not a JSON-RPC message", "explained: {}", text.escape_ascii());
    (rejected.error.code(), rejected.id.map(|id| id.to_string()), rejected.reply)
}

fn words(text: &str) -> String {
    read(text).unwrap_err().error.message().to_owned()
}

const BAD: i64 = -32600;
const PARAMS: i64 = -32602;
const PARSE: i64 = -32700;

#[test]
fn a_request_is_borrowed() {
    let text = r#"{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","x":[{}],
        "params":{"name":"add","arguments":{"a":1.0, "b":18446744073709551616},"_meta":{"token":1,"version":"v"}}}"#;
    let Ok(Message::Request { id, method: Cow::Borrowed("tools/call"), params: Some(params) }) = read(text) else {
        panic!("a borrowed request")
    };
    assert_eq!(id, RequestId::Int(9_007_199_254_740_993));
    assert!(matches!(params.name, Some(Text(Cow::Borrowed("add")))));
    assert_eq!(params.arguments.unwrap().text(), r#"{"a":1.0, "b":18446744073709551616}"#);
    let meta = params.meta.unwrap();
    assert_eq!((meta.token.unwrap().get(), meta.version.as_deref()), ("1", Some("v")));
}

#[test]
fn w03_absent_empty_and_null_params() {
    let read = |params: &str| {
        let text = format!(r#"{{"jsonrpc":"2.0","method":"notifications/initialized"{params}}}"#);
        match parse::<Probe<'_>>(text.as_bytes(), &Limits::default()) {
            Ok(Message::Notification { params, .. }) => params.is_some(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!([read(""), read(r#","params":{}"#), read(r#","params":null"#)], [false, true, false]);
}

#[test]
fn w04_unknown_notifications_are_messages() {
    let text = r#"{"jsonrpc":"2.0","method":"notifications/vendor_x","params":{"a":1}}"#;
    assert!(matches!(read(text), Ok(Message::Notification { method, .. }) if method == "notifications/vendor_x"));
}

#[test]
fn w06_w08_n43_ids_come_through() {
    for id in [r#""init-é-1""#, r#""0""#, r#""""#, "-1", "18446744073709551615", "4294967297"] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        assert!(matches!(read(&text), Ok(Message::Request { id: found, .. }) if found.to_string() == id), "{id}");
    }
    for id in ["null", "1.0", "1.5", "1e3", "true", "[1]", "{}", "18446744073709551616"] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        assert_eq!(refusal(text.as_bytes()), (BAD, None, true), "{id}");
    }
}

#[test]
fn security_17_a_long_id_is_not_echoed() {
    let text = format!(r#"{{"jsonrpc":"2.0","id":"{}","method":"ping"}}"#, "x".repeat(256 << 10));
    let rejected = read(&text).unwrap_err();
    assert_eq!((rejected.error.code(), rejected.error.fact("limit")), (BAD, Some("token_bytes")));
    assert!(rejected.id.is_none() && rejected.error.message().len() < 100);
}

#[test]
fn x01_security_50_one_reading_only() {
    let call = |members: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list",{members}}}"#);
    for harmless in [
        r#""Method":"tools/call","params":{"name":"rm"}"#,
        r#""method\u0000":"tools/call""#,
        r#""param\u017f":{"name":"rm"},"params":{}"#,
        r#""params":{"name":"safe","NAME":"rm"}"#,
    ] {
        assert!(matches!(read(&call(harmless)), Ok(Message::Request { method, .. }) if method == "tools/list"));
    }
    let id = || Some("1".to_owned());
    for twice in [r#""method":"x""#, r#""m\u0065thod":"x""#, r#""jsonrpc":"2.0""#, r#""params":null,"params":{}"#] {
        assert_eq!(refusal(call(twice).as_bytes()), (BAD, id(), true), "{twice}");
    }
    assert_eq!(refusal(call(r#""id":2"#).as_bytes()), (BAD, None, true), "no telling which id to answer");
    assert_eq!(refusal(call(r#""params":{"name":"a","name":"b"}"#).as_bytes()), (PARAMS, id(), true));
    assert_eq!(refusal(call(r#""params":{"name":1,"arguments":{"t":"\ud800"}}"#).as_bytes()), (BAD, id(), true));
    assert_eq!(refusal(call(r#""params":{"arguments":{"n":NaN}}"#).as_bytes()), (PARSE, None, true));
}

#[test]
fn the_version_is_exact() {
    for version in [r#""jsonrpc":"1.0","#, r#""jsonrpc":2.0,"#, r#""JSONRPC":"2.0","#, ""] {
        let text = format!(r#"{{{version}"id":1,"method":"ping"}}"#);
        assert_eq!(refusal(text.as_bytes()), (BAD, Some("1".into()), true), "{version}");
    }
}

#[test]
fn w26_wrong_params_are_named() {
    let call = |params: &str| format!(r#"{{"jsonrpc":"2.0","id":"a","method":"m","params":{params}}}"#);
    for params in
        ["[]", r#"["a"]"#, "5", r#""x""#, "true", r#"{"name":5}"#, r#"{"arguments":[]}"#, r#"{"_meta":["a"]}"#]
    {
        assert_eq!(refusal(call(params).as_bytes()), (PARAMS, Some("\"a\"".into()), true), "{params}");
    }
    assert_eq!(words(&call("[1]")), "`params` must be an object");
    assert_eq!(words(&call(r#"{"x":1,"name":5}"#)), "`params.name`: invalid type: integer `5`, expected a string");
    assert_eq!(
        words(&call("{\n\"_meta\":{ \"token\":1,\n\"version\": true } }")),
        "`params._meta.version`: invalid type: boolean `true`, expected a string"
    );
    assert_eq!(words(&call(r#"{"name":"a","name":"b"}"#)), "`params`: duplicate field `name`");
    let rejected = read(r#"{"jsonrpc":"2.0","id":1,"method":"nope","params":[]}"#).err().unwrap();
    assert_eq!(rejected.method.as_deref(), Some("nope"), "so that its reader may say: no such method");
}

#[test]
fn security_17_refusals_do_not_echo_at_length() {
    let long = "é".repeat(100_000);
    let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"arguments":1,"_meta":"{long}"}}}}"#);
    assert!(words(&text).len() <= WORDS + 3);
    let text = format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"message":"","code":"{long}"}}}}"#);
    let words = words(&text);
    assert!(words.starts_with("`error.code`: invalid type: string \"éé") && words.ends_with("é…"), "{words}");
}

#[test]
fn w26_a_missing_member_is_named() {
    #[derive(Debug, serde::Deserialize)]
    #[expect(dead_code, reason = "only read by serde")]
    struct Inner {
        must: i64,
    }
    #[derive(Debug, serde::Deserialize)]
    #[expect(dead_code, reason = "only read by serde")]
    struct Outer {
        inner: Inner,
    }
    let words = |params: &str| {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{params}}}"#);
        parse::<Outer>(text.as_bytes(), &Limits::default()).unwrap_err().error.message().to_owned()
    };
    assert_eq!(words("{}"), "`params`: missing field `inner`");
    assert_eq!(words(r#"{"inner":{"x":1}}"#), "`params.inner`: missing field `must`");
}

#[test]
fn w27_notifications_are_never_answered() {
    for text in [
        r#"{"jsonrpc":"2.0","method":"initialized","params":[]}"#,
        r#"{"jsonrpc":"2.0","method":"n","params":{"name":1}}"#,
        r#"{"method":"n"}"#,
        r#"{"jsonrpc":"2.0","method":"n","method":"m"}"#,
    ] {
        assert!(!refusal(text.as_bytes()).2, "{text}");
    }
}

#[test]
fn responses() {
    let ok = r#"{"jsonrpc":"2.0","id":"q","result":{"n":1.00}}"#;
    assert!(matches!(read(ok), Ok(Message::Response { outcome: Ok(raw), .. }) if raw.get() == r#"{"n":1.00}"#));
    let failed = r#"{"error":{"code":-32001,"message":"no\n","data":[1.0],"x":1},"id":3,"jsonrpc":"2.0"}"#;
    let Ok(Message::Response { id, outcome: Err(error) }) = read(failed) else { panic!("an error response") };
    assert_eq!((id, error.code, &*error.message), (RequestId::Int(3), -32001, "no\n"));
    let error = Error::from(error);
    assert_eq!((error.kind(), error.code(), error.message()), (ErrorKind::Remote, -32001, "no\n"));
    assert_eq!(error.data().unwrap().get(), "[1.0]");
    for id in [r#""id":null,"#, ""] {
        let text = format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":-32700,"message":""}}}}"#);
        assert!(matches!(read(&text), Ok(Message::Orphan { .. })), "{id}");
    }
}

#[test]
fn w02_broken_responses_are_never_answered() {
    for (text, id) in [
        (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}"#, Some("1")),
        (r#"{"jsonrpc":"2.0","id":1,"result":{},"result":{}}"#, Some("1")),
        (r#"{"jsonrpc":"2.0","id":1,"result":{},"params":{}}"#, Some("1")),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":"EBAD","message":""}}"#, Some("1")),
        (r#"{"jsonrpc":"2.0","id":1,"error":[1,"x"]}"#, Some("1")),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1}}"#, Some("1")),
        (r#"{"jsonrpc":"2.0","id":1.5,"error":{"code":1,"message":""}}"#, None),
        (r#"{"jsonrpc":"2.0","id":null,"result":{}}"#, None),
        (r#"{"jsonrpc":"2.0","result":{}}"#, None),
        (r#"{"id":1,"result":{}}"#, Some("1")),
    ] {
        assert_eq!(refusal(text.as_bytes()), (BAD, id.map(str::to_owned), false), "{text}");
    }
    let text = r#"{"jsonrpc":"2.0","id":1,"error":{"message":"","code":"EBAD"}}"#;
    assert_eq!(words(text), "`error.code`: invalid type: string \"EBAD\", expected i64");
}

#[test]
fn w22_noise_is_told_from_messages() {
    for (text, code) in [
        ("Server starting...", PARSE),
        ("", PARSE),
        (r#"{"jsonrpc":"2.0""#, PARSE),
        (r#"{"jsonrpc":"2.0","method":"x"} x"#, PARSE),
        (r#"{"level":"info","msg":"x"}"#, BAD),
        ("[]", BAD),
        ("[1]", BAD),
        ("5", BAD),
        (r#"{"jsonrpc":"2.0","method":5}"#, BAD),
    ] {
        assert_eq!(refusal(text.as_bytes()), (code, None, true), "{text}");
    }
    assert_eq!(refusal(br#"{"jsonrpc":"2.0","id":4}"#), (BAD, Some("4".into()), true));
    assert_eq!(refusal(br#"{"jsonrpc":"2.0","id":4,"method":"m","result":{}}"#), (BAD, Some("4".into()), true));
}

#[test]
fn w01_only_utf8_is_read() {
    assert_eq!(refusal(b"\xFF\xFE"), (PARSE, None, true));
    let skipped = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"x\":\"\xFF\"}";
    assert_eq!(refusal(skipped), (PARSE, None, true), "also where the parse only skips");
    assert!(read("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}").is_ok());
}

#[test]
fn w18_separators_inside_strings_are_text() {
    let text = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"name\":\"a\u{2028}b\u{2029}c\u{85}d\"}}";
    let Ok(Message::Request { params: Some(params), .. }) = read(text) else { panic!("a request") };
    assert_eq!(params.name.as_deref(), Some("a\u{2028}b\u{2029}c\u{85}d"));
}

#[test]
fn security_16_nesting_is_bounded_everywhere() {
    assert_eq!(refusal("[".repeat(100_000).as_bytes()), (BAD, None, true));
    let nested = |depth: usize| {
        let (open, shut) = ("[".repeat(depth), "]".repeat(depth));
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"arguments":{{"a":{open}{shut}}}}}}}"#)
    };
    assert!(read(&nested(125)).is_ok());
    let text = nested(126);
    let rejected = read(&text).unwrap_err();
    assert_eq!((rejected.error.code(), rejected.error.fact("limit")), (BAD, Some("json_depth")));
    assert_eq!(rejected.id, Some(RequestId::Int(1)));
    assert_eq!(refusal(nested(100_000).as_bytes()), (BAD, Some("1".into()), true));
    let huge = r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"arguments":{"n":1e400}}}"#;
    assert!(read(huge).is_ok(), "numbers stay text");
}

#[test]
fn batches() {
    assert!(is_batch(b"\xEF\xBB\xBF \n[1]") && !is_batch(b"{\"a\":[]}") && !is_batch(b""));
    let batch = split_batch(br#" [ {"a":[1, 2]}, 5 ] "#).unwrap();
    assert_eq!(batch.iter().map(|raw| raw.get()).collect::<Vec<_>>(), [r#"{"a":[1, 2]}"#, "5"]);
    for (text, code) in [("[]", BAD), ("{}", BAD), ("[1", PARSE), ("[1] x", PARSE)] {
        assert_eq!(split_batch(text.as_bytes()).unwrap_err().code(), code, "{text}");
    }
    assert_eq!(split_batch(b"[\"\xFF\"]").unwrap_err().code(), PARSE);
    assert_eq!(split_batch("[".repeat(100_000).as_bytes()).unwrap_err().code(), PARSE);
}

fn ids() -> impl Strategy<Value = RequestId> {
    prop_oneof![
        (i64::MIN as i128..=u64::MAX as i128).prop_map(RequestId::Int),
        "(?s).{0,20}".prop_map(|text| RequestId::Str(text.into())),
    ]
}

proptest! {
    #[test]
    fn what_is_written_is_read(id in ids(), method in "(?s).{0,20}", name in "(?s).{0,20}", code in any::<i64>()) {
        let limits = Limits::default();
        let mut params = vec![b'{'];
        write::member_string(&mut params, "name", &name);
        write::close(&mut params);

        let mut out = Vec::new();
        write::request(&mut out, &id, &method, Some(&params));
        let Ok(Message::Request { id: found, method: read, params: Some(probe) }) = parse::<Probe<'_>>(&out, &limits)
            else { return Err(TestCaseError::fail("a request")) };
        prop_assert_eq!((found, &*read, probe.name.as_deref()), (id.clone(), &*method, Some(&*name)));

        out.clear();
        write::notification(&mut out, &method, None);
        let Ok(Message::Notification { method: read, params: None }) = parse::<Probe<'_>>(&out, &limits)
            else { return Err(TestCaseError::fail("a notification")) };
        prop_assert_eq!(&*read, &*method);

        out.clear();
        write::result(&mut out, &id, |out| out.extend_from_slice(&params));
        let Ok(Message::Response { id: found, outcome: Ok(raw) }) = parse::<Probe<'_>>(&out, &limits)
            else { return Err(TestCaseError::fail("a result")) };
        prop_assert_eq!((found, raw.get().as_bytes()), (id.clone(), &*params));

        out.clear();
        write::error(&mut out, Some(&id), &Error::internal(name.as_str()).with_code(code));
        let Ok(Message::Response { id: found, outcome: Err(error) }) = parse::<Probe<'_>>(&out, &limits)
            else { return Err(TestCaseError::fail("an error")) };
        prop_assert_eq!((found, error.code, &*error.message), (id, code, &*name));
    }

    #[test]
    fn every_refusal_is_explained(
        parts in prop::collection::vec(prop::sample::select(vec![
            r#""jsonrpc":"2.0""#, r#""id":1"#, r#""id":null"#, r#""id":1.5"#, r#""method":"m""#, r#""method":1"#,
            r#""params":{}"#, r#""params":[]"#, r#""params":null"#, r#""params":{"name":1}"#, r#""result":{}"#,
            r#""error":{"code":1,"message":"m"}"#, r#""error":{}"#, r#""x":1"#,
        ]), 0..6),
        version in any::<bool>(),
    ) {
        let head = if version { r#""jsonrpc":"2.0""# } else { r#""y":2"# };
        let text = format!("{{{head}{}{}}}", if parts.is_empty() { "" } else { "," }, parts.join(","));
        if let Err(rejected) = read(&text) {
            prop_assert_ne!(rejected.error.message(), "not a JSON-RPC message", "{}", text);
            let answers = text.contains("\"result\"") || text.contains("\"error\"");
            prop_assert!(!(rejected.reply && answers && !text.contains("\"method\"")));
        }
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..60), text in "[\\[\\]{}\",:0-9a-z\\\\ud]{0,60}") {
        for text in [&bytes[..], text.as_bytes()] {
            let _ = (parse::<Probe<'_>>(text, &Limits::default()), split_batch(text), is_batch(text));
        }
    }
}
