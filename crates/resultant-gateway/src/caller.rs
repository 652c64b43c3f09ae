//! Who is calling: the user and the session that a call, its files and its events belong to.
//!
//! Decided once, where a request comes in. Everything further in takes a caller as given and never
//! looks at headers, arguments or what the model wrote to find out who it is.

use std::sync::Arc;

use resultant_store::SessionKind;

/// The session of callers who name none.
pub(crate) const DEFAULT_SESSION: &str = "default";

/// A user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct User {
    /// What everything of theirs is filed under: stable, and nobody else's.
    pub(crate) id: String,
    /// Their name, for people and tools.
    pub(crate) name: String,
    /// Their address, where whoever vouches for them says one.
    pub(crate) email: Option<String>,
    /// Whether somebody vouches for them. The one user of a local gateway is nobody's word.
    pub(crate) is_authenticated: bool,
}

impl User {
    /// The one user of a local gateway: whoever runs it.
    pub(crate) fn local() -> User {
        let name = ["USER", "LOGNAME", "USERNAME"].iter().find_map(|key| std::env::var(key).ok());
        User {
            id: "local".to_owned(),
            name: name.filter(|name| !name.is_empty()).unwrap_or_else(|| "local".to_owned()),
            email: None,
            is_authenticated: false,
        }
    }
}

/// A user in one of their sessions.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) user: Arc<User>,
    /// The session's id, unique among the user's.
    pub(crate) session: Arc<str>,
    pub(crate) kind: SessionKind,
}

impl Caller {
    /// A user who has not said which session.
    pub(crate) fn of(user: Arc<User>) -> Caller {
        Caller { user, session: DEFAULT_SESSION.into(), kind: SessionKind::Default }
    }

    /// The same user in this session.
    pub(crate) fn within(&self, session: &str, kind: SessionKind) -> Caller {
        Caller { user: self.user.clone(), session: session.into(), kind }
    }

    /// What is filed under this user.
    pub(crate) fn owner(&self) -> &str {
        &self.user.id
    }
}
