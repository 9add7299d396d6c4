//! Sealed states that were used already, for tools that take each of them only once.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustc_hash::FxHashMap;

/// Remembers what was redeemed until it would have expired anyway.
pub trait Redeemed: Send + Sync {
    /// Marks a state as used; false if it was already. `now` and `until` are times since the Unix epoch, so that replicas agree.
    fn redeem(&self, state: [u8; 16], now: Duration, until: Duration) -> bool;
}

/// The states that this process redeemed.
#[derive(Debug, Default)]
pub struct MemoryRedeemed(Mutex<FxHashMap<[u8; 16], Duration>>);

/// Entries above which expired ones are forgotten.
const KEPT: usize = 1024;

impl Redeemed for MemoryRedeemed {
    fn redeem(&self, state: [u8; 16], now: Duration, until: Duration) -> bool {
        let mut used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if used.len() >= KEPT {
            used.retain(|_, expires| *expires > now);
        }
        used.insert(state, until).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_redeemed_once() {
        let redeemed = MemoryRedeemed::default();
        let (now, until) = (Duration::from_secs(1), Duration::from_secs(9));
        assert!(redeemed.redeem([1; 16], now, until));
        assert!(!redeemed.redeem([1; 16], now, until));
        assert!(redeemed.redeem([2; 16], now, until));
    }

    #[test]
    fn what_expired_is_forgotten() {
        let redeemed = MemoryRedeemed::default();
        for number in 0..KEPT as u128 {
            redeemed.redeem(number.to_be_bytes(), Duration::ZERO, Duration::from_secs(1));
        }
        redeemed.redeem([255; 16], Duration::from_secs(2), Duration::from_secs(3));
        assert_eq!(redeemed.0.lock().unwrap().len(), 1);
    }
}
