//! `requestState`: encrypted and authenticated, bound to whom and what it was issued for, with an end.
//! See <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow>.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::digest;

use crate::entropy::{self, Entropy};
use crate::error::{Error, Result};
use crate::time::Now;

/// The form of what is sealed; another form is another number.
const FORM: u8 = 1;
const KEY_ID: usize = 4;
const TIME: usize = 8;
const HEAD: usize = 1 + KEY_ID + NONCE_LEN;

/// The digest of whom and what a state is for.
pub type Binding = [u8; 32];

/// Seals with the first key, opens with any: a new key is put in front, and the old one is removed when its last state expired.
pub struct Sealer {
    keys: Vec<([u8; KEY_ID], LessSafeKey)>,
}

impl Sealer {
    /// A sealer with those keys, newest first.
    pub fn new(keys: &[[u8; 32]]) -> Result<Self> {
        let keys = keys
            .iter()
            .map(|key| {
                let sealed = UnboundKey::new(&AES_256_GCM, key)
                    .map_err(|_| Error::definition("a state key must have 32 bytes"))?;
                let mut id = [0; KEY_ID];
                id.copy_from_slice(&digest::digest(&digest::SHA256, key).as_ref()[..KEY_ID]);
                Ok((id, LessSafeKey::new(sealed)))
            })
            .collect::<Result<Vec<_>>>()?;
        if keys.is_empty() {
            return Err(Error::definition("at least one state key is needed"));
        }
        Ok(Self { keys })
    }

    /// Seals `plain` for `binding`.
    pub fn seal(&self, plain: &[u8], binding: &Binding, now: Now, entropy: &dyn Entropy) -> Result<String> {
        let (id, key) = &self.keys[0];
        let nonce = entropy::bytes::<NONCE_LEN>(entropy);
        let mut body = Vec::with_capacity(TIME + plain.len() + AES_256_GCM.tag_len());
        body.extend_from_slice(&(now.unix.as_millis() as u64).to_be_bytes());
        body.extend_from_slice(plain);
        key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(binding), &mut body)
            .map_err(|_| Error::internal("the request state cannot be sealed"))?;
        let mut all = Vec::with_capacity(HEAD + body.len());
        all.push(FORM);
        all.extend_from_slice(id);
        all.extend_from_slice(&nonce);
        all.extend_from_slice(&body);
        Ok(URL_SAFE_NO_PAD.encode(all))
    }

    /// Opens what was sealed for the same `binding`, unless it is older than `lives`.
    /// One text for every reason but age: whoever tampers learns nothing.
    pub fn open(&self, text: &str, binding: &Binding, now: Now, lives: Duration) -> Result<Vec<u8>> {
        let refused = || Error::invalid_params("`requestState` is not one that was issued for this request");
        let mut all = URL_SAFE_NO_PAD.decode(text).map_err(|_| refused())?;
        if all.len() < HEAD || all[0] != FORM {
            return Err(refused());
        }
        let id: [u8; KEY_ID] = all[1..=KEY_ID].try_into().map_err(|_| refused())?;
        let nonce: [u8; NONCE_LEN] = all[1 + KEY_ID..HEAD].try_into().map_err(|_| refused())?;
        let key = self.keys.iter().find(|(known, _)| *known == id).map(|(_, key)| key).ok_or_else(refused)?;
        let plain = key
            .open_in_place(Nonce::assume_unique_for_key(nonce), Aad::from(binding), &mut all[HEAD..])
            .map_err(|_| refused())?;
        let (time, plain) = plain.split_at_checked(TIME).ok_or_else(refused)?;
        let issued = Duration::from_millis(u64::from_be_bytes(time.try_into().map_err(|_| refused())?));
        if now.unix > issued + lives {
            return Err(Error::invalid_params("`requestState` has expired: send the request again without it"));
        }
        Ok(plain.to_vec())
    }
}

/// The binding of a state: its principal, the method, what the method names, and the arguments.
pub fn binding(principal: Option<&str>, method: &str, target: &str, arguments: &str) -> Binding {
    let mut context = digest::Context::new(&digest::SHA256);
    for part in [principal.unwrap_or_default(), method, target, arguments] {
        context.update(&(part.len() as u64).to_be_bytes());
        context.update(part.as_bytes());
    }
    let mut binding = [0; 32];
    binding.copy_from_slice(context.finish().as_ref());
    binding
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Zeros;
    impl Entropy for Zeros {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(0);
        }
    }

    const LIVES: Duration = Duration::from_secs(60);

    #[test]
    fn security_51_what_was_sealed_opens_for_the_same_request_only() {
        let sealer = Sealer::new(&[[1; 32]]).unwrap();
        let mine = binding(Some("ann"), "tools/call", "add", "{}");
        let sealed = sealer.seal(b"state", &mine, Now::default(), &Zeros).unwrap();
        assert_eq!(sealer.open(&sealed, &mine, Now::default(), LIVES).unwrap(), b"state");
        for other in [
            binding(Some("bob"), "tools/call", "add", "{}"),
            binding(None, "tools/call", "add", "{}"),
            binding(Some("ann"), "tools/call", "sub", "{}"),
            binding(Some("ann"), "tools/call", "add", "{\"a\":1}"),
        ] {
            assert!(sealer.open(&sealed, &other, Now::default(), LIVES).is_err());
        }
    }

    #[test]
    fn security_51_tampering_and_age_are_refused() {
        let sealer = Sealer::new(&[[1; 32]]).unwrap();
        let mine = binding(None, "tools/call", "add", "{}");
        let sealed = sealer.seal(b"state", &mine, Now::default(), &Zeros).unwrap();
        for position in 0..sealed.len() {
            let mut tampered = sealed.clone().into_bytes();
            tampered[position] = if tampered[position] == b'A' { b'B' } else { b'A' };
            let tampered = String::from_utf8(tampered).unwrap();
            assert!(sealer.open(&tampered, &mine, Now::default(), LIVES).is_err(), "{position}");
        }
        assert!(sealer.open(&format!("{sealed}-TAMPERED"), &mine, Now::default(), LIVES).is_err());
        let late = Now::default().after(LIVES + Duration::from_millis(1));
        assert!(sealer.open(&sealed, &mine, late, LIVES).unwrap_err().message().contains("expired"));
    }

    #[test]
    fn an_old_key_still_opens_and_a_removed_one_does_not() {
        let old = Sealer::new(&[[1; 32]]).unwrap();
        let mine = binding(None, "tools/call", "add", "{}");
        let sealed = old.seal(b"state", &mine, Now::default(), &Zeros).unwrap();
        assert!(Sealer::new(&[[2; 32], [1; 32]]).unwrap().open(&sealed, &mine, Now::default(), LIVES).is_ok());
        assert!(Sealer::new(&[[2; 32]]).unwrap().open(&sealed, &mine, Now::default(), LIVES).is_err());
    }
}
