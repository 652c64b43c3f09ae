//! Whose connection is whose: which clients share one, and when one is let go.

use std::{
    collections::HashMap,
    sync::{Arc, atomic::Ordering},
};

use super::{CONNECTIONS_MAX, Key, Link, SPARES_MAX, Slot, Upstream};
use crate::{
    client::{Client, Owner, lock},
    config::Isolate,
};

impl Key {
    /// The connection for clients that can do nothing a server could ask for.
    pub(super) fn incapable() -> Key {
        Key::Shared("{}".to_owned())
    }

    /// Whether a connection promises the server nothing, whoever uses it.
    pub(super) fn is_incapable(&self) -> bool {
        matches!(self, Key::Shared(kind) | Key::User(_, kind) if kind == "{}")
    }

    /// Clients that all say something else of themselves do not get a process each. Sessions and
    /// users that are to be apart stay apart: the number of sessions has a limit of its own, and a
    /// user has a connection that all their clients can use.
    fn within_bounds<T>(self, made: &HashMap<Key, T>) -> Key {
        if let Key::User(user, _) = &self {
            let is_theirs = |key: &&Key| matches!(key, Key::User(id, _) if id == user);
            let is_known = made.contains_key(&self);
            return match is_known || made.keys().filter(is_theirs).count() < CONNECTIONS_MAX {
                true => self,
                false => Key::User(user.clone(), "{}".to_owned()),
            };
        }
        let is_session = |key: &Key| matches!(key, Key::Session(_) | Key::User(..));
        let of_kinds = || made.keys().filter(|key| !is_session(key)).count();
        let fits = is_session(&self) || made.contains_key(&self) || of_kinds() < CONNECTIONS_MAX;
        if fits { self } else { Key::incapable() }
    }
}

/// So many users without a session keep a connection that they do not use.
const USERS_KEPT: usize = 32;

impl Upstream {
    /// Whom what the server offers is the same for.
    pub(super) fn fingerprint(&self, client: &Client) -> String {
        match self.config.isolate {
            Isolate::User if client.owner != Owner::GATEWAY => {
                format!("{} {}", client.fingerprint(), client.caller.user.id)
            }
            _ => client.fingerprint(),
        }
    }

    pub(super) fn adopt(&self, link: &Link, owner: Owner) {
        if owner.is_session() && !link.is_modern() {
            link.add_user(owner);
        }
    }

    /// The connection that everybody may use, because its server takes every request for itself.
    /// Where the configuration wants sessions or users apart, they are.
    pub(super) fn modern_link(&self) -> Option<Arc<Link>> {
        if matches!(self.config.isolate, Isolate::Session | Isolate::User) {
            return None;
        }
        let slots = lock(&self.slots);
        slots.values().filter_map(|slot| slot.live()).find(|link| link.is_modern())
    }

    /// Any connection that is there.
    pub(crate) fn any_link(&self) -> Option<Arc<Link>> {
        let slots = lock(&self.slots);
        slots.values().filter_map(|slot| slot.live()).find(|link| link.peer().is_some())
    }

    /// The place of this client's connection.
    pub(super) fn slot(&self, client: &Client) -> (Key, Arc<Slot>) {
        let fingerprint = client.fingerprint();
        let owner = client.owner;
        let mut slots = lock(&self.slots);
        let has_asked =
            |slot: &Arc<Slot>| slot.live().is_some_and(|link| link.asks.load(Ordering::Relaxed));
        let asks = self.asks.load(Ordering::Relaxed) || slots.values().any(has_asked);
        self.asks.store(asks, Ordering::Relaxed);
        let key = match self.config.isolate {
            Isolate::Shared => Key::incapable(),
            Isolate::Session if owner.is_session() => Key::Session(owner),
            Isolate::Auto if asks && owner.is_session() => {
                let key = Key::Session(owner);
                let shared = Key::Shared(fingerprint);
                let is_alone =
                    |slot: &Arc<Slot>| slot.live().is_some_and(|link| link.users() == [owner]);
                // A session that had the shared connection to itself keeps it.
                if !slots.contains_key(&key)
                    && slots.get(&shared).is_some_and(is_alone)
                    && let Some(slot) = slots.remove(&shared)
                {
                    slots.insert(key.clone(), slot);
                }
                key
            }
            Isolate::Auto if asks => {
                let is_free = |key: &Key| {
                    let live = slots.get(key).and_then(|slot| slot.live());
                    live.is_none_or(|link| link.is_idle())
                };
                let spares = (1..SPARES_MAX).map(|n| Key::Spare(fingerprint.clone(), n));
                let shared = Key::Shared(fingerprint.clone());
                let mut keys = std::iter::once(shared.clone()).chain(spares);
                keys.find(is_free).unwrap_or(shared)
            }
            Isolate::User if owner != Owner::GATEWAY => {
                Key::User(client.caller.user.id.clone(), fingerprint)
            }
            Isolate::Auto | Isolate::Session | Isolate::User => Key::Shared(fingerprint),
        };
        let key = key.within_bounds(&slots);
        let slot = slots.entry(key.clone()).or_default().clone();
        (key, slot)
    }

    /// Closes the connection that was made at the start when nobody uses it.
    pub(super) fn retire_unused(self: &Arc<Upstream>, made: &Key) {
        let first = Key::incapable();
        if *made == first {
            return;
        }
        let mut slots = lock(&self.slots);
        let is_unused = slots
            .get(&first)
            .and_then(|slot| slot.live())
            .is_some_and(|link| link.users().is_empty() && link.is_idle() && !link.is_modern());
        if is_unused && let Some(slot) = slots.remove(&first) {
            let link = slot.live();
            drop(slots);
            tokio::spawn(async move {
                if let Some(link) = link {
                    link.retire().await;
                }
            });
        }
    }

    /// Closes connections that were made for one call and are not used any more.
    pub(crate) fn retire_spares(&self) {
        let mut slots = lock(&self.slots);
        let users = slots.keys().filter(|key| matches!(key, Key::User(..))).count();
        let mut too_many = users.saturating_sub(USERS_KEPT);
        let mut is_spare = |key: &Key, slot: &Arc<Slot>| {
            let idle = slot.live().filter(|link| link.is_idle());
            match key {
                Key::Spare(..) => idle.is_some(),
                Key::User(..) if too_many > 0 => {
                    let is_unused = idle.is_some_and(|link| link.users().is_empty());
                    too_many -= usize::from(is_unused);
                    is_unused
                }
                _ => false,
            }
        };
        let retired: Vec<Arc<Slot>> =
            slots.extract_if(|key, slot| is_spare(key, slot)).map(|(_, slot)| slot).collect();
        drop(slots);
        for link in retired.into_iter().filter_map(|slot| slot.live()) {
            tokio::spawn(async move { link.retire().await });
        }
    }

    /// A session has ended.
    pub(crate) fn forget_session(self: &Arc<Upstream>, owner: Owner) {
        let mut slots = lock(&self.slots);
        let own = slots.remove(&Key::Session(owner));
        let links: Vec<Arc<Link>> = slots.values().filter_map(|slot| slot.live()).collect();
        drop(slots);
        links.iter().for_each(|link| link.remove_user(owner));
        if let Some(link) = own.and_then(|slot| slot.live()) {
            tokio::spawn(async move { link.retire().await });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::{CONNECTIONS_MAX, Key};
    use crate::client::Owner;

    #[test]
    fn kinds_of_clients_are_bounded_and_sessions_stay_apart() {
        let mut made = HashMap::new();
        for n in 0..CONNECTIONS_MAX {
            let session = Key::Session(Owner::session());
            assert_eq!(session.clone().within_bounds(&made), session);
            made.insert(session, ());
            let kind = Key::Shared(format!("{{\"kind\":{n}}}"));
            assert_eq!(kind.clone().within_bounds(&made), kind);
            made.insert(kind, ());
        }
        let session = Key::Session(Owner::session());
        assert_eq!(session.clone().within_bounds(&made), session);
        let known = Key::Shared("{\"kind\":0}".to_owned());
        assert_eq!(known.clone().within_bounds(&made), known);
        assert_eq!(Key::Shared("{\"kind\":-1}".to_owned()).within_bounds(&made), Key::incapable());
        assert_eq!(Key::Spare("{}".to_owned(), 1).within_bounds(&made), Key::incapable());
    }

    #[test]
    fn users_stay_apart_however_many_kinds_of_clients_they_have() {
        let mut made = HashMap::new();
        let of = |user: &str, kind: String| Key::User(user.to_owned(), kind);
        for n in 0..CONNECTIONS_MAX {
            made.insert(of("ada", format!("{{\"kind\":{n}}}")), ());
        }
        let further = of("ada", "{\"kind\":-1}".to_owned());
        assert_eq!(further.within_bounds(&made), of("ada", "{}".to_owned()));
        let bob = of("bob", "{\"kind\":-1}".to_owned());
        assert_eq!(bob.clone().within_bounds(&made), bob);
    }
}
