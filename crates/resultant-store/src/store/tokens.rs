//! Minting tokens, checking them, and counting what is served for them.

use super::Store;
use crate::{
    Audience, Grant, Id, Refused, StoreError, TokenRecord, TokenScope, Wanted, clock,
    token::{SKEW_S, Stated, Unfit, caller},
};

impl Store {
    /// A new token, recorded before it is given out; valid for the audience's lifetime, or for
    /// `seconds` where that is less.
    pub async fn mint(
        &self,
        grant: Grant,
        seconds: Option<u32>,
    ) -> Result<(String, TokenRecord), StoreError> {
        let lifetimes = self.ring.lifetimes();
        let longest = match grant.audience {
            Audience::Tool => lifetimes.tool_s,
            Audience::Person => lifetimes.person_s,
        };
        let now_s = clock::now_s();
        let signer = self.soon(self.ring.signer(&self.records, now_s)).await?;
        let seconds = seconds.map_or(longest, |seconds| seconds.min(longest));
        let now = u32::try_from(now_s).unwrap_or(u32::MAX);
        let stated = Stated {
            kind: grant.kind,
            action: grant.action,
            audience: grant.audience,
            is_single_use: grant.is_single_use,
            id: Id::new(),
            subject: grant.subject,
            caller: caller(&grant.owner, &grant.session),
            // Another machine, whose clock is a little behind, may be the first to see it.
            not_before_s: now.saturating_sub(SKEW_S),
            expires_s: now.saturating_add(seconds),
        };
        let record = TokenRecord {
            id: stated.id,
            grant,
            minted_s: now_s,
            expires_s: i64::from(stated.expires_s),
            uses: 0,
            used_ms: 0,
            is_revoked: false,
            served_bytes: 0,
        };
        self.soon(self.records.add_token(&record)).await?;
        tracing::info!(
            target: "resultant::tokens",
            token = %record.id,
            subject = %record.grant.subject,
            kind = ?record.grant.kind,
            action = ?record.grant.action,
            audience = ?record.grant.audience,
            seconds,
            "minted"
        );
        Ok((stated.write(&signer), record))
    }

    /// Checks a token: signature, time, purpose, and that it was not taken back. Nothing is counted
    /// yet.
    pub async fn check(
        &self,
        text: &str,
        wanted: Wanted,
    ) -> Result<Result<TokenRecord, Refused>, StoreError> {
        let now_s = clock::now_s();
        let checked = self.soon(self.ring.check(&self.records, text, &wanted, now_s)).await?;
        let stated = match checked {
            Ok(stated) => stated,
            Err(unfit) => return Ok(Err(unfit.log())),
        };
        let record = self.soon(self.records.token(stated.id)).await?;
        let reason = match &record {
            None => "it is not on record",
            Some(record) if record.is_revoked => "it was taken back",
            Some(record) if !is_same(&stated, record) => "it is not what is on record",
            Some(_) => "",
        };
        match record {
            Some(record) if reason.is_empty() => Ok(Ok(record)),
            _ => Ok(Err(Unfit { id: Some(stated.id), reason }.log())),
        }
    }

    /// Counts a use of a token that was checked, before `bytes` of a file of `size` bytes are
    /// served; refused where it is used up.
    pub async fn use_token(
        &self,
        record: &TokenRecord,
        bytes: u64,
        size: u64,
    ) -> Result<Result<(), Refused>, StoreError> {
        let bytes_max = record.grant.is_single_use.then_some(size);
        let used = self.records.use_token(record.id, bytes, bytes_max, clock::now_ms());
        if !self.soon(used).await? {
            let reason = "it is used up or was taken back";
            return Ok(Err(Unfit { id: Some(record.id), reason }.log()));
        }
        tracing::info!(target: "resultant::tokens", token = %record.id, bytes, "used");
        Ok(Ok(()))
    }

    /// Gives back bytes that were counted and not served.
    pub async fn give_back(&self, token: Id, bytes: u64) -> Result<(), StoreError> {
        self.soon(self.records.give_back(token, bytes)).await
    }

    /// The tokens of a file that are neither taken back nor over, newest first.
    pub async fn tokens_of_file(
        &self,
        owner: &str,
        file: Id,
    ) -> Result<Vec<TokenRecord>, StoreError> {
        self.soon(self.records.tokens_of_file(owner, file, clock::now_s())).await
    }

    /// Takes tokens of this owner back; says how many.
    pub async fn revoke(&self, owner: &str, scope: &TokenScope) -> Result<u64, StoreError> {
        let count = self.soon(self.records.revoke(owner, scope)).await?;
        tracing::info!(target: "resultant::tokens", ?scope, count, "taken back");
        Ok(count)
    }
}

/// Whether a token states what is on record about it.
fn is_same(stated: &Stated, record: &TokenRecord) -> bool {
    let grant = &record.grant;
    stated.kind == grant.kind
        && stated.action == grant.action
        && stated.audience == grant.audience
        && stated.is_single_use == grant.is_single_use
        && stated.subject == grant.subject
        && stated.caller == caller(&grant.owner, &grant.session)
        && i64::from(stated.expires_s) == record.expires_s
}
