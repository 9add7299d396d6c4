use super::*;

fn map(schema: &str) -> HeaderMap {
    HeaderMap::from_schema(schema).unwrap_or_else(|error| panic!("{schema}: {error}"))
}

fn one(kind: &str, name: &str) -> String {
    format!(r#"{{"type":"object","properties":{{"p":{{"type":{kind},"x-mcp-header":{name}}}}}}}"#)
}

#[test]
fn finds_annotations_on_nested_properties() {
    let map = map(r#"{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},
        "o":{"type":"object","properties":{"n":{"type":["integer","null"],"x-mcp-header":"N"}}}}}"#);
    let found: Vec<_> = map.entries().iter().map(|e| (&*e.header, &*e.key, e.path.join("/"), e.kind)).collect();
    assert_eq!(
        found,
        [
            ("Mcp-Param-N", "mcp-param-n", "o/n".to_owned(), ParamType::Integer),
            ("Mcp-Param-Region", "mcp-param-region", "region".to_owned(), ParamType::String),
        ]
    );
    assert!(self::map(r#"{"properties":{"x-mcp-header":{"type":"string"}},"default":{"x-mcp-header":1}}"#).is_empty());
}

#[test]
fn refuses_names_that_are_no_header_names() {
    for name in [r#""""#, r#""a b""#, r#""a:b""#, r#""é""#, r#""a\r\nb""#, r#""a\u0000""#, "7", "null"] {
        let error = HeaderMap::from_schema(&one("\"string\"", name)).unwrap_err();
        assert!(error.message().contains("/properties/p"), "{error}");
    }
}

#[test]
fn refuses_types_that_have_no_text() {
    for kind in ["\"number\"", "\"object\"", "\"array\"", "\"null\"", r#"["string","integer"]"#, r#"["null"]"#] {
        assert!(HeaderMap::from_schema(&one(kind, "\"P\"")).is_err(), "{kind}");
    }
    assert!(HeaderMap::from_schema(r#"{"properties":{"p":{"x-mcp-header":"P"}}}"#).is_err());
}

#[test]
fn refuses_one_name_in_two_cases() {
    let twice =
        r#"{"properties":{"a":{"type":"string","x-mcp-header":"Name"},"b":{"type":"string","x-mcp-header":"nAME"}}}"#;
    assert!(HeaderMap::from_schema(twice).is_err());
}

#[test]
fn refuses_annotations_that_properties_alone_do_not_reach() {
    let annotated = r#"{"type":"string","x-mcp-header":"P"}"#;
    for schema in [
        format!(r#"{{"items":{annotated}}}"#),
        format!(r#"{{"anyOf":[{{"properties":{{"p":{annotated}}}}}]}}"#),
        format!(r#"{{"properties":{{"a":{{"items":{{"properties":{{"p":{annotated}}}}}}}}}}}"#),
        format!(r##"{{"properties":{{"a":{{"$ref":"#/$defs/p"}}}},"$defs":{{"p":{annotated}}}}}"##),
        format!(r#"{{"if":{annotated}}}"#),
        format!(r#"{{"additionalProperties":{annotated}}}"#),
        format!(r#"{{"unknown-keyword":{{"deep":{annotated}}}}}"#),
        annotated.to_owned(),
        annotated.replace("x-mcp", r"x\u002dmcp"),
    ] {
        assert!(HeaderMap::from_schema(&schema).is_err(), "{schema}");
    }
}

#[test]
fn extracts_the_value_at_the_exact_path() {
    let map =
        map(r#"{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"boolean","x-mcp-header":"B"},
        "c":{"properties":{"n":{"type":"integer","x-mcp-header":"N"}}}}}"#);
    let get = |text: &str| map.extract(text).unwrap().into_iter().map(Option::unwrap_or_default).collect::<Vec<_>>();
    assert_eq!(get(r#"{"n":9,"a":"\u00e9\n","b":true,"c":{"x":[{"n":1}],"n":-7}}"#), ["é\n", "true", "-7"]);
    assert_eq!(get(r#"{"a":null,"c":{"n":42.0}}"#), ["", "", "42"]);
    assert_eq!(get(r#"{"\u0061":"x","c":3}"#), ["x", "", ""]);
    assert_eq!(map.extract("").unwrap(), [None, None, None]);
    assert_eq!(map.extract("{}").unwrap(), [None, None, None]);
    for wrong in [
        r#"{"a":1}"#,
        r#"{"b":"true"}"#,
        r#"{"c":{"n":1.5}}"#,
        r#"{"c":{"n":9007199254740992}}"#,
        r#"{"a":"x","a":"y"}"#,
        "[",
    ] {
        assert!(map.extract(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn compares_integers_by_number() {
    let map = map(&one("\"integer\"", "\"P\""));
    let param = &map.entries()[0];
    for same in ["42", "42.0", "4.2e1"] {
        assert!(param.matches(same, "42"));
    }
    for other in ["43", "42.5", "+42", "", "x", "0x2a", "9007199254740993"] {
        assert!(!param.matches(other, "42"));
    }
    let map = self::map(&one("\"boolean\"", "\"P\""));
    assert!(map.entries()[0].matches("true", "true") && !map.entries()[0].matches("True", "true"));
}
