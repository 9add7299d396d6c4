//! Randomness of the operating system.

use ring::rand::{SecureRandom, SystemRandom};

use crate::entropy::Entropy;

/// The operating system's generator.
#[derive(Clone, Debug)]
pub struct SystemEntropy(SystemRandom);

impl SystemEntropy {
    /// The generator.
    pub fn new() -> Self {
        Self(SystemRandom::new())
    }
}

impl Default for SystemEntropy {
    fn default() -> Self {
        Self::new()
    }
}

impl Entropy for SystemEntropy {
    /// # Panics
    /// When the system has no randomness: a guessable session name or key would be worse than the end.
    fn fill(&self, bytes: &mut [u8]) {
        assert!(self.0.fill(bytes).is_ok(), "the operating system gives no random bytes");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ() {
        let entropy = SystemEntropy::new();
        assert_ne!(crate::entropy::name(&entropy), crate::entropy::name(&entropy));
    }
}
