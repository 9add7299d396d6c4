use super::*;
use crate::error::ErrorKind;
use crate::limits::Limits;

fn validator(schema: &str) -> Validator {
    Validator::new(schema, &Limits::default()).unwrap_or_else(|error| panic!("{schema}: {error}"))
}

fn problems(schema: &str, instance: &str) -> Vec<String> {
    match validator(schema).check(instance) {
        Err(Invalid::Problems(problems)) => problems.iter().map(ToString::to_string).collect(),
        Err(Invalid::Unchecked(error)) => panic!("{error}"),
        Ok(()) => Vec::new(),
    }
}

fn unchecked(schema: &str, instance: &str) -> Error {
    match validator(schema).check(instance) {
        Err(Invalid::Unchecked(error)) => error,
        other => panic!("{other:?}"),
    }
}

const ADD: &str = r#"{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},
    "required":["a","b"],"additionalProperties":false}"#;

#[test]
fn s15_lists_all_problems_for_a_model() {
    let Err(Invalid::Problems(found)) = validator(ADD).check(r#"{"a":"x","c":1}"#) else { panic!() };
    let mut lines: Vec<_> = describe(&found, "arguments for tool \"add\"").lines().map(str::to_owned).collect();
    assert_eq!(lines.remove(0), "Invalid arguments for tool \"add\": 3 problems");
    lines.sort();
    assert_eq!(
        lines,
        [
            "- a: expected integer, got \"x\" (string)",
            "- b: required, missing",
            "- c: unexpected property (allowed: a, b)",
        ]
    );
    assert_eq!(problems(ADD, r#"{"a":1,"b":2.0}"#), [""; 0]);
}

#[test]
fn p03_names_json_inside_a_string() {
    let schema = r#"{"properties":{"tags":{"type":"array"},"o":{"type":["object","null"]},"n":{"type":"array"}}}"#;
    let found = problems(schema, r#"{"tags":"[\"a\"]","o":"{\"x\":1}","n":"plain"}"#);
    assert!(
        found.iter().any(|text| text.starts_with("tags: expected array") && text.contains("send the array itself"))
    );
    assert!(found.iter().any(|text| text.starts_with("o: ") && text.contains("send the object itself")));
    assert!(found.contains(&"n: expected array, got \"plain\" (string)".to_owned()));
}

#[test]
fn writes_paths_and_cuts_values() {
    let schema = r#"{"properties":{"items":{"items":{"properties":{"a.b":{"type":"null"}}}},"long":{"type":"null"}}}"#;
    let long = "é".repeat(1000);
    let found = problems(schema, &format!(r#"{{"items":[{{}},{{"a.b":7}}],"long":"{long}"}}"#));
    assert!(found.contains(&r#"items[1]["a.b"]: expected null, got 7 (integer)"#.to_owned()), "{found:?}");
    assert!(found.iter().all(|text| text.len() < 120));
}

#[test]
fn explains_unions_by_the_branch_that_was_meant() {
    let schema = r#"{"oneOf":[
        {"properties":{"kind":{"const":"circle"},"r":{"type":"number"}},"required":["kind","r"]},
        {"properties":{"kind":{"const":"box"},"w":{"type":"number"}},"required":["kind","w"]}]}"#;
    assert_eq!(problems(schema, r#"{"kind":"box","w":"wide"}"#), [r#"w: expected number, got "wide" (string)"#]);
    let nullable = r#"{"properties":{"n":{"anyOf":[{"type":"integer","minimum":3},{"type":"null"}]}}}"#;
    assert_eq!(problems(nullable, r#"{"n":1}"#), ["n: expected at least 3, got 1 (integer)"]);
    assert_eq!(problems(nullable, r#"{"n":"x"}"#), [r#"n: expected integer, or null, got "x" (string)"#]);
}

#[test]
fn s07_accepts_null_where_the_schema_says_so() {
    for schema in
        [r#"{"type":["string","null"]}"#, r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, r#"{"enum":["a",null]}"#]
    {
        assert_eq!(problems(schema, "null"), [""; 0]);
        assert_eq!(problems(schema, r#""a""#), [""; 0]);
    }
    assert_eq!(problems(r#"{"type":"string","nullable":true}"#, "null"), ["expected string, got null"]);
}

#[test]
fn s05_applies_each_dialect_by_its_own_rules() {
    let seven = r##"{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"$ref":"#/definitions/a"}],
        "dependencies":{"a":["b"]},"definitions":{"a":{"type":"string"}}}"##;
    assert_eq!(problems(seven, r#"["x",1]"#), [""; 0]);
    assert_eq!(problems(seven, "[1]"), ["[0]: expected string, got 1 (integer)"]);
    assert_eq!(problems(seven, r#"{"a":1}"#), ["b: required, missing"]);
    let four = r#"{"$schema":"http://json-schema.org/draft-04/schema#","maximum":3,"exclusiveMaximum":true}"#;
    assert_eq!(problems(four, "3").len(), 1);
}

#[test]
fn formats_assert_nothing() {
    assert_eq!(problems(r#"{"format":"email"}"#, r#""no address""#), [""; 0]);
    assert_eq!(problems(r#"{"$schema":"http://json-schema.org/draft-07/schema#","format":"date"}"#, r#""x""#), [""; 0]);
}

#[test]
fn s02_a_foreign_schema_fails_when_it_is_used() {
    let limits = Limits::default();
    let lazy = Validator::lazy(r##"{"$ref":"#/$defs/Missing"}"##, &limits);
    for _ in 0..2 {
        let Err(Invalid::Unchecked(error)) = lazy.check("1") else { panic!() };
        assert_eq!(error.kind(), ErrorKind::Definition);
        assert!(error.message().contains("Missing"));
    }
    let error = Validator::new(r#"{"properties":{"a":{"type":"objekt"}}}"#, &limits).unwrap_err();
    assert!(error.message().contains("/properties/a/type"), "{error}");
    assert!(Validator::new(r#"{"pattern":"(?=x)"}"#, &limits).is_err());
}

#[test]
fn security_50_refuses_repeated_members_and_depth() {
    assert!(unchecked("{}", r#"{"a":{"b":1,"b":2}}"#).message().contains("twice"));
    assert_eq!(unchecked("{}", &"[".repeat(500)).fact("limit"), Some("json_depth"));
}

#[test]
fn s13_patterns_are_linear_and_enumerations_may_be_large() {
    let evil = format!("\"{}!\"", "a".repeat(40_000));
    assert_eq!(problems(r#"{"pattern":"^(a+)+$"}"#, &evil).len(), 1);
    let options = (0..50_000).map(|n| format!("\"option{n}\"")).collect::<Vec<_>>().join(",");
    let schema = format!(r#"{{"enum":[{options}]}}"#);
    assert_eq!(problems(&schema, "\"option49999\""), [""; 0]);
    assert!(problems(&schema, "\"other\"")[0].contains("(50000 options)"));
}

#[test]
fn s13_bounds_the_work_of_recursive_schemas() {
    let doubling = r##"{"properties":{"n":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}"##;
    let deep = format!("{}{{}}{}", r#"{"n":"#.repeat(60), "}".repeat(60));
    assert_eq!(unchecked(doubling, &deep).fact("limit"), Some("schema_cost"));
    assert_eq!(problems(doubling, r#"{"n":{"n":{}}}"#), [""; 0]);
    let json = r##"{"anyOf":[{"type":"object","additionalProperties":{"$ref":"#"}},{"type":"array","items":{"$ref":"#"}},
        {"type":["string","number","boolean","null"]}]}"##;
    let deep = format!("{}1{}", r#"{"n":["#.repeat(60), "]}".repeat(60));
    assert_eq!(problems(json, &deep), [""; 0]);
}

#[test]
fn s13_bounds_the_work_of_a_mixed_enumeration_on_many_items() {
    let options = (0..10_000).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    let items = vec!["\"x\""; 20_000].join(",");
    let error = unchecked(&format!(r#"{{"items":{{"enum":[{options}]}}}}"#), &format!("[{items}]"));
    assert_eq!(error.fact("limit"), Some("schema_cost"));
}

#[test]
fn s13_bounds_the_work_of_many_patterns_on_much_text() {
    let patterns = (0..200).map(|n| format!(r#"{{"pattern":"x{n}$"}}"#)).collect::<Vec<_>>().join(",");
    let schema = format!(r#"{{"anyOf":[{patterns}]}}"#);
    assert_eq!(unchecked(&schema, &format!("\"{}\"", "a".repeat(1 << 20))).fact("limit"), Some("schema_cost"));
    assert_eq!(problems(&schema, "\"x7\""), [""; 0]);
    let named = format!(
        r#"{{"patternProperties":{{{}}}}}"#,
        (0..200).map(|n| format!(r#""x{n}$":{{}}"#)).collect::<Vec<_>>().join(",")
    );
    assert_eq!(unchecked(&named, &format!(r#"{{"{}":1}}"#, "a".repeat(1 << 20))).fact("limit"), Some("schema_cost"));
}

#[test]
fn the_deepest_schemas_fit_a_small_stack() {
    // Tests run on threads of 2 MiB, as workers do.
    let chain = (0..120).map(|n| format!(r##""d{n}":{{"items":{{"$ref":"#/$defs/d{}"}}}}"##, n + 1));
    let chain = chain.collect::<Vec<_>>().join(",");
    let schema = format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{chain},"d120":{{"type":"null"}}}}}}"##);
    let instance = format!("{}1{}", "[".repeat(120), "]".repeat(120));
    assert_eq!(problems(&schema, &instance).len(), 1);
    let nested = (0..25).map(|n| format!(r##""d{n}":{{"allOf":[{{"$ref":"#/$defs/d{}"}}]}}"##, n + 1));
    let nested = nested.collect::<Vec<_>>().join(",");
    let recursive = format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{nested},"d25":{{"items":{{"$ref":"#"}}}}}}}}"##);
    assert_eq!(problems(&recursive, "[[[[[[[[[[]]]]]]]]]]"), [""; 0]);
    assert_eq!(unchecked(&recursive, &instance).fact("limit"), Some("schema_depth"));
}

#[test]
fn s11_leaves_the_instance_alone() {
    assert_eq!(problems(r#"{"properties":{"n":{"type":"integer","default":5}}}"#, "{}"), [""; 0]);
}

#[test]
fn describe_caps_the_list() {
    let found = vec![Problem { path: "a".into(), expected: "required".into(), got: "missing".into() }; 50];
    let text = describe(&found, "arguments");
    assert_eq!(text.lines().count(), 34);
    assert!(text.ends_with("and 18 more"));
}
