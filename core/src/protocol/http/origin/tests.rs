use super::*;

fn local(settings: OriginSettings) -> OriginPolicy {
    OriginPolicy::new(Ipv4Addr::LOCALHOST.into(), &settings).unwrap()
}

fn open(settings: OriginSettings) -> Result<OriginPolicy> {
    OriginPolicy::new(Ipv4Addr::UNSPECIFIED.into(), &settings)
}

fn hosts(list: &[&str]) -> OriginSettings {
    OriginSettings { allowed_hosts: list.iter().map(|host| (*host).to_owned()).collect(), ..Default::default() }
}

fn status(policy: &OriginPolicy, hosts: &[&str], origins: &[&str]) -> u16 {
    policy.check(hosts, None, origins).map_or_else(|refusal| refusal.status, |()| 200)
}

#[test]
fn h09_loopback_names_pass_and_no_others() {
    let policy = local(OriginSettings::default());
    for host in [
        "127.0.0.1:8000",
        "127.8.9.1",
        "localhost:8000",
        "[::1]:8000",
        "[::1]",
        "LOCALHOST:8000",
        "localhost",
        "localhost:",
    ] {
        assert_eq!(status(&policy, &[host], &[]), 200, "{host}");
    }
    for host in [
        "evil.test:8000",
        "127.0.0.1.evil.test",
        "localhost:8000.evil",
        "localhost.evil.test",
        "evil.test",
        "",
        "0.0.0.0:8000",
        "127.1",
        "2130706433",
        "localhost:8000@evil.test",
        "[::1",
        "[::1]x",
        "localhost:+80",
        "localhost:99999",
        "local host",
        "[::2]",
        "a/b",
    ] {
        assert_eq!(status(&policy, &[host], &[]), 403, "{host}");
    }
    assert_eq!(status(&policy, &["localhost", "localhost"], &[]), 400);
    assert_eq!(status(&policy, &[], &[]), 400);
}

#[test]
fn h09_origins_are_compared_after_parsing() {
    let policy = local(OriginSettings::default());
    for origin in ["http://localhost:8000", "https://localhost", "http://127.0.0.1:3", "HTTP://[::1]:9"] {
        assert_eq!(status(&policy, &["localhost"], &[origin]), 200, "{origin}");
    }
    for origin in [
        "null",
        "http://localhost.evil.test",
        "https://evil.test",
        "http://localhost:80@evil.test",
        "http://127.0.0.1.evil.com",
        "http://localhost/",
        "http://localhost:80/x",
        "localhost",
        "file://localhost",
        "http://",
        "",
        "http://localhost http://evil.test",
    ] {
        let refusal = policy.check(&["localhost"], None, &[origin]).unwrap_err();
        assert_eq!(refusal.status, 403, "{origin}");
        assert!(refusal.error.message().contains("`allowed_origins`"));
        assert_eq!(refusal.error.kind(), ErrorKind::Refused);
    }
    assert_eq!(status(&policy, &["localhost"], &["http://localhost", "http://localhost"]), 403);
}

#[test]
fn n37_the_authority_stands_in_for_the_host() {
    let policy = local(OriginSettings::default());
    let check = |hosts: &[&str], authority| policy.check(hosts, Some(authority), &[]).map_err(|refusal| refusal.status);
    assert_eq!(check(&[], "localhost:1"), Ok(()));
    assert_eq!(check(&[], "evil.test"), Err(403));
    assert_eq!(check(&["LOCALHOST:1"], "localhost:1"), Ok(()));
    assert_eq!(check(&["localhost:1"], "evil.test"), Err(400));
}

#[test]
fn security_3_an_open_bind_without_a_list_is_refused() {
    let error = open(OriginSettings::default()).unwrap_err();
    assert!(error.message().contains("`allowed_hosts`") && error.message().contains("`allow_any_host`"));
    let policy = open(hosts(&["mcp.example.com", "Other.example.com:*", "10.0.0.1:8443"])).unwrap();
    for host in ["mcp.example.com", "MCP.example.com:443", "other.example.com:9", "10.0.0.1:8443"] {
        assert_eq!(status(&policy, &[host], &[]), 200, "{host}");
    }
    for host in ["mcp.example.com:9", "x.mcp.example.com", "mcp.example.com.evil.test", "10.0.0.1", "localhost"] {
        assert_eq!(status(&policy, &[host], &[]), 403, "{host}");
    }
    let refusal = policy.check(&["localhost"], None, &[]).unwrap_err();
    assert!(refusal.error.message().contains("`allowed_hosts`"));
    assert_eq!(status(&policy, &["mcp.example.com"], &["https://mcp.example.com"]), 200);
    assert_eq!(status(&policy, &["mcp.example.com"], &["http://localhost:3000"]), 403);
    for wrong in ["", "a b", "https://a", "a:*:*", "a:1:*", "*"] {
        assert!(open(hosts(&[wrong])).is_err(), "{wrong}");
    }
}

#[test]
fn any_host_still_refuses_pages_of_other_hosts() {
    let policy = open(OriginSettings { allow_any_host: true, ..Default::default() }).unwrap();
    assert_eq!(status(&policy, &["whatever.example"], &[]), 200);
    assert_eq!(status(&policy, &["whatever.example"], &["https://whatever.example"]), 200);
    assert_eq!(status(&policy, &["whatever.example"], &["https://evil.test"]), 403);
    assert_eq!(status(&policy, &["a b"], &[]), 403);
}

#[test]
fn listed_origins_are_exact() {
    let settings = OriginSettings { allowed_origins: vec!["https://app.example.com".into()], ..Default::default() };
    let policy = local(settings);
    for (origin, expected) in [
        ("https://app.example.com", 200),
        ("https://APP.example.com:443", 200),
        ("http://app.example.com", 403),
        ("https://app.example.com:444", 403),
        ("https://app.example.com.evil.test", 403),
    ] {
        assert_eq!(status(&policy, &["localhost"], &[origin]), expected, "{origin}");
    }
    let wrong = OriginSettings { allowed_origins: vec!["app.example.com".into()], ..Default::default() };
    assert!(OriginPolicy::new(Ipv6Addr::LOCALHOST.into(), &wrong).is_err());
}

fn value<'h>(headers: &'h [Header<'_>], name: &str) -> Option<&'h str> {
    headers.iter().find(|(known, _)| *known == name).map(|(_, value)| &**value)
}

#[test]
fn h10_answers_preflights_and_marks_every_response() {
    let cors = Cors::new(&["https://app.example.com".into()], true).unwrap();
    let requested = "authorization,content-type,mcp-protocol-version,mcp-session-id,last-event-id,mcp-method,mcp-name,Mcp-Param-Region,x-evil";
    let headers = cors.preflight_headers(Some("https://app.example.com"), Some(requested));
    let allowed = value(&headers, "Access-Control-Allow-Headers").unwrap().to_ascii_lowercase();
    for name in requested.split(',').filter(|name| *name != "x-evil") {
        assert!(allowed.contains(&name.to_ascii_lowercase()), "{name}");
    }
    assert!(!allowed.contains("x-evil"));
    assert_eq!(value(&headers, "Access-Control-Allow-Methods"), Some("GET, POST, DELETE"));
    let headers = cors.response_headers(Some("https://app.example.com"));
    assert_eq!(value(&headers, "Access-Control-Allow-Origin"), Some("https://app.example.com"));
    assert_eq!(value(&headers, "Access-Control-Allow-Credentials"), Some("true"));
    assert_eq!(value(&headers, "Access-Control-Expose-Headers"), Some(EXPOSED_HEADERS));
    assert_eq!(value(&headers, "Vary"), Some("Origin"));
}

#[test]
fn h10_other_origins_get_nothing_and_wildcards_no_credentials() {
    let cors = Cors::new(&["https://app.example.com".into()], false).unwrap();
    for origin in [None, Some("null"), Some("https://evil.test"), Some("https://app.example.com.evil.test")] {
        assert_eq!(cors.response_headers(origin), [("Vary", Cow::from("Origin"))]);
        assert_eq!(cors.preflight_headers(origin, None), [("Vary", Cow::from("Origin"))]);
    }
    assert!(Cors::new(&["*".into()], true).is_err());
    let any = Cors::new(&["*".into()], false).unwrap();
    assert_eq!(value(&any.response_headers(Some("https://x.test")), "Access-Control-Allow-Origin"), Some("*"));
}
