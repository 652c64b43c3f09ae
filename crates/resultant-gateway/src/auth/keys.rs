//! Keys that were given out: each is the word of the configuration that its holder is that user.
//!
//! A key has 256 random bits, so a plain digest of it cannot be turned back; a slow hash would only
//! make every request slow.

use std::sync::Arc;

use super::credential::Digest;
use crate::{caller::User, config::ApiKey, random};

pub(super) struct Keys(Vec<(Digest, Arc<User>)>);

impl Keys {
    pub(super) fn new(keys: &[ApiKey]) -> Keys {
        let keys = keys.iter().map(|key| {
            let user = User {
                id: format!("user:{}", key.user),
                name: key.user.clone(),
                email: key.email.clone(),
                is_authenticated: true,
            };
            (Digest::known(key.sha256), Arc::new(user))
        });
        Keys(keys.collect())
    }

    /// Whose key this is. All are looked at, wherever the right one stands.
    pub(super) fn user(&self, key: &str) -> Option<Arc<User>> {
        let shown = Digest::of(key);
        let mut found = None;
        for (digest, user) in &self.0 {
            if digest.is(&shown) {
                found = Some(user);
            }
        }
        found.cloned()
    }
}

impl Keys {
    /// Whether a user of this id has a key.
    pub(super) fn has(&self, user: &str) -> bool {
        self.0.iter().any(|(_, known)| known.id == user)
    }
}

/// A key, once.
pub struct NewKey {
    /// What the user keeps.
    pub key: String,
    /// What the configuration has: SHA-256 in hexadecimal digits.
    pub sha256: String,
}

/// Makes a key.
pub fn new_key() -> NewKey {
    use sha2::{Digest as _, Sha256};
    let key = format!("rk_{}", random::secret());
    let digest = Sha256::digest(key.as_bytes());
    let sha256 = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    NewKey { key, sha256 }
}

#[cfg(test)]
mod tests {
    use super::{Digest, Keys, new_key};
    use crate::caller::User;

    #[test]
    fn a_key_is_its_users_and_nobody_elses() {
        let (ada, bob) = (new_key(), new_key());
        assert_ne!(ada.key, bob.key);
        let user = |name: &str| User { id: name.into(), name: name.into(), ..User::local() };
        let keys = Keys(vec![
            (Digest::of(&ada.key), user("ada").into()),
            (Digest::of(&bob.key), user("bob").into()),
        ]);
        assert_eq!(keys.user(&ada.key).map(|user| user.name.clone()).as_deref(), Some("ada"));
        assert_eq!(keys.user(&bob.key).map(|user| user.name.clone()).as_deref(), Some("bob"));
        // The digest is in the configuration, and opens nothing.
        for wrong in [ada.sha256.as_str(), "", &ada.key[..ada.key.len() - 1]] {
            assert_eq!(keys.user(wrong), None, "{wrong}");
        }
    }
}
