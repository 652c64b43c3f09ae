//! Links: addresses that open one file for whoever has them, for a while.

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
};
use resultant::clean_file_name;
use resultant_store::{Action, Audience, File, Grant, Id, Kind, TokenRecord, TokenScope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::front::api::{
    Api,
    extract::{Place, Said, Who, id},
    operation::Operation,
    problem::{BAD_REQUEST, NOT_FOUND, Problem},
    when::rfc3339,
};

/// How much of an upload link's key is chance; the rest binds the name.
const CHANCE_BYTES: usize = 4;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::post("/api/files/{key}/links", create)
            .named("createLink", "Make a link to a file")
            .described(
                "Whoever has the address can download the file until it expires or is revoked. It \
                 is shown once: it is not kept, only that it was made and how it is used.",
            )
            .takes::<NewLink>()
            .gives::<NewLinkInfo>(201, "The link.")
            .fails(&[BAD_REQUEST, NOT_FOUND]),
        Operation::get("/api/files/{key}/links", list)
            .named("listLinks", "List the links to a file that are valid")
            .gives::<LinkList>(200, "The links, without their addresses.")
            .fails(&[NOT_FOUND]),
        Operation::delete("/api/files/{key}/links/{link}", revoke)
            .named("revokeLink", "Revoke a link")
            .gives_nothing(204, "It does not work any more.")
            .fails(&[NOT_FOUND]),
        Operation::delete("/api/files/{key}/links", revoke_of_file)
            .named("revokeLinksOfFile", "Revoke all links to a file")
            .gives::<Revoked>(200, "They do not work any more.")
            .fails(&[NOT_FOUND]),
        Operation::delete("/api/sessions/{session}/links", revoke_of_session)
            .named("revokeLinksOfSession", "Revoke all links of a session")
            .described("Those to its files, for uploads, and the tokens of its dashboards.")
            .gives::<Revoked>(200, "They do not work any more.")
            .fails(&[NOT_FOUND]),
        Operation::post("/api/sessions/{session}/upload-links", create_upload)
            .named("createUploadLink", "Make a link through which a file can be uploaded")
            .described(
                "A tool can PUT the file there without other credentials. The link is good for \
                 one file of this name.",
            )
            .takes::<NewUploadLink>()
            .gives::<NewLinkInfo>(201, "The link.")
            .fails(&[BAD_REQUEST, NOT_FOUND]),
    ]
}

/// Who is to use a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum AudienceWord {
    /// A person: valid for an hour by default.
    #[default]
    Person,
    /// A tool: valid for five minutes by default.
    Tool,
}

impl From<AudienceWord> for Audience {
    fn from(word: AudienceWord) -> Audience {
        match word {
            AudienceWord::Person => Audience::Person,
            AudienceWord::Tool => Audience::Tool,
        }
    }
}

/// A link to be.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct NewLink {
    /// Who is to use it; a person by default.
    audience: AudienceWord,
    /// For how many seconds, where that is less than its audience gets.
    #[schemars(range(min = 1))]
    seconds: Option<u32>,
    /// Whether it serves the bytes once only.
    single_use: bool,
}

/// An upload link to be.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewUploadLink {
    /// The name that the file will have.
    name: String,
    /// Who is to use it; a tool by default.
    #[serde(default = "tool")]
    audience: AudienceWord,
    /// For how many seconds, where that is less than its audience gets.
    #[serde(default)]
    #[schemars(range(min = 1))]
    seconds: Option<u32>,
}

fn tool() -> AudienceWord {
    AudienceWord::Tool
}

/// A new link.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "NewLinkInfo")]
struct NewLinkInfo {
    /// What it is revoked by.
    id: String,
    /// The address.
    url: String,
    /// When it ends.
    #[schemars(extend("format" = "date-time"))]
    expires_at: String,
}

/// A link that was made.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Link")]
struct LinkInfo {
    /// What it is revoked by.
    id: String,
    /// Who is to use it.
    audience: AudienceWord,
    /// Whether it serves the bytes once only.
    single_use: bool,
    /// When it was made.
    #[schemars(extend("format" = "date-time"))]
    created_at: String,
    /// When it ends.
    #[schemars(extend("format" = "date-time"))]
    expires_at: String,
    /// How often it was used.
    uses: u64,
    /// When last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date-time"))]
    used_at: Option<String>,
    /// The bytes that were served for it.
    served_bytes: u64,
}

/// The links of a file.
#[derive(Debug, Serialize, JsonSchema)]
struct LinkList {
    /// The links, the newest first.
    items: Vec<LinkInfo>,
}

/// What was revoked.
#[derive(Debug, Serialize, JsonSchema)]
struct Revoked {
    /// How many were.
    count: u64,
}

impl From<TokenRecord> for LinkInfo {
    fn from(record: TokenRecord) -> LinkInfo {
        LinkInfo {
            id: record.id.to_string(),
            audience: match record.grant.audience {
                Audience::Person => AudienceWord::Person,
                Audience::Tool => AudienceWord::Tool,
            },
            single_use: record.grant.is_single_use,
            created_at: rfc3339(record.minted_s.saturating_mul(1000)),
            expires_at: rfc3339(record.expires_s.saturating_mul(1000)),
            uses: record.uses,
            used_at: (record.used_ms > 0).then(|| rfc3339(record.used_ms)),
            served_bytes: record.served_bytes,
        }
    }
}

/// The key of an upload link that starts as `seed` does and is for this name. So the name needs no
/// record: with another name the key is another.
pub(super) fn upload_key(seed: &Id, name: &str) -> Id {
    let mut key = seed.to_bytes();
    let mut digest = Sha256::new();
    digest.update(&key[..CHANCE_BYTES]);
    digest.update(name.as_bytes());
    let digest = digest.finalize();
    let room = key.len() - CHANCE_BYTES;
    key[CHANCE_BYTES..].copy_from_slice(&digest[..room]);
    Id::from_bytes(key)
}

impl Api {
    /// A link to a file for a person, as the results of calls have it.
    pub(in crate::front::api) async fn link_for_person(
        &self,
        file: &File,
    ) -> Result<String, Problem> {
        let (token, _) = self.gateway.store.mint(read_grant(file), None).await?;
        Ok(self.download_url(file.key, &token))
    }

    fn download_url(&self, key: Id, token: &str) -> String {
        format!("{}/api/files/download/{key}?token={token}", self.gateway.public_url())
    }
}

fn read_grant(file: &File) -> Grant {
    Grant {
        kind: Kind::File,
        subject: file.key,
        action: Action::Read,
        audience: Audience::Person,
        owner: file.owner.clone(),
        session: file.session.clone(),
        is_single_use: false,
    }
}

fn check_seconds(seconds: Option<u32>) -> Result<(), Problem> {
    match seconds {
        Some(0) => Err(Problem::bad("`seconds` is at least 1")),
        _ => Ok(()),
    }
}

fn created(record: &TokenRecord, url: String) -> impl IntoResponse + use<> {
    let expires_at = rfc3339(record.expires_s.saturating_mul(1000));
    let link = NewLinkInfo { id: record.id.to_string(), url, expires_at };
    (StatusCode::CREATED, [(header::CACHE_CONTROL, "no-store")], Json(link))
}

async fn create(
    State(api): State<Api>,
    Who(user): Who,
    Place(key): Place<String>,
    Said(new): Said<NewLink>,
) -> Result<impl IntoResponse, Problem> {
    check_seconds(new.seconds)?;
    let file = api.file(&user, &key).await?;
    let grant =
        Grant { audience: new.audience.into(), is_single_use: new.single_use, ..read_grant(&file) };
    let (token, record) = api.gateway.store.mint(grant, new.seconds).await?;
    Ok(created(&record, api.download_url(file.key, &token)))
}

async fn create_upload(
    State(api): State<Api>,
    Who(user): Who,
    Place(session): Place<String>,
    Said(new): Said<NewUploadLink>,
) -> Result<impl IntoResponse, Problem> {
    check_seconds(new.seconds)?;
    let caller = api.caller(&user, &session).await?;
    let bad = || Problem::bad("`name` is no name for a file").hint("one path segment: a.csv");
    let name = clean_file_name(&new.name).ok_or_else(bad)?;
    let key = upload_key(&Id::new(), &name);
    let grant = Grant {
        kind: Kind::File,
        subject: key,
        action: Action::Write,
        audience: new.audience.into(),
        owner: user.id.clone(),
        session: caller.session.to_string(),
        is_single_use: true,
    };
    let (token, record) = api.gateway.store.mint(grant, new.seconds).await?;
    let name: String = url::form_urlencoded::byte_serialize(name.as_bytes()).collect();
    let base = api.gateway.public_url();
    Ok(created(&record, format!("{base}/api/files/upload/{key}?name={name}&token={token}")))
}

async fn list(
    State(api): State<Api>,
    Who(user): Who,
    Place(key): Place<String>,
) -> Result<impl IntoResponse, Problem> {
    let file = api.file(&user, &key).await?;
    let found = api.gateway.store.tokens_of_file(&user.id, file.key).await?;
    Ok(Json(LinkList { items: found.into_iter().map(LinkInfo::from).collect() }))
}

async fn revoke(
    State(api): State<Api>,
    Who(user): Who,
    Place((key, link)): Place<(String, String)>,
) -> Result<impl IntoResponse, Problem> {
    let file = api.file(&user, &key).await?;
    let link = id(&link)?;
    let found = api.gateway.store.tokens_of_file(&user.id, file.key).await?;
    if !found.iter().any(|record| record.id == link) {
        return Err(Problem::not_found());
    }
    api.gateway.store.revoke(&user.id, &TokenScope::Token(link)).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn revoke_of_file(
    State(api): State<Api>,
    Who(user): Who,
    Place(key): Place<String>,
) -> Result<impl IntoResponse, Problem> {
    let file = api.file(&user, &key).await?;
    let count = api.gateway.store.revoke(&user.id, &TokenScope::File(file.key)).await?;
    Ok(Json(Revoked { count }))
}

async fn revoke_of_session(
    State(api): State<Api>,
    Who(user): Who,
    Place(session): Place<String>,
) -> Result<impl IntoResponse, Problem> {
    let caller = api.caller(&user, &session).await?;
    let scope = TokenScope::Session(caller.session.to_string());
    let count = api.gateway.store.revoke(&user.id, &scope).await?;
    Ok(Json(Revoked { count }))
}

#[cfg(test)]
mod tests {
    use resultant_store::Id;

    use super::upload_key;

    #[test]
    fn an_upload_link_is_for_one_name() {
        let key = upload_key(&Id::new(), "a.csv");
        assert_eq!(upload_key(&key, "a.csv"), key);
        assert_ne!(upload_key(&key, "b.csv"), key);
        assert_ne!(upload_key(&Id::new(), "a.csv"), key);
    }
}
