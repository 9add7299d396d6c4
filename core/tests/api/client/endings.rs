//! How things end: calls that are dropped, clients that are closed or dropped, servers that are not there.

use std::sync::{Arc, Mutex};

use omniport::api::client::Client;
use omniport::api::{App, Context, NoArguments};
use omniport::error::ErrorKind;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::{plain, server};

/// A server with a tool that never ends; told are its starts, and its ends by cancellation.
fn endless() -> (App, UnboundedReceiver<&'static str>) {
    let (tell, told) = unbounded_channel();
    let app = server()
        .tool("wait", "", move |_: NoArguments, cx: Context| {
            let tell = tell.clone();
            async move {
                tell.send("started")?;
                tokio::spawn(async move {
                    cx.cancelled().await;
                    let _ = tell.send("cancelled");
                });
                std::future::pending::<()>().await;
                Ok(())
            }
        })
        .build()
        .unwrap();
    (app, told)
}

#[tokio::test]
async fn a_call_that_is_dropped_is_cancelled() {
    let (app, mut told) = endless();
    for client in plain(&app).await {
        let mut call = client.call_tool("wait", ());
        tokio::select! {
            answer = &mut call => panic!("{answer:?}"),
            started = told.recv() => assert_eq!(started, Some("started")),
        }
        drop(call);
        assert_eq!(told.recv().await, Some("cancelled"));
        // One that was never awaited was never sent.
        drop(client.call_tool("wait", ()).safe(true));
        client.ping().await.unwrap();
        assert!(told.is_empty());
    }
}

#[tokio::test]
async fn a_client_that_is_dropped_ends_what_it_began() {
    let (app, mut told) = endless();
    for client in plain(&app).await {
        let mut changes = client.changes();
        let clone = client.clone();
        let call = tokio::spawn(clone.call_tool("wait", ()));
        assert_eq!(told.recv().await, Some("started"));
        drop((client, clone));
        call.abort();
        assert!(call.await.unwrap_err().is_cancelled());
        assert_eq!(told.recv().await, Some("cancelled"));
        assert_eq!(changes.next().await, None);
    }
}

#[tokio::test]
async fn closing_fails_what_runs_for_all_clones() {
    let (app, mut told) = endless();
    for client in plain(&app).await {
        let call = tokio::spawn(client.call_tool("wait", ()));
        assert_eq!(told.recv().await, Some("started"));
        let clone = client.clone();
        tokio::join!(client.close(), clone.close());
        assert_eq!(call.await.unwrap().unwrap_err().kind(), ErrorKind::Closed);
        assert_eq!(told.recv().await, Some("cancelled"));
        assert_eq!(clone.ping().await.unwrap_err().kind(), ErrorKind::Closed);
    }
}

#[tokio::test]
async fn a_callback_may_hold_its_own_client() {
    let (app, _) = endless();
    let slot = Arc::<Mutex<Option<Client>>>::default();
    let held = Arc::clone(&slot);
    let client = Client::builder(&app).on_state(move |_| drop(held.lock().unwrap().clone())).connect().await.unwrap();
    *slot.lock().unwrap() = Some(client.clone());
    client.close().await;
}

#[tokio::test]
async fn what_cannot_be_reached_is_an_error_with_its_facts() {
    let error = Client::connect(["/nonexistent/server"]).await.err().unwrap();
    assert_eq!((error.kind(), error.fact("command")), (ErrorKind::Io, Some("/nonexistent/server")));
    let error = Client::connect("no address").await.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::InvalidParams);
}

#[test]
fn without_a_runtime_there_is_an_error_and_no_panic() {
    let (app, _) = endless();
    let mut connecting = std::pin::pin!(Client::connect(&app));
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    let std::task::Poll::Ready(outcome) = connecting.as_mut().poll(&mut cx) else { panic!("it waits for nothing") };
    assert_eq!(outcome.err().unwrap().kind(), ErrorKind::Internal);
}
