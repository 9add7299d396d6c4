//! Servers that do not start, or not as they should, and what is said about that.

use omniport::error::{Error, ErrorKind};
use omniport::io::child::ChildSpec;

use super::support::{Client, Folder, command, options, python, shell};

async fn failure(spec: ChildSpec) -> Error {
    Client::open(spec, options()).await.err().unwrap()
}

#[tokio::test]
async fn c06_what_cannot_be_started_says_what_is_wrong_with_it() {
    let folder = Folder::new();
    let (here, missing) = (folder.path().display().to_string(), folder.path().join("missing").display().to_string());
    let script = |name, text| folder.write(name, text, "755");
    let path = vec![("PATH".to_owned(), here.clone())];
    for (argv, env, cwd, needle) in [
        (&*missing, vec![], None, "there is no such file"),
        ("omniport-no-such-program", vec![], None, "in any directory of its PATH"),
        ("sh", path.clone(), None, "in any directory of its PATH"),
        (&here, vec![], None, "it is a directory"),
        (&folder.write("plain", "echo", "644"), vec![], None, "not executable"),
        (&script("lost", "#! /nonexistent/python3 -u\n"), vec![], None, "names the program `/nonexistent/python3`"),
        ("lost", path, None, "names the program `/nonexistent/python3`"),
        (&script("dos", "#!/bin/sh\r\n"), vec![], None, "names `/bin/sh` with a Windows line end"),
        (&script("junk", "\u{1}\u{2}"), vec![], None, "neither a program"),
        ("sh", vec![], Some(&*missing), "working directory"),
        ("sh", vec![("A".into(), "\0".into())], None, "NUL byte"),
    ] {
        let mut spec = ChildSpec { env, cwd: cwd.map(Into::into), ..command(&[argv, "s3cr3t"]) };
        spec.env.push(("KEY".into(), "s3cr3t".into()));
        let error = failure(spec).await;
        assert_eq!((error.kind(), error.fact("command")), (ErrorKind::Io, Some(argv)), "{error}");
        assert!(error.message().contains(needle) && error.message().contains(argv), "{needle}: {error}");
        assert!(!format!("{error} {error:?}").contains("s3cr3t"), "Y28: {error:?}");
    }
    assert_eq!(failure(command(&[""])).await.kind(), ErrorKind::InvalidParams);
}

#[tokio::test]
async fn y28_a_whole_command_line_in_the_place_of_the_program_is_not_told() {
    let error = failure(command(&["npx server --token s3cr3t"])).await;
    assert!(error.message().contains("`npx …`") && error.message().contains("as a list"), "{error}");
    assert!(!format!("{error} {error:?}").contains("s3cr3t"), "{error:?}");
}

#[tokio::test]
async fn c06_w23_what_ends_before_it_answers_says_how() {
    let cases = [
        ("read -r line; echo one >&2; echo 'two ä' >&2; exit 3", (Some("3"), None, Some("one\ntwo ä"), None)),
        ("kill -9 $$", (None, Some("9"), None, None)),
        // Somebody else holds its output open.
        ("sleep 1000 & kill -9 $$", (None, Some("9"), None, None)),
        ("echo 'usage: server [--stdio]'; exit 0", (Some("0"), None, None, Some("usage: server [--stdio]"))),
        ("printf '\\377\\n' >&2; exit 1", (Some("1"), None, Some("\u{fffd}"), None)),
    ];
    for (script, facts) in cases {
        let error = failure(command(&["sh", "-c", script, "s3cr3t"])).await;
        let found = (error.fact("exit"), error.fact("signal"), error.fact("stderr"), error.fact("stdout"));
        assert_eq!((found, error.fact("command")), (facts, Some("sh")), "{error}");
        assert!(error.message().contains("before it sent any message"), "{error}");
        assert!(!error.to_string().contains("s3cr3t"), "Y28: {error}");
    }
}

#[tokio::test]
async fn w14_a_server_that_dies_of_the_probe_is_started_again() {
    let mut client = Client::open(python("probe-kills"), options()).await.unwrap();
    let token = client.call(omniport::engine::client::Operation::Ping, "{}");
    client.connection.engine.cancel(token, "it knows no ping");
    client.result(token).await.unwrap_err();
    client.close().await;
}

#[tokio::test]
async fn security_19_36_37_arguments_are_literal_and_secrets_stay_here() {
    let folder = Folder::new();
    let touched = folder.path().join("touched");
    let evil = [format!("; touch {}", touched.display()), format!("$(touch {})", touched.display()), "a\nb\"'".into()];
    let script = r#"for arg; do printf '%s\n' "$arg" >&2; done; env >&2; exit 1"#;
    let mut spec = command(&["sh", "-c", script, "sh"]);
    spec.argv.extend(evil.iter().cloned());
    let error = failure(spec).await;
    let told = error.fact("stderr").unwrap();
    assert!(told.contains(&evil.join("\n")), "{told}");
    assert!(!touched.exists());
    // The test runner has variables of its own, which nobody gave the server.
    assert!(!told.contains("CARGO") && told.contains("PATH="), "{told}");
}

#[tokio::test]
async fn y25_each_client_has_a_process_of_its_own() {
    let mut pids = Vec::new();
    for _ in 0..2 {
        let mut client = Client::open(shell("echo $$", ""), options()).await.unwrap();
        pids.push(client.stderr().await);
        client.close().await;
    }
    assert_ne!(pids[0], pids[1]);
}
