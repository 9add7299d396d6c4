//! The open connections of one thread, so that they can be told to end.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use slab::Slab;
use tokio::sync::Notify;

/// A connection that can be told to end after its running request.
pub(super) trait Graceful: Future {
    fn end(self: Pin<&mut Self>);
}

/// All of them.
#[derive(Default)]
pub(super) struct Connections {
    ending: AtomicBool,
    wakers: Mutex<Slab<Option<Waker>>>,
    none_left: Notify,
}

/// Drives one connection to its end.
pub(super) struct Served<C> {
    connection: Pin<Box<C>>,
    place: Place,
    is_known: bool,
    told: bool,
}

struct Place {
    connections: Arc<Connections>,
    key: usize,
}

impl Connections {
    fn wakers(&self) -> MutexGuard<'_, Slab<Option<Waker>>> {
        self.wakers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a connection until its future ends or is dropped.
    pub fn serve<C: Graceful>(self: &Arc<Self>, connection: C) -> Served<C> {
        let key = self.wakers().insert(None);
        let place = Place { connections: Arc::clone(self), key };
        Served { connection: Box::pin(connection), place, is_known: false, told: false }
    }

    /// Tells every connection, also those that come later, to end.
    pub fn end(&self) {
        self.ending.store(true, Ordering::Release);
        for (_, waker) in &*self.wakers() {
            if let Some(waker) = waker {
                waker.wake_by_ref();
            }
        }
    }

    /// Waits until there is none.
    pub async fn none_left(&self) {
        loop {
            let notified = self.none_left.notified();
            if self.wakers().is_empty() {
                return;
            }
            notified.await;
        }
    }
}

impl<C: Graceful> Future for Served<C> {
    type Output = C::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<C::Output> {
        let this = &mut *self;
        // A task's waker is the same for all its life.
        if !this.is_known {
            this.is_known = true;
            this.place.connections.wakers()[this.place.key] = Some(context.waker().clone());
        }
        if !this.told && this.place.connections.ending.load(Ordering::Acquire) {
            this.told = true;
            this.connection.as_mut().end();
        }
        this.connection.as_mut().poll(context)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut wakers = self.connections.wakers();
        wakers.remove(self.key);
        if wakers.is_empty() {
            self.connections.none_left.notify_waiters();
        }
    }
}
