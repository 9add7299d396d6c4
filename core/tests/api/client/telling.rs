//! What a server tells: logs, progress, changes, states.

use std::sync::{Arc, Mutex, mpsc};

use omniport::api::client::{Builder, Change, ClientState, Level};
use omniport::api::{App, Context, Kind, NoArguments, Offer, ResourceSpec, ToolSpec};
use omniport::error::ErrorKind;
use omniport::types::{LoggingLevel, SubscriptionFilter};

use super::{clients, is_modern, plain, server};

fn changing() -> App {
    server()
        .declare(Kind::Tools)
        .declare(Kind::Prompts)
        .offer(Offer::resource(ResourceSpec::new("test://a", "a"), |_, _| async { Ok("a") }))
        .tool("chat", "", |_: NoArguments, cx: Context| async move {
            for number in 0..100 {
                cx.log(Level::Info, number);
            }
            Ok(())
        })
        .build()
        .unwrap()
}

fn add_tool(app: &App, name: &str) {
    app.add(Offer::tool(ToolSpec::new(name), |_: NoArguments, _| async { Ok(()) })).unwrap();
}

#[tokio::test]
async fn logs_come_in_order_when_they_are_asked_for() {
    let app = changing();
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let hearing = |builder: Builder| {
        let tell = tell.clone();
        builder.on_log(move |log| {
            assert_eq!(log.level, LoggingLevel::Info);
            tell.send(log.data.as_u64().unwrap()).unwrap();
        })
    };
    for client in clients(&app, hearing).await {
        client.set_log_level(Level::Debug).await.unwrap();
        client.call_tool("chat", ()).await.unwrap();
        for number in 0..100 {
            assert_eq!(told.recv().await, Some(number));
        }
        assert_eq!(client.dropped_events(), 0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn y09_a_slow_callback_holds_up_no_answer_and_what_it_misses_is_counted() {
    let app = changing();
    let (open, gate) = mpsc::channel::<()>();
    let gate = Arc::new(Mutex::new(gate));
    let heard = Arc::<Mutex<u64>>::default();
    let slow = |builder: Builder| {
        let (gate, heard) = (Arc::clone(&gate), Arc::clone(&heard));
        builder.limits(|limits| limits.host_events = 10).on_log(move |_| {
            // Ends with the other side of the gate.
            let _ = gate.lock().unwrap().recv();
            *heard.lock().unwrap() += 1;
        })
    };
    let clients = clients(&app, slow).await;
    for client in &clients {
        client.set_log_level(Level::Debug).await.unwrap();
        client.call_tool("chat", ()).await.unwrap();
        client.ping().await.unwrap();
        assert!((89..=90).contains(&client.dropped_events()), "{}", client.dropped_events());
    }
    let missed: u64 = clients.iter().map(|client| client.dropped_events()).sum();
    drop(open);
    while *heard.lock().unwrap() + missed < 200 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_callback_that_panics_costs_one_event() {
    let app = changing();
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let panicking = |builder: Builder| {
        let tell = tell.clone();
        builder.on_log(move |log| {
            assert_ne!(log.data, 0, "a bug of the user's");
            tell.send(log.data.as_u64().unwrap()).unwrap();
        })
    };
    for client in clients(&app, panicking).await {
        client.set_log_level(Level::Debug).await.unwrap();
        client.call_tool("chat", ()).await.unwrap();
        for number in 1..100 {
            assert_eq!(told.recv().await, Some(number));
        }
    }
}

#[tokio::test]
async fn a_subscription_tells_what_was_asked_for_until_it_is_dropped() {
    let app = changing();
    for (round, client) in plain(&app).await.into_iter().enumerate() {
        let mut filter = SubscriptionFilter::default();
        filter.tools_list_changed = Some(true);
        let mut subscription = client.listen(&filter).await.unwrap();
        assert_eq!(subscription.accepted().tools_list_changed, Some(true));
        app.add(Offer::resource(ResourceSpec::new(format!("test://{round}"), "more"), |_, _| async { Ok("") }))
            .unwrap();
        add_tool(&app, &format!("tool-{round}"));
        assert!(matches!(subscription.next().await, Some(Change::Tools(_))));
        drop(subscription);
        client.ping().await.unwrap();

        filter.resource_subscriptions = Some(vec!["test://a".to_owned()]);
        match client.listen(&filter).await {
            Ok(mut subscription) => {
                assert!(is_modern(&client));
                app.resource_updated("test://a");
                assert_eq!(subscription.next().await, Some(Change::Resource { uri: "test://a".into() }));
                client.close().await;
                assert_eq!(subscription.next().await, None);
            }
            Err(error) => assert!(!is_modern(&client) && error.kind() == ErrorKind::InvalidParams, "{error}"),
        }
    }
}

#[tokio::test]
async fn changes_are_a_stream_until_the_client_is_closed() {
    let app = changing();
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let hearing = |builder: Builder| {
        let tell = tell.clone();
        builder.on_change(move |change| tell.send(change).unwrap())
    };
    for client in clients(&app, hearing).await {
        let mut changes = client.changes();
        client.subscribe("test://a").await.unwrap();
        app.resource_updated("test://a");
        let change = Change::Resource { uri: "test://a".into() };
        assert_eq!(changes.next().await.as_ref(), Some(&change));
        assert_eq!(told.recv().await, Some(change));
        client.close().await;
        while changes.next().await.is_some() {}
        assert!(client.changes().next().await.is_some_and(|_| false) || client.ping().await.is_err());
    }
}

#[tokio::test]
async fn states_are_told_and_can_be_watched() {
    let app = changing();
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let hearing = |builder: Builder| {
        let tell = tell.clone();
        builder.on_state(move |state| tell.send(state).unwrap())
    };
    for client in clients(&app, hearing).await {
        assert_eq!(client.state(), ClientState::Ready);
        assert_eq!(*client.states().borrow(), ClientState::Ready);
        client.close().await;
    }
    let mut seen = [0; 2];
    while seen != [2, 2] {
        match told.recv().await.unwrap() {
            ClientState::Connecting => seen[0] += 1,
            ClientState::Ready => seen[1] += 1,
            _ => {}
        }
    }
}
