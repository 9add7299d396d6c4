//! Changes of lists: storms, and what is different after them.

use std::time::Duration;

use omniport::engine::client::{CallOptions, Change, ToolsDiff};
use omniport::limits::Limits;

use super::recorder::{Client, Lines, Told};
use super::talk::{legacy, modern, options, reports};

fn changed(client: &Client<Lines>, what: &str) {
    client.hear(&format!(r#"{{"jsonrpc":"2.0","method":"notifications/{what}/list_changed"}}"#));
}

fn wait(client: &mut Client<Lines>) {
    client.pass(Limits::default().refresh_after);
}

fn tools(definitions: &[(&str, &str)]) -> String {
    let tools: Vec<_> = definitions
        .iter()
        .map(|(name, text)| format!(r#"{{"name":"{name}","description":"{text}","inputSchema":{{}}}}"#))
        .collect();
    format!(r#"{{"tools":[{}]}}"#, tools.join(","))
}

fn list(client: &Client<Lines>, definitions: &[(&str, &str)]) {
    client.ask("list_tools", "{}", CallOptions::default(), &tools(definitions));
}

fn answer(client: &Client<Lines>, definitions: &[(&str, &str)]) {
    let request = client.sent_one();
    assert_eq!(request["method"], "tools/list");
    client.reply(&request, &format!("\"result\":{}", tools(definitions)));
}

/// What was told of changes since the last time.
fn changes(client: &Client<Lines>) -> Vec<Change> {
    let told = client.host.take().into_iter();
    told.filter_map(|told| match told {
        Told::Change(change) => Some(change),
        _ => None,
    })
    .collect()
}

fn diff(added: &[&str], removed: &[&str], changed: &[&str]) -> Change {
    let names = |names: &[&str]| names.iter().map(|name| Box::from(*name)).collect();
    let mut diff = ToolsDiff::default();
    (diff.added, diff.removed, diff.changed) = (names(added), names(removed), names(changed));
    Change::Tools(Some(Box::new(diff)))
}

#[test]
fn y09_a_storm_is_told_once() {
    for mut client in [modern(options()), legacy(options())] {
        for _ in 0..1000 {
            ["tools", "resources", "prompts"].iter().for_each(|what| changed(&client, what));
        }
        client.pass(Duration::from_millis(49));
        assert!(changes(&client).is_empty());
        // More of the same does not put it off.
        changed(&client, "tools");
        client.pass(Duration::from_millis(1));
        let mut told = changes(&client);
        told.sort_by_key(|change| format!("{change:?}"));
        assert_eq!(told, [Change::Prompts, Change::Resources, Change::Tools(None)]);
        assert!(client.sent().is_empty(), "nobody has seen a list of tools");
        wait(&mut client);
        assert!(changes(&client).is_empty());
    }
}

#[test]
fn a_list_that_was_seen_is_read_again() {
    let mut client = modern(options());
    list(&client, &[("b", ""), ("a", ""), ("d", "")]);
    for _ in 0..100 {
        changed(&client, "tools");
    }
    wait(&mut client);
    answer(&client, &[("c", ""), ("b", "new"), ("a", ""), ("aa", "")]);
    assert_eq!(changes(&client), [diff(&["aa", "c"], &["d"], &["b"])]);
    // Nothing that is compared is different: the host hears of the storm all the same.
    changed(&client, "tools");
    wait(&mut client);
    answer(&client, &[("a", ""), ("aa", ""), ("b", "new"), ("c", "")]);
    assert_eq!(changes(&client), [diff(&[], &[], &[])]);
    // What the caller saw meanwhile is what the next difference starts from.
    list(&client, &[("a", "")]);
    changed(&client, "tools");
    wait(&mut client);
    answer(&client, &[("a", ""), ("z", "")]);
    assert_eq!(changes(&client), [diff(&["z"], &[], &[])]);
}

#[test]
fn one_reading_at_a_time_and_one_more_for_all_that_changed_meanwhile() {
    let mut client = modern(options());
    list(&client, &[]);
    changed(&client, "tools");
    wait(&mut client);
    let first = client.sent_one();
    for _ in 0..3 {
        changed(&client, "tools");
        wait(&mut client);
    }
    assert!(client.sent().is_empty());
    client.reply(&first, &format!("\"result\":{}", tools(&[("old", "")])));
    answer(&client, &[("new", "")]);
    assert_eq!(changes(&client), [diff(&["old"], &[], &[]), diff(&["new"], &["old"], &[])]);
    assert!(client.sent().is_empty());
}

#[test]
fn the_last_state_wins() {
    let mut client = modern(options());
    list(&client, &[]);
    client.start("list_tools", "{}");
    let slow = client.sent_one();
    changed(&client, "tools");
    wait(&mut client);
    answer(&client, &[("new", "")]);
    assert_eq!(changes(&client), [diff(&["new"], &[], &[])]);
    client.reply(&slow, &format!("\"result\":{}", tools(&[("old", "")])));
    client.host.take();
    changed(&client, "tools");
    wait(&mut client);
    answer(&client, &[("new", ""), ("newer", "")]);
    assert_eq!(changes(&client), [diff(&["newer"], &[], &[])]);
}

#[test]
fn a_reading_that_fails_is_reported_and_still_a_change() {
    let mut client = modern(options());
    list(&client, &[("a", "")]);
    changed(&client, "tools");
    wait(&mut client);
    client.reply(&client.sent_one(), r#""error":{"code":-32603,"message":"busy"}"#);
    let told = client.host.take();
    assert!(reports(&told)[0].contains("busy"), "{told:?}");
    assert!(matches!(told.last(), Some(Told::Change(Change::Tools(None)))));
    changed(&client, "tools");
    wait(&mut client);
    answer(&client, &[("a", ""), ("b", "")]);
    assert_eq!(changes(&client), [diff(&["b"], &[], &[])]);
    // A client that ends owes nobody a change.
    changed(&client, "tools");
    wait(&mut client);
    client.sent_one();
    client.engine.close();
    assert!(changes(&client).is_empty());
}
