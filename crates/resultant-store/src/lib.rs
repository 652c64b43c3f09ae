//! Where Resultant keeps things: files out of band, records of what happened, and the tokens that
//! open a file for somebody who has nothing else.
//!
//! Bytes go to a folder or an object store ([`object_store`]), records to SQLite or PostgreSQL. Both
//! sides hold to the same order: bytes are whole and safe before a record names them, and a record
//! is gone before its bytes are. So a crash leaves at most bytes that nobody names, which a sweep
//! takes away, and never a name without bytes.
//!
//! Everything has an owner, the user it belongs to, and is asked for together with that owner. What
//! belongs to somebody else is not found, just like what does not exist.

mod blobs;
mod clock;
mod error;
mod id;
mod incoming;
mod records;
mod store;
mod sweep;
mod token;

pub use self::{
    blobs::{ByteStream, Place},
    error::StoreError,
    id::Id,
    incoming::{Incoming, Whole},
    records::{
        Entry, Page,
        calls::{Call, CallFilter, Ending, Raw},
        dashboards::{Dashboard, DashboardUpdate, FrameToken, Persistence},
        events::{Event, Feed, NewEvent},
        files::{File, NewFile, Origin},
        sessions::{Session, SessionKind},
        slips::SlipKind,
        tokens::{TokenRecord, TokenScope},
        totals::{Totals, TotalsBy},
    },
    store::{Quotas, Store, StoreOptions},
    sweep::{Retention, Swept},
    token::{
        Action, Audience, Grant, Kind, Lifetimes, Refused, TOKEN_LENGTH, Wanted, find_token_ids,
        find_tokens, redact,
    },
};
