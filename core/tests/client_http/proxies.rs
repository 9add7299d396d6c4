//! Proxies that count, and the environment that names them.

use std::process::Command;
use std::sync::{Arc, Mutex};

use omniport::io::http_options::{HttpOptions, ProxyChoice, ProxyVariables};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::certificates::Authority;
use super::server::{mcp, serve};
use super::session::open;

type Heads = Arc<Mutex<Vec<String>>>;

/// A proxy that leads everything to `server`: its address, and the heads of the requests it got.
async fn http_proxy(server: u16, status: &'static str) -> (String, Heads) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let heads = Heads::default();
    let log = Arc::clone(&heads);
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(client.read_u8().await.unwrap());
            }
            let is_tunnel = head.starts_with(b"CONNECT ");
            log.lock().unwrap().push(String::from_utf8(head.clone()).unwrap());
            if is_tunnel {
                let answer = format!("HTTP/1.1 {status}\r\n\r\n");
                client.write_all(answer.as_bytes()).await.unwrap();
            }
            if status.starts_with("200") {
                let mut upstream = TcpStream::connect(("127.0.0.1", server)).await.unwrap();
                if !is_tunnel {
                    upstream.write_all(&head).await.unwrap();
                }
                tokio::spawn(async move { tokio::io::copy_bidirectional(&mut client, &mut upstream).await });
            }
        }
    });
    (address, heads)
}

/// A SOCKS 5 proxy that wants `user:word`, and the hosts it was asked for.
async fn socks_proxy(server: u16) -> (String, Heads) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let hosts = Heads::default();
    let log = Arc::clone(&hosts);
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let mut greeting = [0; 2];
            client.read_exact(&mut greeting).await.unwrap();
            client.read_exact(&mut vec![0; greeting[1].into()]).await.unwrap();
            client.write_all(&[5, 2]).await.unwrap();
            let mut login = [0; 1 + 1 + 4 + 1 + 4];
            client.read_exact(&mut login).await.unwrap();
            assert_eq!(&login, b"\x01\x04user\x04word");
            client.write_all(&[1, 0]).await.unwrap();
            let mut request = [0; 5];
            client.read_exact(&mut request).await.unwrap();
            assert_eq!(request[3], 3, "a name that the proxy resolves");
            let mut host = vec![0; request[4].into()];
            client.read_exact(&mut host).await.unwrap();
            client.read_u16().await.unwrap();
            log.lock().unwrap().push(String::from_utf8(host).unwrap());
            client.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await.unwrap();
            let mut upstream = TcpStream::connect(("127.0.0.1", server)).await.unwrap();
            tokio::spawn(async move { tokio::io::copy_bidirectional(&mut client, &mut upstream).await });
        }
    });
    (address, hosts)
}

#[tokio::test]
async fn y05_https_goes_through_a_tunnel() {
    let authority = Authority::new();
    let (port, _) = serve(Some(authority.server("server.test", false)), mcp).await;
    let (proxy, heads) = http_proxy(port, "200 OK").await;
    let mut options = authority.trusted();
    options.proxy = ProxyChoice::Variables(ProxyVariables {
        https: format!("http://user:word@{proxy}"),
        ..ProxyVariables::default()
    });
    let mut session = open("https://server.test/mcp", &options).await.unwrap();
    assert_eq!(session.call("tool").await.unwrap(), "tool");
    let heads = heads.lock().unwrap();
    assert_eq!(heads.len(), 1);
    assert!(heads[0].starts_with("CONNECT server.test:443 HTTP/1.1\r\n"), "{heads:?}");
    // user:word
    assert!(heads[0].to_lowercase().contains("proxy-authorization: basic dxnlcjp3b3jk"), "{heads:?}");
}

#[tokio::test]
async fn y05_http_is_forwarded() {
    let (port, seen) = serve(None, mcp).await;
    let (proxy, heads) = http_proxy(port, "200 OK").await;
    let mut options = HttpOptions::default();
    options.proxy = ProxyChoice::Url(format!("http://user:word@{proxy}"));
    let mut session = open("http://server.test/mcp", &options).await.unwrap();
    assert_eq!(session.call("tool").await.unwrap(), "tool");
    assert!(heads.lock().unwrap()[0].starts_with("POST http://server.test/mcp HTTP/1.1\r\n"));
    assert!(seen.header("proxy-authorization").iter().all(Option::is_some), "each request is forwarded by itself");
}

#[tokio::test]
async fn y05_socks_resolves_names_and_logs_in() {
    let authority = Authority::new();
    let (port, _) = serve(Some(authority.server("server.test", false)), mcp).await;
    let (proxy, hosts) = socks_proxy(port).await;
    let mut options = authority.trusted();
    options.proxy = ProxyChoice::Url(format!("socks5h://user:word@{proxy}"));
    let mut session = open("https://server.test/mcp", &options).await.unwrap();
    assert_eq!(session.call("tool").await.unwrap(), "tool");
    assert_eq!(*hosts.lock().unwrap(), ["server.test"]);
}

#[tokio::test]
async fn y05_what_is_exempt_goes_directly() {
    let (port, _) = serve(None, mcp).await;
    let (proxy, heads) = http_proxy(port, "200 OK").await;
    let mut options = HttpOptions::default();
    options.proxy =
        ProxyChoice::Variables(ProxyVariables { all: format!("http://{proxy}"), ..ProxyVariables::default() });
    for host in ["localhost", "127.0.0.1"] {
        let mut session = open(&format!("http://{host}:{port}/mcp"), &options).await.unwrap();
        assert_eq!(session.call("tool").await.unwrap(), "tool");
    }
    assert!(heads.lock().unwrap().is_empty());
}

#[tokio::test]
async fn y05_y28_a_proxy_that_refuses_is_named_without_its_password() {
    let (proxy, _) = http_proxy(1, "407 Proxy Authentication Required").await;
    for (url, word) in [
        (format!("http://user:s3cr3t@{proxy}"), "authorization required"),
        ("http://user:s3cr3t@127.0.0.1:1".to_owned(), "refused"),
        ("socks5h://user:s3cr3t@127.0.0.1:1".to_owned(), "SOCKS"),
    ] {
        let mut options = HttpOptions::default();
        options.proxy = ProxyChoice::Url(url);
        let error = open("https://server.test/mcp", &options).await.err().unwrap();
        assert!(error.message().contains(word) && error.message().contains("through the proxy"), "{error}");
        assert!(!error.to_string().contains("s3cr3t"), "{error}");
    }
}

/// What the environment says can only be tried in a process of its own.
#[tokio::test]
async fn y05_y06_the_environment_is_honoured() {
    let authority = Authority::new();
    let (port, _) = serve(Some(authority.server("server.test", false)), mcp).await;
    let (proxy, heads) = http_proxy(port, "200 OK").await;
    let roots = std::env::temp_dir().join(format!("omniport-roots-{}.pem", std::process::id()));
    std::fs::write(&roots, &authority.pem).unwrap();
    for name in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "proxies::in_this_environment", "--ignored"]).env_clear();
        command.env(name, format!("http://{proxy}")).env("SSL_CERT_FILE", &roots).env("no_proxy", "other.test");
        let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stdout));
    }
    assert_eq!(heads.lock().unwrap().len(), 4);
    std::fs::remove_file(&roots).unwrap();
}

#[tokio::test]
#[ignore = "run by `y05_y06_the_environment_is_honoured`"]
async fn in_this_environment() {
    let mut session = open("https://server.test/mcp", &HttpOptions::default()).await.unwrap();
    assert_eq!(session.call("tool").await.unwrap(), "tool");
}
