use http::HeaderValue;

use super::*;

fn raw(text: &str) -> &RawValue {
    serde_json::from_str(text).unwrap()
}

fn at(milliseconds: u64) -> Now {
    Now::default().after(Duration::from_millis(milliseconds))
}

fn credentials(token: &'static str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert("authorization", HeaderValue::from_static(token));
    headers
}

fn place(cache: &Cache, params: &str, headers: &HeaderMap) -> Place {
    cache.place(Method::ReadResource, false, raw(params), headers).unwrap()
}

fn keep(cache: &mut Cache, params: &str, headers: &HeaderMap, result: &str) {
    let mut hint = Hint::default();
    hint.add(raw(result), at(0));
    cache.put(place(cache, params, headers), &hint, raw(result), at(0));
}

fn has(cache: &mut Cache, params: &str, headers: &HeaderMap, now: Now) -> bool {
    let place = place(cache, params, headers);
    cache.get(&place, now).is_some()
}

const ONE: &str = r#"{"uri":"r://1"}"#;
const PRIVATE: &str = r#"{"ttlMs":100,"cacheScope":"private","contents":[]}"#;

#[test]
fn a_time_to_live_is_a_whole_number_of_milliseconds() {
    for (text, expected) in [
        ("0", 0),
        ("250", 250),
        ("3e2", 300),
        ("300.0", 300),
        ("-1", 0),
        ("1.5", 0),
        ("-1e30", 0),
        ("\"250\"", 0),
        ("null", 0),
        ("true", 0),
        ("18446744073709551615", u64::MAX),
        ("1e300", u64::MAX),
    ] {
        assert_eq!(milliseconds(text), Duration::from_millis(expected), "{text}");
    }
    let mut hint = Hint::default();
    hint.add(raw(r#"{"ttlMs":1e300}"#), at(7));
    assert!(hint.until > at(u64::MAX / 2).monotonic, "no overflow");
}

#[test]
fn what_is_fresh_is_kept_and_what_is_stale_is_not() {
    let (mut cache, nobody) = (Cache::new(1 << 20), HeaderMap::new());
    keep(&mut cache, ONE, &nobody, PRIVATE);
    assert!(has(&mut cache, ONE, &nobody, at(99)));
    assert!(!has(&mut cache, r#"{"uri":"r://2"}"#, &nobody, at(0)), "other parameters");
    assert!(!has(&mut cache, ONE, &nobody, at(100)));
    assert_eq!((cache.bytes, cache.order.len()), (0, 0));
    for never in ["{}", r#"{"ttlMs":0,"cacheScope":"public"}"#, r#"{"ttlMs":-5}"#] {
        keep(&mut cache, ONE, &nobody, never);
        assert!(!has(&mut cache, ONE, &nobody, at(0)), "{never}");
    }
}

#[test]
fn security_52_private_results_stay_with_their_principal() {
    let mut cache = Cache::new(1 << 20);
    let (alice, bob) = (credentials("Bearer a"), credentials("Bearer b"));
    for scope in [r#""private""#, "null", r#""PUBLIC""#, "7"] {
        cache.clear();
        keep(&mut cache, ONE, &alice, &format!(r#"{{"ttlMs":100,"cacheScope":{scope}}}"#));
        assert!(has(&mut cache, ONE, &alice, at(0)));
        assert!(!has(&mut cache, ONE, &bob, at(0)), "{scope}");
        assert!(!has(&mut cache, ONE, &HeaderMap::new(), at(0)), "{scope}");
    }
    let mut traced = alice.clone();
    traced.insert("traceparent", HeaderValue::from_static("00-1"));
    assert!(has(&mut cache, ONE, &traced, at(0)));
    keep(&mut cache, ONE, &alice, r#"{"ttlMs":100,"cacheScope":"public"}"#);
    assert!(has(&mut cache, ONE, &bob, at(0)));
    // One private page makes the whole listing private.
    let mut hint = Hint::default();
    for scope in ["public", "private", "public"] {
        hint.add(raw(&format!(r#"{{"ttlMs":5,"cacheScope":"{scope}"}}"#)), at(0));
    }
    assert!(!hint.is_public);
}

#[test]
fn a_change_makes_stale_even_what_is_under_way() {
    let (mut cache, nobody) = (Cache::new(1 << 20), HeaderMap::new());
    keep(&mut cache, r#"{"uri":"r://dir"}"#, &nobody, PRIVATE);
    keep(&mut cache, ONE, &nobody, PRIVATE);
    let under_way = place(&cache, ONE, &nobody);
    cache.updated("r://dir/file");
    assert!(!has(&mut cache, r#"{"uri":"r://dir"}"#, &nobody, at(0)));
    assert!(has(&mut cache, ONE, &nobody, at(0)));
    let mut hint = Hint::default();
    hint.add(raw(PRIVATE), at(0));
    cache.put(under_way, &hint, raw(PRIVATE), at(0));
    assert!(!has(&mut cache, ONE, &nobody, at(0)));
    cache.changed(Topic::Tools);
    keep(&mut cache, ONE, &nobody, PRIVATE);
    cache.changed(Topic::Resources);
    assert!(has(&mut cache, ONE, &nobody, at(0)), "a list is no content");
}

#[test]
fn the_room_is_bounded_and_what_was_used_last_stays() {
    let nobody = HeaderMap::new();
    let weight = PRIVATE.len() + "r://1".len() + OVERHEAD;
    let mut cache = Cache::new(3 * weight);
    let one = |number| format!(r#"{{"uri":"r://{number}"}}"#);
    for number in 1..=3 {
        keep(&mut cache, &one(number), &nobody, PRIVATE);
    }
    assert!(has(&mut cache, &one(1), &nobody, at(0)));
    keep(&mut cache, &one(4), &nobody, PRIVATE);
    assert_eq!((cache.bytes, cache.order.len()), (3 * weight, 3));
    assert!(has(&mut cache, &one(1), &nobody, at(0)) && !has(&mut cache, &one(2), &nobody, at(0)));
    let large = format!(r#"{{"ttlMs":100,"x":"{}"}}"#, "y".repeat(4 * weight));
    keep(&mut cache, &one(5), &nobody, &large);
    assert!(!has(&mut cache, &one(5), &nobody, at(0)) && cache.order.len() == 3);
    assert!(Cache::new(0).place(Method::ListTools, false, raw("{}"), &nobody).is_none());
}

#[test]
fn what_needs_input_has_no_place() {
    let (cache, nobody) = (Cache::new(1 << 20), HeaderMap::new());
    for params in [r#"{"uri":"r://1","inputResponses":{}}"#, r#"{"uri":"r://1","requestState":"x"}"#] {
        assert!(cache.place(Method::ReadResource, false, raw(params), &nobody).is_none());
    }
    assert!(cache.place(Method::CallTool, false, raw("{}"), &nobody).is_none());
}
