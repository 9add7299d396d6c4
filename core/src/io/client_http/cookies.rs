//! Cookies of one origin, in memory: what balancers find a session's replica by (Y20).
//!
//! A client speaks with one origin only, so a cookie goes back where it came from, and nowhere else.
//! See <https://www.rfc-editor.org/rfc/rfc6265#section-5>.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use http::header::{COOKIE, SET_COOKIE};
use http::{HeaderMap, HeaderValue};

/// Cookies kept; the oldest goes first.
const COOKIES: usize = 50;
/// Bytes of one cookie, name and value together. Longer ones are not kept.
const BYTES: usize = 4096;

/// The cookies of one client.
#[derive(Default)]
pub struct Jar {
    cookies: Mutex<Vec<Cookie>>,
    /// Whether there is any: most servers set none.
    any: AtomicBool,
}

#[derive(Debug, PartialEq)]
struct Cookie {
    name: String,
    value: String,
    path: String,
    until: Option<SystemTime>,
}

impl Jar {
    /// Takes the cookies that the answer to a request for `path` sets.
    pub fn keep(&self, headers: &HeaderMap, host: &str, path: &str) {
        if !headers.contains_key(SET_COOKIE) {
            return;
        }
        let now = now();
        let mut cookies = self.cookies();
        for value in headers.get_all(SET_COOKIE).iter().filter_map(|value| value.to_str().ok()) {
            let Some(cookie) = parse(value, host, path, now) else { continue };
            cookies.retain(|other| (&other.name, &other.path) != (&cookie.name, &cookie.path));
            if is_live(&cookie, now) {
                cookies.push(cookie);
            }
            if cookies.len() > COOKIES {
                cookies.remove(0);
            }
        }
        self.any.store(!cookies.is_empty(), Ordering::Relaxed);
    }

    /// Adds what belongs to `path` to a request, behind cookies that the user gave.
    pub fn add(&self, headers: &mut HeaderMap, path: &str) {
        if !self.any.load(Ordering::Relaxed) {
            return;
        }
        let now = now();
        let mut text = String::new();
        if let Some(given) = headers.get(COOKIE).and_then(|value| value.to_str().ok()) {
            text.push_str(given);
        }
        for cookie in self.cookies().iter().filter(|cookie| is_live(cookie, now) && is_below(path, &cookie.path)) {
            if !text.is_empty() {
                text.push_str("; ");
            }
            text.push_str(&cookie.name);
            text.push('=');
            text.push_str(&cookie.value);
        }
        if let Ok(mut value) = HeaderValue::from_str(&text)
            && !text.is_empty()
        {
            value.set_sensitive(true);
            headers.insert(COOKIE, value);
        }
    }

    fn cookies(&self) -> MutexGuard<'_, Vec<Cookie>> {
        self.cookies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[allow(clippy::disallowed_methods, reason = "cookies end at a time of the calendar")]
fn now() -> SystemTime {
    SystemTime::now()
}

fn is_live(cookie: &Cookie, now: SystemTime) -> bool {
    cookie.until.is_none_or(|until| until > now)
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || folder.ends_with('/') || rest.starts_with('/'))
}

/// One `Set-Cookie`; `None` for one that is not for this host, or none at all.
fn parse(text: &str, host: &str, path: &str, now: SystemTime) -> Option<Cookie> {
    let mut parts = text.split(';');
    let (name, value) = parts.next()?.split_once('=')?;
    let (name, value) = (name.trim(), value.trim());
    if name.is_empty() || name.len() + value.len() > BYTES {
        return None;
    }
    let folder = path.rfind('/').map_or("/", |end| &path[..end.max(1)]);
    let mut cookie = Cookie { name: name.to_owned(), value: value.to_owned(), path: folder.to_owned(), until: None };
    let mut has_age = false;
    for part in parts {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
        match key.as_str() {
            "path" if value.starts_with('/') => value.clone_into(&mut cookie.path),
            "max-age" => {
                if let Ok(seconds) = value.parse::<i64>() {
                    has_age = true;
                    let age = Duration::from_secs(seconds.try_into().unwrap_or(0));
                    cookie.until = now.checked_add(age);
                }
            }
            "expires" if !has_age => cookie.until = httpdate::parse_http_date(value).ok().or(cookie.until),
            "domain" => {
                let domain = value.trim_start_matches('.').to_ascii_lowercase();
                let inside = host.strip_suffix(&domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
                if !domain.is_empty() && !inside {
                    return None;
                }
            }
            _ => {}
        }
    }
    Some(cookie)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(set: &[&str], path: &str) -> Option<String> {
        let jar = Jar::default();
        for text in set {
            let headers = HeaderMap::from_iter([(SET_COOKIE, HeaderValue::from_str(text).unwrap())]);
            jar.keep(&headers, "a.host.test", "/x/mcp");
        }
        let mut headers = HeaderMap::new();
        jar.add(&mut headers, path);
        headers.get(COOKIE).map(|value| value.to_str().unwrap().to_owned())
    }

    #[test]
    fn y20_cookies_go_back_where_they_belong() {
        for (set, path, cookies) in [
            (&["LB=1; Path=/"][..], "/x/mcp", Some("LB=1")),
            (&["LB=1; Path=/", "LB=2; path=/; HttpOnly"], "/other", Some("LB=2")),
            (&["a=1", "b=\"2\"; Path=/x"], "/x/mcp", Some("a=1; b=\"2\"")),
            (&["a=1"], "/other", None),
            (&["a=1; Path=/x"], "/xy", None),
            (&["a=1; Path=/", "a=; Max-Age=0; Path=/"], "/x", None),
            (&["a=1; Path=/", "a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/"], "/x", None),
            (&["a=1; Path=/; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], "/x", Some("a=1")),
            (&["a=1; Path=/; Domain=.Host.test"], "/", Some("a=1")),
            (&["a=1; Path=/; Domain=evil.test"], "/", None),
            (&["a=1; Path=/; Domain=st.test"], "/", None),
            (&["junk", "=1", ";"], "/", None),
        ] {
            assert_eq!(after(set, path).as_deref(), cookies, "{set:?} {path}");
        }
    }

    #[test]
    fn y20_a_server_cannot_fill_the_memory() {
        let jar = Jar::default();
        let mut headers = HeaderMap::new();
        for number in 0..200 {
            headers.append(SET_COOKIE, HeaderValue::from_str(&format!("c{number}=1; Path=/")).unwrap());
        }
        headers.append(SET_COOKIE, HeaderValue::from_str(&format!("long={}", "x".repeat(5000))).unwrap());
        jar.keep(&headers, "h", "/");
        assert_eq!(jar.cookies().len(), COOKIES);
        assert!(jar.cookies().iter().any(|cookie| cookie.name == "c199"));
    }

    #[test]
    fn cookies_of_the_user_stay() {
        let jar = Jar::default();
        let set = HeaderMap::from_iter([(SET_COOKIE, HeaderValue::from_static("LB=1; Path=/"))]);
        jar.keep(&set, "h", "/");
        let mut headers = HeaderMap::from_iter([(COOKIE, HeaderValue::from_static("own=1"))]);
        jar.add(&mut headers, "/");
        assert_eq!(headers[COOKIE], "own=1; LB=1");
    }
}
