//! A client as a language sees it: settings as JSON text, calls by token, and what is told in inboxes. A binding adds the conversion of
//! strings, nothing else.

use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::client::ClientConnection;
use super::target::Target;
use super::{clock, runtime};
use crate::bridge::{self, ClientDesk, Inbox, Listens, Part, Told};
use crate::engine::Engine;
use crate::engine::client::{CallOptions, ClientEngine, ClientOptions, Operation, Token};
use crate::error::{Error, ErrorKind, Result};

/// Tokens are numbers in every language: above it a double has gaps.
const LAST_TOKEN: u64 = (1 << 53) - 1;

/// One connection of a client. Nothing here blocks.
pub struct ClientFace {
    options: ClientOptions,
    desk: Arc<ClientDesk>,
    life: Arc<Mutex<Life>>,
    closes: AtomicU64,
    /// The process it was made in: threads and locks do not survive a fork (P12).
    process: u32,
}

/// How far a connection is.
enum Life {
    New,
    Open(ClientConnection),
    /// Whoever waits for its end: an inbox and the token to put there.
    Closing(Vec<(Arc<Inbox>, Token)>),
    Closed,
}

fn locked(life: &Mutex<Life>) -> MutexGuard<'_, Life> {
    life.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ClientFace {
    /// A client that is not connected yet, with settings as JSON text; what belongs to no call is told to `home`.
    pub fn new(home: &Arc<Inbox>, settings: &str) -> Result<Self> {
        let (options, listens) = bridge::parse_client(settings)?;
        let desk = Arc::new(ClientDesk::new(Arc::clone(home), listens, options.limits.host_events));
        let life = Arc::new(Mutex::new(Life::New));
        Ok(Self { options, desk, life, closes: AtomicU64::new(0), process: std::process::id() })
    }

    /// Its desk.
    pub fn desk(&self) -> &Arc<ClientDesk> {
        &self.desk
    }

    fn check_process(&self) -> Result<()> {
        match std::process::id() == self.process {
            true => Ok(()),
            false => Err(Error::internal("this client was opened before a fork: open one in this process")),
        }
    }

    /// Connects to a target as JSON text; the token of the answer, which says who is there.
    pub fn connect_target(&self, inbox: &Arc<Inbox>, target: &str) -> Result<Token> {
        self.connect(inbox, Target::parse(target)?)
    }

    /// Connects to a server of the same process.
    pub fn connect_server(&self, inbox: &Arc<Inbox>, server: Arc<Engine>) -> Result<Token> {
        self.connect(inbox, Target::Server(server))
    }

    fn connect(&self, inbox: &Arc<Inbox>, target: Target) -> Result<Token> {
        self.check_process()?;
        let mut life = locked(&self.life);
        if !matches!(*life, Life::New) {
            return Err(Error::internal("a connection is made once"));
        }
        let connection = target.connect(&runtime::shared()?, self.options.clone(), Arc::clone(&self.desk) as _);
        let token = connection.opened;
        *life = Life::Open(connection);
        drop(life);
        self.desk.route(token, inbox, Listens::default());
        Ok(token)
    }

    fn engine(&self) -> Result<Arc<ClientEngine>> {
        self.check_process()?;
        match &*locked(&self.life) {
            Life::Open(connection) => Ok(Arc::clone(&connection.engine)),
            _ => Err(Error::new(ErrorKind::Closed, "the client is not connected")),
        }
    }

    /// Starts a call; its answer, progress and log messages go to `inbox`.
    pub fn request(&self, inbox: &Arc<Inbox>, what: &str, params: &str, options: Option<&str>) -> Result<Token> {
        let operation = Operation::parse(what)
            .ok_or_else(|| Error::definition(format!("there is no operation `{what}` of a client")))?;
        let params = bridge::params_of(operation, params)?;
        let (options, listens) = match options {
            Some(options) => bridge::parse_call(options)?,
            None => (CallOptions::default(), Listens::default()),
        };
        let token = self.engine()?.start(operation, &params, options, clock::now());
        self.desk.route(token, inbox, listens);
        Ok(token)
    }

    /// Takes a call back. A token that is over is ignored.
    pub fn cancel(&self, token: Token, reason: &str) {
        if let Ok(engine) = self.engine() {
            engine.cancel(token, reason);
        }
    }

    /// The answer to a question of the server.
    pub fn answer(&self, number: u64, answer: &str) {
        if let Ok(engine) = self.engine() {
            engine.answer(number, answer, clock::now());
        }
    }

    /// The roots are different now.
    pub fn roots_changed(&self) -> Result<()> {
        self.engine().map(|engine| engine.roots_changed())
    }

    /// Ends the connection in the background. The answer of the token comes when nothing is left of it.
    pub fn close(&self, inbox: &Arc<Inbox>) -> Result<Token> {
        self.check_process()?;
        // Counted down from above, where no call of the engine's will come.
        let token = LAST_TOKEN - self.closes.fetch_add(1, Ordering::Relaxed);
        let mut life = locked(&self.life);
        match &mut *life {
            Life::Open(_) => {}
            Life::Closing(waiting) => {
                waiting.push((Arc::clone(inbox), token));
                return Ok(token);
            }
            Life::New | Life::Closed => {
                inbox.push(ended(self.desk.number, token));
                return Ok(token);
            }
        }
        let runtime = runtime::shared()?;
        let waiting = Life::Closing(vec![(Arc::clone(inbox), token)]);
        let Life::Open(connection) = mem::replace(&mut *life, waiting) else { return Ok(token) };
        drop(life);
        let (life, number) = (Arc::clone(&self.life), self.desk.number);
        runtime.spawn(async move {
            connection.close().await;
            let before = mem::replace(&mut *locked(&life), Life::Closed);
            if let Life::Closing(waiting) = before {
                for (inbox, token) in waiting {
                    inbox.push(ended(number, token));
                }
            }
        });
        Ok(token)
    }
}

fn ended(client: u64, token: Token) -> Told {
    Told { client, part: Part::Result, token, text: "null".into() }
}

impl Drop for ClientFace {
    fn drop(&mut self) {
        if std::process::id() != self.process {
            // Locks of the other process may be held for ever, and what they guard is its business.
            mem::forget(mem::replace(&mut self.life, Arc::new(Mutex::new(Life::Closed))));
        }
    }
}
