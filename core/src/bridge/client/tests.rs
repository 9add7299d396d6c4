use super::*;
use crate::bridge::wake::Wake;

struct Quiet;
impl Wake for Quiet {
    fn wake(&self) {}
}

fn inbox() -> Arc<Inbox> {
    Arc::new(Inbox::new(Box::new(Quiet)))
}

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

fn parts(inbox: &Inbox) -> Vec<(Part, u64)> {
    inbox.take(100_000).iter().map(|told| (told.part, told.token)).collect()
}

#[test]
fn an_answer_that_is_there_before_its_route_arrives() {
    let (home, caller) = (inbox(), inbox());
    let desk = ClientDesk::new(Arc::clone(&home), Listens { progress: true, ..Listens::default() }, 10);
    desk.progress(5, raw("{}"));
    desk.result(5, Ok(raw("{}")));
    desk.route(5, &caller, Listens::default());
    assert_eq!(parts(&caller), [(Part::Progress, 5), (Part::Result, 5)]);
    desk.route(6, &caller, Listens::default());
    desk.result(6, Err(Error::internal("x")));
    assert_eq!(parts(&caller), [(Part::Error, 6)]);
    assert_eq!(parts(&home), []);
    assert!(desk.routes().calls.is_empty() && desk.routes().early.is_empty());
}

#[test]
fn an_answer_by_hand_says_whether_it_needs_input() {
    let (home, caller) = (inbox(), inbox());
    let desk = ClientDesk::new(Arc::clone(&home), Listens::default(), 10);
    desk.input_required(1, raw("{}"));
    for token in [1, 2] {
        desk.route(token, &caller, Listens::default());
    }
    desk.input_required(2, raw("{}"));
    assert_eq!(parts(&caller), [(Part::Input, 1), (Part::Input, 2)]);
    assert!(desk.routes().calls.is_empty() && desk.routes().early.is_empty());
}

#[test]
fn a_question_is_named_by_our_word() {
    let home = inbox();
    let desk = ClientDesk::new(Arc::clone(&home), Listens::default(), 10);
    for (kind, text) in [
        (AskKind::Elicit, r#"{"elicit":{"a":1}}"#),
        (AskKind::ElicitUrl, r#"{"elicit_url":{"a":1}}"#),
        (AskKind::Sample, r#"{"sample":{"a":1}}"#),
        (AskKind::Roots, r#"{"roots":{"a":1}}"#),
    ] {
        desk.ask(7, kind, raw(r#"{"a":1}"#));
        let told = home.take(10).remove(0);
        assert_eq!((told.part, told.token, &told.text[..]), (Part::Asked, 7, text.as_bytes()));
    }
}

#[test]
fn nobody_is_told_what_nobody_listens_to() {
    let (home, caller) = (inbox(), inbox());
    let desk = ClientDesk::new(Arc::clone(&home), Listens::default(), 10);
    desk.route(1, &caller, Listens::default());
    desk.route(2, &caller, Listens { progress: true, log: true, stderr: false });
    for token in [1, 2] {
        desk.progress(token, raw("{}"));
        desk.log(Some(token), raw("{}"));
    }
    desk.log(None, raw("{}"));
    desk.stderr("line");
    assert_eq!(parts(&caller), [(Part::Progress, 2), (Part::Log, 2)]);
    assert_eq!(parts(&home), []);
}

#[test]
fn what_a_slow_host_does_not_handle_is_dropped_and_counted() {
    // Y09
    let home = inbox();
    let desk = ClientDesk::new(Arc::clone(&home), Listens { log: true, ..Listens::default() }, 3);
    for _ in 0..100 {
        desk.log(None, raw("{}"));
    }
    desk.state(ClientState::Ready);
    assert_eq!(parts(&home), [(Part::State, 0), (Part::Log, 0), (Part::Log, 0), (Part::Log, 0)]);
    desk.log(None, raw("{}"));
    assert_eq!(parts(&home), [], "taken is not handled");
    desk.handled(2);
    assert_eq!(parts(&home), []);
    desk.handled(1);
    let reports = home.take(10);
    let text = String::from_utf8(reports[0].text.to_vec()).unwrap();
    assert!(text.starts_with("98 notifications") && text.contains("host_events"), "{text}");
    assert_eq!(reports.len(), 1);
    desk.log(None, raw("{}"));
    assert_eq!(parts(&home), [(Part::Log, 0)]);
}

#[test]
fn a_change_of_tools_says_which() {
    let diff = ToolsDiff { added: vec!["a".into(), "b".into()], ..ToolsDiff::default() };
    let (_, text) = change_text(&Change::Tools(Some(Box::new(diff))));
    assert_eq!(String::from_utf8(text).unwrap(), r#"{"kind":"tools","added":["a","b"],"removed":[],"changed":[]}"#);
    let (token, text) = change_text(&Change::Ended { token: 4 });
    assert_eq!((token, &text[..]), (4, &br#"{"kind":"ended"}"#[..]));
}
