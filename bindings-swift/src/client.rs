//! `NativeClient`: one connection of a client.

use std::sync::Arc;

use omniport::bridge;
use omniport::io::client_face::ClientFace;

use crate::engine::Engine;
use crate::fault::Result;
use crate::inbox::Inbox;

/// One connection of a client. Nothing here blocks.
#[derive(uniffi::Object)]
pub struct NativeClient {
    face: ClientFace,
    inbox: Arc<bridge::Inbox>,
}

#[uniffi::export]
impl NativeClient {
    /// A client with settings as JSON text, whose everything is told to `inbox`; see `bridge::parse_client`.
    #[uniffi::constructor]
    pub fn new(inbox: &Inbox, options: &str) -> Result<Arc<Self>> {
        let inbox = Arc::clone(&inbox.inner);
        Ok(Arc::new(Self { face: ClientFace::new(&inbox, options)?, inbox }))
    }

    /// Names the client in the inbox.
    pub fn number(&self) -> u64 {
        self.face.desk().number
    }

    /// Connects to a target as JSON text; the token of an answer `{"server", "capabilities", "protocol_version", "instructions"}`.
    pub fn connect_target(&self, target: &str) -> Result<u64> {
        Ok(self.face.connect_target(&self.inbox, target)?)
    }

    /// Connects to a server of this process.
    pub fn connect_engine(&self, server: &Engine) -> Result<u64> {
        Ok(self.face.connect_server(&self.inbox, server.serve_in_memory())?)
    }

    /// Starts a call; the token that its answer, progress and log messages name.
    pub fn request(&self, what: &str, params: &str, options: Option<String>) -> Result<u64> {
        Ok(self.face.request(&self.inbox, what, params, options.as_deref())?)
    }

    /// Takes a call back: it fails as cancelled at once, and the server is told. A token that is over is ignored.
    pub fn cancel(&self, token: u64, reason: &str) {
        self.face.cancel(token, reason);
    }

    /// The answer to what the server asked: `{"result"}` or `{"error": {"kind", "message", "code"?, "data"?}}`.
    pub fn answer(&self, number: u64, answer: &str) {
        self.face.answer(number, answer);
    }

    /// The roots are different now.
    pub fn roots_changed(&self) -> Result<()> {
        Ok(self.face.roots_changed()?)
    }

    /// So many notifications were handled.
    pub fn handled(&self, count: u32) {
        self.face.desk().handled(count as usize);
    }

    /// Ends the connection; the token of an answer that comes when nothing is left.
    pub fn close(&self) -> Result<u64> {
        Ok(self.face.close(&self.inbox)?)
    }
}
