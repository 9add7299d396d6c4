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
    let engine = ClientEngine::new(options, Link::Lines(Arc::new(ToServer(to_server))), host);
    let carry = carry(Arc::clone(&engine), Arc::clone(server), from_client);
    ClientConnection::open(runtime, engine, carry)
}

enum Out {
    Line(Bytes),
    Restart,
    Close,
}

struct ToServer(UnboundedSender<Out>);

impl ToServer {
    fn push(&self, out: Out) {
        // After the end of the carrier there is nobody to send to, and the engine knows.
        let _ = self.0.send(out);
    }
}

impl LineSink for ToServer {
    fn send(&self, message: Bytes) {
        self.push(Out::Line(message));
    }

    fn restart(&self) {
        self.push(Out::Restart);
    }

    fn close(&self) {
        self.push(Out::Close);
    }
}

struct ToClient(UnboundedSender<Bytes>);

impl Sink for ToClient {
    fn send(&self, frame: Frame) {
        let _ = self.0.send(frame.into_message().into_bytes());
    }
}

/// Carries messages both ways, in a task of its own: an engine must not be called from within the other's effects. A restart is a new
/// connection to the same server.
async fn carry(client: Arc<ClientEngine>, server: Arc<Engine>, mut from_client: UnboundedReceiver<Out>) {
    loop {
        let (to_client, mut from_server) = unbounded_channel();
        let connection = server.connect(Arc::new(ToClient(to_client)));
        let restarts = loop {
            tokio::select! {
                out = from_client.recv() => match out {
                    Some(Out::Line(message)) => connection.receive(message, clock::now()),
                    Some(Out::Restart) => break true,
                    Some(Out::Close) | None => break false,
                },
                Some(message) = from_server.recv() => client.receive(&message, clock::now()),
            }
        };
        connection.close("the client closed the connection");
        if !restarts {
            return;
        }
    }
}
