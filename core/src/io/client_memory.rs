//! A client of a server in the same process. Messages cross as the text they would be on a wire: nothing is shared, and nothing is
//! different from a remote server.

use std::sync::Arc;

use bytes::Bytes;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::client::ClientConnection;
use super::clock;
use crate::engine::Engine;
use crate::engine::client::{ClientEngine, ClientHost, ClientOptions, LineSink, Link};
use crate::protocol::sink::{Frame, Sink};

/// Connects to a server of this process. Its deadlines must be driven by whoever made it.
pub fn connect_engine(
    runtime: &Handle,
    options: ClientOptions,
    server: &Arc<Engine>,
    host: Arc<dyn ClientHost>,
) -> ClientConnection {
    let (to_server, from_client) = unbounded_channel();
    let (to_client, from_server) = unbounded_channel();
    let engine = ClientEngine::new(options, Link::Lines(Arc::new(ToServer(to_server))), host);
    let carry = carry(Arc::clone(&engine), Arc::clone(server), ToClient(to_client), from_client, from_server);
    ClientConnection::open(runtime, engine, carry)
}

/// `None` says that the client is closed.
struct ToServer(UnboundedSender<Option<Bytes>>);

impl LineSink for ToServer {
    fn send(&self, message: Bytes) {
        // After the end of the carrier there is nobody to send to, and the engine knows.
        let _ = self.0.send(Some(message));
    }

    fn restart(&self) {
        let _ = self.0.send(None);
    }

    fn close(&self) {
        let _ = self.0.send(None);
    }
}

struct ToClient(UnboundedSender<Bytes>);

impl Sink for ToClient {
    fn send(&self, frame: Frame) {
        let _ = self.0.send(frame.into_message().into_bytes());
    }
}

/// Carries messages both ways, in a task of its own: an engine must not be called from within the other's effects.
async fn carry(
    client: Arc<ClientEngine>,
    server: Arc<Engine>,
    sink: ToClient,
    mut from_client: UnboundedReceiver<Option<Bytes>>,
    mut from_server: UnboundedReceiver<Bytes>,
) {
    let connection = server.connect(Arc::new(sink));
    loop {
        tokio::select! {
            message = from_client.recv() => match message.flatten() {
                Some(message) => connection.receive(message, clock::now()),
                None => break,
            },
            message = from_server.recv() => match message {
                Some(message) => client.receive(&message, clock::now()),
                None => break,
            },
        }
    }
    connection.close("the client closed the connection");
}
