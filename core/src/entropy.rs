//! Randomness as an argument: the engine asks for it, `io` has it, tests give a fixed one.

/// A source of unpredictable bytes.
pub trait Entropy: Send + Sync {
    /// Fills `bytes` with unpredictable ones.
    fn fill(&self, bytes: &mut [u8]);
}

/// `N` unpredictable bytes.
pub fn bytes<const N: usize>(source: &dyn Entropy) -> [u8; N] {
    let mut bytes = [0; N];
    source.fill(&mut bytes);
    bytes
}

/// An unguessable name: 192 bits as URL-safe text.
pub fn name(source: &dyn Entropy) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes::<24>(source))
}
