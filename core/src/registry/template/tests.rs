use proptest::prelude::*;

use super::*;

fn template(text: &str) -> Template {
    Template::parse(text).unwrap_or_else(|error| panic!("{error}"))
}

fn list(items: &[&str]) -> Value {
    Value::List(items.iter().map(|item| (*item).to_owned()).collect())
}

/// Values as `name=value`, a list as `name=[a|b]`, or `-` when the URI does not match.
fn matched(text: &str, uri: &str) -> String {
    let template = template(text);
    let Some(values) = template.match_uri(uri) else { return "-".into() };
    let written = values.iter().map(|(name, value)| match value {
        Value::Text(text) => format!("{name}={text}"),
        Value::List(items) => format!("{name}=[{}]", items.join("|")),
    });
    written.collect::<Vec<_>>().join(" ")
}

#[test]
fn expands_the_examples_of_the_rfc() {
    let values = [
        ("var", Value::from("value")),
        ("hello", "Hello World!".into()),
        ("path", "/foo/bar".into()),
        ("empty", "".into()),
        ("x", "1024".into()),
        ("y", "768".into()),
        ("half", "50%".into()),
        ("list", list(&["red", "green", "blue"])),
        ("none", list(&[])),
    ];
    for (text, uri) in [
        ("{var}", "value"),
        ("{hello}", "Hello%20World%21"),
        ("{half}", "50%25"),
        ("O{empty}X", "OX"),
        ("O{undef}X{none}", "OX"),
        ("{x,y}", "1024,768"),
        ("?{x,empty}", "?1024,"),
        ("?{x,undef}", "?1024"),
        ("{var:3}{var:30}", "valvalue"),
        ("{list}", "red,green,blue"),
        ("{list*}", "red,green,blue"),
        ("{+hello}", "Hello%20World!"),
        ("{+half}", "50%25"),
        ("{+path}/here", "/foo/bar/here"),
        ("{+x,hello,y}", "1024,Hello%20World!,768"),
        ("{#path,x}here", "#/foo/bar,1024here"),
        ("{#list*}", "#red,green,blue"),
        ("X{.x,y}", "X.1024.768"),
        ("X{.list}", "X.red,green,blue"),
        ("X{.list*}", "X.red.green.blue"),
        ("X{.empty}", "X."),
        ("{/var:1,var}", "/v/value"),
        ("{/list}", "/red,green,blue"),
        ("{/list*}", "/red/green/blue"),
        ("{;x,y,empty}", ";x=1024;y=768;empty"),
        ("{;x,y,undef}", ";x=1024;y=768"),
        ("{;list*}", ";list=red;list=green;list=blue"),
        ("{?x,y,empty}", "?x=1024&y=768&empty="),
        ("{?var:3}", "?var=val"),
        ("{?list}", "?list=red,green,blue"),
        ("{?list*}", "?list=red&list=green&list=blue"),
        ("?fixed=yes{&x,undef}", "?fixed=yes&x=1024"),
    ] {
        assert_eq!(template(text).expand(&values), uri, "{text}");
    }
}

#[test]
fn t01_a_simple_variable_is_one_segment() {
    let docs = "file://docs/{name}";
    assert_eq!(matched(docs, "file://docs/a.txt"), "name=a.txt");
    for refused in [
        "file://docs/a/b",
        "file://docs/a%2Fb",
        "file://docs/..%2F..%2Fetc%2Fpasswd",
        "file://docs/..",
        "file://docs/%2e%2e",
        "file://docs/.",
        "file://docs/a%5Cb",
        "file://docs/a%00",
        "file://docs/%2Fetc",
        "file://docs/C:",
        "file://docs/",
        "file://docs/%FF",
        "file://docs/%zz",
    ] {
        assert_eq!(matched(docs, refused), "-", "{refused}");
    }
    assert_eq!(matched(docs, "file://docs/Paris,%20France"), "name=Paris, France");
}

#[test]
fn t01_paths_hold_slashes_and_stay_inside() {
    assert_eq!(matched("file://docs/{+path}", "file://docs/a/b%20c/d"), "path=a/b c/d");
    assert_eq!(matched("file://docs/{path*}", "file://docs/a/b"), "path=[a/b]");
    assert_eq!(matched("file://docs{/path*}", "file://docs/a/b"), "path=[a|b]");
    assert_eq!(matched("file://docs{/path*}", "file://docs"), "");
    for text in ["file://docs/{+path}", "file://docs/{path*}", "file://docs{/path*}"] {
        for uri in [
            "../x",
            "a/../b",
            "a/%2e%2E/b",
            "a/..%2fb",
            "a/..",
            "/etc",
            "%2Fetc/x",
            "a%5C..%5Cb",
            "a%00b",
            "C:/x",
            "a/b%0A",
        ] {
            assert_eq!(matched(text, &format!("file://docs/{uri}")), "-", "{text} {uri}");
        }
    }
    assert_eq!(matched("file://docs{/path*}", "file://docs/a%2Fb"), "-");
}

#[test]
fn n64_a_variable_may_opt_out() {
    let template = template("x://{name}/{+path}").allow_unsafe(["path"]).unwrap();
    let values = template.match_uri("x://n//etc/../a").unwrap();
    assert_eq!(values, [("name", "n".into()), ("path", "/etc/../a".into())]);
    assert!(template.match_uri("x://../a").is_none());
    let error = template.allow_unsafe(["other"]).unwrap_err();
    assert!(error.message().contains("other"));
}

#[test]
fn t03_compares_literals_after_normalising() {
    for uri in ["file:///docs/caf%C3%A9/x", "file:///docs/caf%c3%a9/x", "file:///docs/café/x", "file:///%64ocs/café/x"]
    {
        assert_eq!(matched("file:///docs/café/{n}", uri), "n=x");
        assert_eq!(matched("file:///docs/caf%c3%a9/{n}", uri), "n=x");
    }
    assert_eq!(matched("x://a b/{n}", "x://a%20b/%C3%BC"), "n=ü");
    assert_eq!(matched("weather://a.b/{c}", "weather://a.b/p"), "c=p");
    assert_eq!(matched("weather://a.b/{c}", "weather://aXb/p"), "-");
    assert_eq!(matched("x://{customer-id}", "x://7"), "customer-id=7");
}

#[test]
fn t03_refuses_malformed_templates_with_the_place() {
    for text in [
        "x://{unclosed",
        "x://a}b",
        "x://{}",
        "{a{b}}",
        "{=a}",
        "{a:0}",
        "{a:10000}",
        "{a:x}",
        "{a b}",
        "{a,}",
        "{a*:3}",
        "{a..b}",
        "%zz",
        "a\n",
    ] {
        let error = Template::parse(text).unwrap_err();
        assert!(error.message().contains("at byte"), "{error}");
    }
    assert_eq!(template("x://{a.b}{?q*,a.b}/{%41}").variables().collect::<Vec<_>>(), ["a.b", "q", "%41"]);
}

#[test]
fn t05_matches_long_uris_in_linear_time() {
    let long = "/a".repeat(50_000);
    let Some(found) = template("{/id*}").match_uri(&long).map(|values| values[0].1.clone()) else { panic!() };
    assert!(matches!(found, Value::List(items) if items.len() == 50_000));
    assert_eq!(matched("{a,b,c}{/x*}", &long), "-");
    assert_eq!(matched("{+a}{+b}{+c}{/x*}{/y*}!", &long), "-");
    assert!(template("x{?q*}").match_uri(&format!("x?q={}", "a&q=".repeat(50_000))).is_some());
}

#[test]
fn n49_a_line_break_never_matches() {
    for uri in ["x://a\n", "x://a%0A", "x://a\r\n", "x://\0a"] {
        assert_eq!(matched("x://{n}", uri), "-");
    }
    assert_eq!(matched("x://a", "x://a\n"), "-");
}

#[test]
fn shares_a_uri_between_expressions_by_fixed_rules() {
    assert_eq!(matched("{+dir}/{name}", "a/b/c"), "dir=a/b name=c");
    assert_eq!(matched("{name}.{ext}", "x.tar.gz"), "name=x.tar ext=gz");
    assert_eq!(matched("{a,b}", "x,y,z"), "a=x b=y,z");
    assert_eq!(matched("{a,b}", "x"), "a=x");
    assert_eq!(matched("m{.a,b}", "m.x.y"), "a=x b=y");
    assert_eq!(matched("r{/a,b}", "r/x/y"), "a=x b=y");
    assert_eq!(matched("r{/a,b}", "r/x/y/z"), "-");
    assert_eq!(matched("r{/a}{/b}", "r/x"), "a=x");
    assert_eq!(matched("{a:3}{b}", "abcdef"), "a=abc b=def");
    assert_eq!(matched("{a}{b}", "%C3%A9%C3%A9x"), "a=éé b=x");
    assert_eq!(matched("{/v:1,v}", "/a/abc"), "v=abc");
    assert_eq!(matched("{/v:1,v}", "/b/abc"), "-");
    assert_eq!(matched("{a}/{a}", "x/x"), "a=x");
    assert_eq!(matched("{a}/{a}", "x/y"), "-");
    assert_eq!(matched("{+path}{?page}", "a/b?page=2"), "path=a/b page=2");
    assert_eq!(matched("{a}{;b}", "x;b=1"), "a=x b=1");
    assert_eq!(matched("x{#part}", "x#a/b?c"), "part=a/b?c");
}

#[test]
fn reads_parameters_by_name() {
    assert_eq!(matched("s://q{?a,b}", "s://q?b=2&a=1"), "a=1 b=2");
    assert_eq!(matched("s://q{?a,b}", "s://q?b=2"), "b=2");
    assert_eq!(matched("s://q{?a,b}", "s://q"), "");
    assert_eq!(matched("s://q{?a}", "s://q?a="), "a=");
    assert_eq!(matched("s://q{?a}", "s://q?a=x%26b%3D1"), "a=x&b=1");
    assert_eq!(matched("s://q{?a*}", "s://q?a=1&a=2"), "a=[1|2]");
    assert_eq!(matched("s://q{?a}{&b}", "s://q?a=1&b=2"), "a=1 b=2");
    assert_eq!(matched("s://q{?a}&fixed=1{&b}", "s://q?a=1&fixed=1&b=2"), "a=1 b=2");
    assert_eq!(matched("s://q{;a,b}/x", "s://q;b;a=1/x"), "a=1 b=");
    for refused in ["s://q?", "s://q?c=1", "s://q?a=1&a=2", "s://q?a=1&c=2", "s://q?a=1#f", "s://q?A=1"] {
        assert_eq!(matched("s://q{?a,b}", refused), "-", "{refused}");
    }
}

fn safe_text() -> impl Strategy<Value = String> {
    // Not "." and "..", nor what names a drive.
    "[a-zé~][a-z0-9 é!&=,+_~-]{0,7}".prop_map(|text| text.to_string())
}

proptest! {
    #[test]
    fn a_matched_uri_expands_to_itself(
        a in safe_text(), b in safe_text(), c in safe_text(), p in proptest::collection::vec(safe_text(), 1..4), q in safe_text(),
    ) {
        for text in [
            "x://{a}/{b}{?c,q}", "x://h{/p*}{?q}", "x://{a}{;b,c}{#q}", "x://{a,b,c}/z", "x://h{/a,b}/{+c}/e{?p*}", "é://h{?a}{&b}&f=1",
        ] {
            let template = template(text);
            let values = [("a", Value::Text(a.clone())), ("b", Value::Text(b.clone())), ("c", Value::Text(c.clone())),
                ("p", Value::List(p.clone())), ("q", Value::Text(q.clone()))];
            let uri = template.expand(&values);
            let Some(found) = template.match_uri(&uri) else { return Err(TestCaseError::fail(format!("{text} {uri}"))) };
            prop_assert_eq!(&template.expand(&found), &uri);
            for (name, value) in found {
                prop_assert!(values.iter().any(|(known, expected)| *known == name && *expected == value), "{} {}", name, uri);
            }
        }
    }

    #[test]
    fn anything_is_parsed_and_matched_without_a_panic(text in "[{}a*:+#./;?&,%0é-]{0,20}", uri in "[a/.;?&,=%0-9#é]{0,30}") {
        let Ok(template) = Template::parse(&text) else { return Ok(()) };
        for (_, value) in template.match_uri(&uri).into_iter().flatten() {
            if let Value::Text(text) = value {
                prop_assert!(!text.split('/').any(|segment| segment == ".."));
            }
        }
    }
}
