//! Many servers of one host: none holds the input of another, and all of them end with their host.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use super::support::{Client, Folder, options, shell};

const SERVERS: usize = 8;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn c01_no_server_inherits_the_input_of_another() {
    // Its own stdin first, then everything it has.
    let list = r#"echo $(readlink /proc/$$/fd/0) $(for fd in /proc/$$/fd/*; do readlink "$fd"; done)"#;
    let starting: Vec<_> = (0..SERVERS)
        .map(|_| {
            tokio::spawn(async move {
                let mut client = Client::open(shell(list, ""), options()).await.unwrap();
                let line = client.stderr().await;
                (client, line.split(' ').map(ToOwned::to_owned).collect::<Vec<_>>())
            })
        })
        .collect();
    let mut servers = Vec::new();
    for server in starting {
        servers.push(server.await.unwrap());
    }
    let inputs: HashSet<_> = servers.iter().map(|(_, pipes)| pipes[0].clone()).collect();
    assert_eq!(inputs.len(), SERVERS);
    for (client, pipes) in servers {
        let held: HashSet<_> = pipes.into_iter().filter(|pipe| inputs.contains(pipe)).collect();
        assert_eq!(held.len(), 1, "{held:?}");
        client.close().await;
    }
}

#[test]
fn c01_servers_end_when_their_host_is_killed() {
    let folder = Folder::new();
    let fifo = folder.path().join("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let mut host = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "many::a_host_that_will_be_killed", "--ignored", "--nocapture"])
        .env("OMNIPORT_FIFO", &fifo)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(host.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("all are there")));
    host.kill().unwrap();
    host.wait().unwrap();
    // Both ends, so that it is there before the first server writes and does not end with it.
    let mut ends = std::fs::OpenOptions::new().read(true).write(true).open(&fifo).unwrap();
    let mut told = [0; SERVERS];
    ends.read_exact(&mut told).unwrap();
    assert_eq!(told, [b'.'; SERVERS]);
}

#[tokio::test]
#[ignore = "the host of another test"]
async fn a_host_that_will_be_killed() {
    let Some(fifo) = std::env::vars().find_map(|(name, value)| (name == "OMNIPORT_FIFO").then_some(value)) else {
        return;
    };
    let mut clients = Vec::new();
    for _ in 0..SERVERS {
        clients.push(Client::open(shell("", &format!("printf . >{fifo}")), options()).await.unwrap());
    }
    println!("all are there");
    std::future::pending::<()>().await;
}
