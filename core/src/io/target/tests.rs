use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::error::ErrorKind;
use crate::io::http_options::ProxyChoice;

fn variables() -> Variables {
    [("KEY", "s3cr3t"), ("DIR", "/srv/ä b"), ("EMPTY", ""), ("NESTED", "${KEY}"), ("PATH", "/bin")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into()
}

fn parse(entry: serde_json::Value) -> Result<Target, String> {
    Target::from_entry("demo", &entry.to_string(), &variables()).map_err(|error| {
        assert_eq!(error.kind(), ErrorKind::Definition);
        error.to_string()
    })
}

fn command(entry: serde_json::Value) -> ChildSpec {
    match parse(entry).unwrap() {
        Target::Command(spec) => spec,
        other => panic!("{other:?}"),
    }
}

#[test]
fn c07_a_command_keeps_every_character_and_takes_variables() {
    let spec = command(json!({
        "command": "${DIR}/run", "args": ["; touch x", "$(x)", "a\nb", "${env:KEY}", "${NESTED}", "${EMPTY:-no}", "${open", "$KEY"],
        "env": {"PATH": "/opt:${PATH}", "TEXT": "ä\nb", "PORT": 80, "GONE": null}, "cwd": "${DIR}", "timeout": 5, "disabled": false,
    }));
    let args = ["/srv/ä b/run", "; touch x", "$(x)", "a\nb", "s3cr3t", "${KEY}", "no", "${open", "$KEY"];
    assert_eq!(spec.argv, args, "security 36: no shell, and nothing is expanded twice");
    let env = [("PATH", "/opt:/bin"), ("PORT", "80"), ("TEXT", "ä\nb")];
    let mut given: Vec<_> = spec.env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    given.sort_unstable();
    assert_eq!(given, env);
    assert_eq!(spec.cwd.unwrap().to_str(), Some("/srv/ä b"));
}

proptest! {
    #[test]
    fn whatever_is_written_ends_in_a_target_or_a_reason(text in r#"(\$|\{|\}|:-|env:|KEY|NONE|a| ){0,12}"#) {
        let entry = json!({"command": text});
        match parse(entry) {
            Ok(Target::Command(spec)) if !text.contains("${") => prop_assert_eq!(&spec.argv[0], &text),
            Ok(_) => {}
            Err(error) => prop_assert!(error.contains("`command`"), "{}", error),
        }
    }
}

#[test]
fn urls_come_with_headers_and_under_many_names() {
    for kind in ["http", "streamable-http", "streamableHttp", "streamable_http", "sse"] {
        for member in ["type", "transport"] {
            let entry =
                json!({"url": "https://x/${KEY}", "headers": {"Authorization": "Bearer ${KEY}"}, (member): kind});
            let Target::Url { url, http } = parse(entry).unwrap() else { panic!("{kind}") };
            assert_eq!(
                (url.as_str(), &http.headers["authorization"]),
                ("https://x/s3cr3t", &"Bearer s3cr3t".parse().unwrap())
            );
        }
    }
    assert!(matches!(parse(json!({"url": "https://x"})), Ok(Target::Url { .. })));
    assert!(matches!(parse(json!({"url": "https://x", "command": "c", "type": "stdio"})), Ok(Target::Command(_))));
}

#[test]
fn what_is_wrong_names_the_server_and_the_member_and_no_value() {
    for (entry, needle) in [
        (json!([]), "must be an object"),
        (json!({}), "neither `command` nor `url`"),
        (json!({"command": "c", "url": "u"}), "both"),
        (json!({"command": ["c", "s3cr3t"]}), "`command`"),
        (json!({"command": "c", "args": "s3cr3t"}), "`args`"),
        (json!({"command": "c", "args": ["a", 7]}), "`args[1]`"),
        (json!({"command": "c", "env": ["s3cr3t"]}), "`env`"),
        (json!({"command": "c", "env": {"A": []}}), "`env.A`"),
        (json!({"command": "c", "args": ["s3cr3t ${NONE}"]}), "`args[0]` needs the variable `NONE`"),
        (json!({"command": "c", "env": {"A": "${input:key}"}}), "`env.A` has `${input:key}`"),
        (json!({"command": "c", "disabled": true}), "disabled"),
        (json!({"url": "u", "type": "carrier pigeon"}), "carrier pigeon"),
        (json!({"url": "u", "type": "stdio"}), "`command`"),
        (json!({"command": "c", "transport": "sse"}), "`url`"),
        (json!({"url": "u", "headers": {"A": "s3cr3t\n"}}), "`headers.A`"),
    ] {
        let error = parse(entry).unwrap_err();
        assert!(error.contains("`demo`") && error.contains(needle), "{error}");
        assert!(!error.contains("s3cr3t"), "Y28: {error}");
    }
}

#[test]
fn a_file_has_its_servers_under_either_name() {
    let entry = json!({"command": "c"});
    for file in [json!({"mcpServers": {"a": entry, "b": 7}}), json!({"servers": {"a": entry}, "inputs": []})] {
        let text = format!("\u{feff}{file}");
        assert!(matches!(Target::from_file(&text, Some("a"), &variables()), Ok(Target::Command(_))));
    }
    let one = json!({"mcpServers": {"only": entry}}).to_string();
    assert!(matches!(Target::from_file(&one, None, &variables()), Ok(Target::Command(_))));
    let two = json!({"mcpServers": {"a": entry, "b": entry}}).to_string();
    for (text, name, needle) in [
        (&*two, None, "a name is needed; the file has `a`, `b`"),
        (&*two, Some("c"), "no server `c`; the file has `a`, `b`"),
        (r#"{"mcpServers":{}}"#, None, "none"),
        ("{}", None, "mcpServers"),
        ("nonsense", None, "no JSON"),
    ] {
        let error = Target::from_file(text, name, &variables()).unwrap_err().to_string();
        assert!(error.contains(needle), "{error}");
    }
}

#[test]
fn y28_what_is_logged_of_a_target_has_no_secret() {
    let secret = json!({"command": "run", "args": ["s3cr3t"], "env": {"A": "s3cr3t"}});
    let url = json!({"url": "https://u:s3cr3t@host/mcp?key=s3cr3t", "headers": {"A": "s3cr3t"}});
    for (entry, needle) in [(secret, "run"), (url, "https://host/mcp")] {
        let text = format!("{:?}", parse(entry).unwrap());
        assert!(text.contains(needle) && !text.contains("s3cr3t"), "{text}");
    }
}

#[test]
fn what_a_language_gives_is_taken_as_it_is() {
    let Target::Command(spec) =
        Target::parse(r#"{"command":["echo","${NOBODY_SETS_THIS}"],"env":{"A":"${B}"},"cwd":"/"}"#).unwrap()
    else {
        panic!("a command")
    };
    assert_eq!((spec.argv[1].as_str(), spec.env[0].1.as_str()), ("${NOBODY_SETS_THIS}", "${B}"));
    let text =
        r#"{"entry":{"url":"http://h/mcp","headers":{"a":"1","b":"2"}},"http":{"headers":{"b":"3"},"proxy":"off"}}"#;
    let Target::Url { http, .. } = Target::parse(text).unwrap() else { panic!("a URL") };
    assert_eq!((&http.headers["a"], &http.headers["b"]), (&"1".parse().unwrap(), &"3".parse().unwrap()));
    assert_eq!(http.proxy, ProxyChoice::Off);
    for (text, word) in [
        ("{}", "`url`"),
        (r#"{"url":"http://h","command":[]}"#, "one of"),
        (r#"{"entry":{"command":"${NOBODY_SETS_THIS}"}}"#, "NOBODY_SETS_THIS"),
        (r#"{"file":"{\"mcpServers\":{\"a\":{\"command\":\"x\"}}}","name":"b"}"#, "`b`"),
    ] {
        let error = Target::parse(text).unwrap_err().to_string();
        assert!(error.contains(word), "{text}: {error}");
    }
}
