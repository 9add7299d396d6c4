use super::*;
use crate::error::ErrorKind;

fn refuse(text: &str) -> Error {
    check(text, &Limits::default()).unwrap_err()
}

fn accept(text: &str) -> Bounded {
    bounded(text, &Limits::default()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// `levels` definitions, each applying the next one twice.
fn bomb(levels: usize, keyword: &str) -> String {
    let defs = (0..levels).map(|n| {
        let next = format!(r##"{{"$ref":"#/$defs/d{}"}}"##, n + 1);
        format!(r#""d{n}":{{"{keyword}":[{next},{next}]}}"#)
    });
    let defs = defs.collect::<Vec<_>>().join(",");
    format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{defs},"d{levels}":{{"type":"string"}}}}}}"##)
}

#[test]
fn s13_refuses_exponential_references() {
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let error = refuse(&bomb(20, keyword));
        assert_eq!(error.fact("limit"), Some("schema_cost"), "{error}");
    }
    assert!(accept(&bomb(8, "anyOf")).cost > 500);
}

#[test]
fn s13_takes_a_large_enumeration_and_refuses_depth() {
    let options = (0..50_000).map(|n| format!("\"option{n}\"")).collect::<Vec<_>>().join(",");
    assert!(accept(&format!(r#"{{"enum":[{options}]}}"#)).cost < 10);
    let deep = format!("{}{{}}{}", r#"{"not":"#.repeat(5_000), "}".repeat(5_000));
    assert_eq!(refuse(&deep).fact("limit"), Some("schema_depth"));
    let chain = (0..5_000).map(|n| format!(r##""d{n}":{{"items":{{"$ref":"#/$defs/d{}"}}}}"##, n + 1));
    let chain = chain.collect::<Vec<_>>().join(",");
    let chain = format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{chain},"d5000":{{}}}}}}"##);
    assert_eq!(refuse(&chain).fact("limit"), Some("schema_depth"));
}

#[test]
fn refuses_more_bytes_than_the_limit() {
    let long = format!(r#"{{"description":"{}"}}"#, "x".repeat(1 << 20));
    assert_eq!(refuse(&long).fact("limit"), Some("schema_bytes"));
}

#[test]
fn allows_recursion_and_refuses_a_loop() {
    assert!(accept(r##"{"properties":{"next":{"$ref":"#"}}}"##).recursive);
    assert!(accept(r##"{"$dynamicAnchor":"node","items":{"$dynamicRef":"#node"}}"##).recursive);
    assert!(!accept(r##"{"$defs":{"a":{}},"items":{"$ref":"#/$defs/a"}}"##).recursive);
    for looped in [r##"{"$ref":"#"}"##, r##"{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"$ref":"#"}]}}}"##]
    {
        assert!(refuse(looped).message().contains("refers to itself"));
    }
}

#[test]
fn s04_refuses_references_that_lead_out() {
    for reference in
        ["http://127.0.0.1:1/s.json", "file:///etc/passwd", "other.json", "https://json-schema.org/draft-07/schema#"]
    {
        let error = refuse(&format!(r#"{{"properties":{{"a/b":{{"$ref":"{reference}"}}}}}}"#));
        assert_eq!(error.kind(), ErrorKind::Definition);
        assert!(error.message().contains("unresolved"), "{error}");
        assert!(error.message().contains("/properties/a~1b/$ref"), "{error}");
    }
    refuse(r#"{"$dynamicRef":"http://127.0.0.1:1/s.json#node"}"#);
}

#[test]
fn s02_refuses_a_missing_definition_with_its_place() {
    let error = refuse(r##"{"items":{"$ref":"#/$defs/Missing"},"$defs":{}}"##);
    assert!(error.message().contains("#/$defs/Missing") && error.message().contains("/items/$ref"), "{error}");
    refuse(r##"{"$ref":"#nowhere"}"##);
    refuse(r##"{"$ref":"#/title","title":"no schema"}"##);
}

#[test]
fn finds_definitions_by_pointer_anchor_and_identifier() {
    accept(r##"{"$ref":"#/$defs/a~1b%20c","$defs":{"a/b c":{}}}"##);
    accept(r##"{"$ref":"#x","$defs":{"a":{"$anchor":"x"}}}"##);
    accept(r##"{"$ref":"item.json","$defs":{"a":{"$id":"item.json"}}}"##);
    accept(r##"{"$id":"https://example.com/s","$ref":"https://example.com/s#/$defs/a","$defs":{"a":{}}}"##);
    accept(r##"{"$schema":"http://json-schema.org/draft-07/schema","$ref":"#x","definitions":{"a":{"$id":"#x"}}}"##);
    refuse(r##"{"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}}"##);
    // A reference inside an embedded resource counts from that resource.
    accept(r##"{"$defs":{"a":{"$id":"a.json","$ref":"#/$defs/b","$defs":{"b":{}}}}}"##);
    refuse(r##"{"$defs":{"b":{},"a":{"$id":"a.json","$ref":"#/$defs/b"}}}"##);
}

#[test]
fn takes_id_for_an_identifier_in_draft_04_only() {
    let schema = r##"{"items":{"id":"note","$ref":"#/definitions/a"},"definitions":{"a":{}}}"##;
    accept(schema);
    accept(&schema.replacen('{', r#"{"$schema":"http://json-schema.org/draft-07/schema#","#, 1));
    refuse(&schema.replacen('{', r#"{"$schema":"http://json-schema.org/draft-04/schema#","#, 1));
}

#[test]
fn looks_at_schemas_only() {
    accept(r#"{"properties":{"$ref":{"type":"string"}},"enum":[{"$ref":"http://x"}],"default":{"$ref":"http://x"}}"#);
}

#[test]
fn s05_knows_the_dialects_in_every_spelling() {
    for (uri, draft) in [
        ("https://json-schema.org/draft/2020-12/schema", Draft::Draft202012),
        ("http://json-schema.org/draft/2020-12/schema#", Draft::Draft202012),
        ("https://json-schema.org/draft/2019-09/schema", Draft::Draft201909),
        ("http://json-schema.org/draft-07/schema#", Draft::Draft7),
        ("https://json-schema.org/draft-07/schema", Draft::Draft7),
        ("http://json-schema.org/draft-06/schema#", Draft::Draft6),
        ("http://json-schema.org/draft-04/schema#", Draft::Draft4),
    ] {
        assert_eq!(accept(&format!(r#"{{"$schema":"{uri}"}}"#)).draft, draft);
    }
    for unknown in [r#""https://example.com/dialect""#, r#""json-schema.org/draft-07/schema""#, "7"] {
        assert!(refuse(&format!(r#"{{"$schema":{unknown}}}"#)).message().contains("dialect not supported"));
    }
}

#[test]
fn refuses_what_is_no_schema() {
    for text in ["[]", "1", "", "{", r#"{"type":"string","type":"null"}"#] {
        assert_eq!(refuse(text).kind(), ErrorKind::Definition);
    }
}
