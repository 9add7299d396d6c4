//! Rate limits and concurrency limits of calls.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use governor::clock::{Clock, Reference};
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};
use rustc_hash::FxHashMap;

use super::ServerOptions;
use super::call::Work;
use super::host::Principal;
use crate::error::{Error, Result};
use crate::registry::tool::Rate;
use crate::time::Now;

/// The clock of the limiters: the time of the event that is being served.
#[derive(Clone, Debug, Default)]
struct EventClock(Arc<AtomicU64>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct EventTime(u64);

impl std::ops::Add<Nanos> for EventTime {
    type Output = Self;
    fn add(self, nanos: Nanos) -> Self {
        Self(self.0.saturating_add(nanos.as_u64()))
    }
}

impl Reference for EventTime {
    fn duration_since(&self, earlier: Self) -> Nanos {
        Nanos::from(self.0.saturating_sub(earlier.0))
    }

    fn saturating_sub(&self, duration: Nanos) -> Self {
        Self(self.0.saturating_sub(duration.as_u64()))
    }
}

impl Clock for EventClock {
    type Instant = EventTime;
    fn now(&self) -> EventTime {
        EventTime(self.0.load(Ordering::Relaxed))
    }
}

type Keyed = RateLimiter<String, HashMapStateStore<String>, EventClock, NoOpMiddleware<EventTime>>;

/// Budgets above which the ones that are full again are forgotten.
const KEPT_BUDGETS: usize = 1024;

struct Limiter {
    rate: Rate,
    clock: EventClock,
    keyed: Keyed,
}

impl Limiter {
    fn new(rate: Rate) -> Option<Self> {
        let calls = NonZeroU32::new(rate.calls)?;
        // Of a longer time it would panic: it counts in nanoseconds.
        let per = rate.per.min(Duration::from_secs(u32::MAX.into()));
        let quota = Quota::with_period(per / rate.calls)?.allow_burst(calls);
        let clock = EventClock::default();
        Some(Self { rate, keyed: RateLimiter::new(quota, HashMapStateStore::default(), clock.clone()), clock })
    }

    /// Takes one call from the budget of `key`; the error says how long to wait.
    fn take(&self, key: &str, now: Now) -> Result<(), Duration> {
        let nanos = u64::try_from(now.monotonic.as_nanos()).unwrap_or(u64::MAX);
        self.clock.0.fetch_max(nanos, Ordering::Relaxed);
        if self.keyed.len() > KEPT_BUDGETS {
            self.keyed.retain_recent();
        }
        self.keyed.check_key(&key.to_owned()).map_err(|wait| wait.wait_time_from(self.clock.now()))
    }
}

/// The guards of one server.
pub(super) struct Guards {
    all: Option<Limiter>,
    running: Arc<AtomicUsize>,
    concurrency: Option<usize>,
    tools: Mutex<FxHashMap<Box<str>, Arc<ToolGuard>>>,
}

struct ToolGuard {
    limiter: Option<Limiter>,
    running: Arc<AtomicUsize>,
}

/// Places that a running call holds; given back when it is dropped.
pub(super) struct Permit(Vec<Arc<AtomicUsize>>);

impl Drop for Permit {
    fn drop(&mut self) {
        for counter in &self.0 {
            counter.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

impl Guards {
    pub fn new(options: &ServerOptions, _: Now) -> Self {
        Self {
            all: options.rate.and_then(Limiter::new),
            running: Arc::default(),
            concurrency: options.concurrency,
            tools: Mutex::default(),
        }
    }

    /// Lets a call in, or says which guard holds it back.
    pub fn enter(&self, work: &Work, principal: Option<&Principal>, now: Now) -> Result<Option<Permit>> {
        let Work::Tool { tool } = work else { return self.enter_all(principal, now) };
        let options = &tool.options;
        if options.rate.is_none() && options.concurrency.is_none() {
            return self.enter_all(principal, now);
        }
        let guard = {
            let mut tools = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
            let guard = tools
                .get(tool.name())
                .filter(|guard| guard.limiter.as_ref().map(|limiter| limiter.rate) == options.rate);
            match guard {
                Some(guard) => Arc::clone(guard),
                None => {
                    let guard =
                        Arc::new(ToolGuard { limiter: options.rate.and_then(Limiter::new), running: Arc::default() });
                    tools.insert(tool.name().into(), Arc::clone(&guard));
                    guard
                }
            }
        };
        if let Some(limiter) = &guard.limiter {
            take(limiter, principal, &format!("tool `{}`", tool.name()), now)?;
        }
        let permit = self.enter_all(principal, now)?;
        let mut held = permit.map_or_else(Vec::new, |mut permit| std::mem::take(&mut permit.0));
        if let Some(limit) = options.concurrency {
            match occupy(&guard.running, limit) {
                Some(counter) => held.push(counter),
                None => {
                    drop(Permit(held));
                    return Err(busy(limit, &format!("tool `{}`", tool.name())));
                }
            }
        }
        Ok(Some(Permit(held)))
    }

    fn enter_all(&self, principal: Option<&Principal>, now: Now) -> Result<Option<Permit>> {
        if let Some(limiter) = &self.all {
            take(limiter, principal, "this server", now)?;
        }
        match self.concurrency {
            None => Ok(None),
            Some(limit) => match occupy(&self.running, limit) {
                Some(counter) => Ok(Some(Permit(vec![counter]))),
                None => Err(busy(limit, "this server")),
            },
        }
    }
}

fn take(limiter: &Limiter, principal: Option<&Principal>, what: &str, now: Now) -> Result<()> {
    let key = match principal {
        Some(principal) if limiter.rate.by_principal => principal.key(),
        _ => String::new(),
    };
    limiter.take(&key, now).map_err(|wait| {
        let Rate { calls, per, .. } = limiter.rate;
        let text = format!(
            "{what} takes at most {calls} calls in {} s (limit `rate`); try again in {:.1} s",
            per.as_secs_f64(),
            wait.as_secs_f64().max(0.1)
        );
        Error::new(crate::error::ErrorKind::Limit, text).with("limit", "rate").retryable()
    })
}

fn occupy(counter: &Arc<AtomicUsize>, limit: usize) -> Option<Arc<AtomicUsize>> {
    let taken =
        counter.fetch_update(Ordering::AcqRel, Ordering::Acquire, |running| (running < limit).then_some(running + 1));
    taken.is_ok().then(|| Arc::clone(counter))
}

fn busy(limit: usize, what: &str) -> Error {
    let text = format!("{what} runs {limit} calls at once already (limit `concurrency`); try again later");
    Error::new(crate::error::ErrorKind::Limit, text).with("limit", "concurrency").retryable()
}
