//! Files on their way into arguments: found among the caller's, let through or not, and written in
//! the form that is wanted.
//!
//! Nothing is read before every file is known and allowed, and no token is made before everything
//! is read, so that a call that is refused leaves nothing behind.

use std::collections::HashMap;

use resultant::{Json, Note, Rule};
use resultant_query::QueryError;
use resultant_store::{Action, Audience, File, Grant, Kind, Origin, Page, StoreError};

use super::{
    Handed, Minted, Prepared, Preparing, Refused,
    files::{NAME_BYTES_MAX, What, Wish},
    near::near_names,
    places::Form,
    references::{self, Reference},
    shown,
    splice::Edit,
};
use crate::{
    config::Handover,
    file_uri::{FilePart, PART_HINT},
    retrieval,
};

/// So many of the session's files are looked through for near names.
const KNOWN_MAX: u32 = 1000;

/// The files of one call.
pub(super) struct Handing<'a> {
    preparing: &'a Preparing<'a>,
    found: HashMap<What, Option<File>>,
    /// The names of the session's files, once somebody asked.
    known: Option<Vec<String>>,
}

impl<'a> Handing<'a> {
    pub(super) fn new(preparing: &'a Preparing<'a>) -> Handing<'a> {
        Handing { preparing, found: HashMap::new(), known: None }
    }

    /// Fulfils the wishes: what takes their places.
    pub(super) async fn hand_over(
        &mut self,
        wishes: Vec<Wish>,
        prepared: &mut Prepared,
    ) -> Result<Vec<Edit>, Refused> {
        let mut granted = Vec::new();
        for wish in wishes {
            if let Some(file) = self.grant(&wish, prepared).await? {
                granted.push((wish, file));
            }
        }
        let mut room = self.check_size(&granted)?;
        let mut edits = Vec::new();
        let mut links = Vec::new();
        for (wish, file) in granted {
            let part = wish.part().cloned();
            let Wish { range, argument, form, .. } = wish;
            let bytes = match &part {
                None if form == Some(Form::Url) => {
                    links.push((range, argument, file));
                    continue;
                }
                None => self.read(&file).await?,
                Some(part) => {
                    let bytes = self.take(&file, part, form, &argument, room).await?;
                    room = room.saturating_sub(bytes.len() as u64);
                    bytes
                }
            };
            let (form, text) = references::written(form, &file.name, &argument, bytes)?;
            edits.push(Edit { range, text: text.into() });
            let part = part.map(|part| part.written);
            prepared.handed.push(Handed { name: file.name, key: file.key, form, argument, part });
        }
        for (range, argument, file) in links {
            let url = self.link(&file, prepared).await?;
            let text = Json::string(&url).as_text().to_owned();
            edits.push(Edit { range, text: text.into() });
            let handed =
                Handed { name: file.name, key: file.key, form: Form::Url, argument, part: None };
            prepared.handed.push(handed);
        }
        Ok(edits)
    }

    /// The file of a wish; nothing where the string stays, for which there is a note.
    async fn grant(
        &mut self,
        wish: &Wish,
        prepared: &mut Prepared,
    ) -> Result<Option<File>, Refused> {
        let found = match self.find(&wish.what).await {
            Ok(found) => found,
            Err(error) if matches!(wish.what, What::Name(_)) => {
                tracing::error!(%error, "a file could not be looked up");
                let message = "files could not be looked up, so the name was passed on as it is";
                prepared.notes.push(Note::changed(Rule::Arguments, &wish.argument, message));
                return Ok(None);
            }
            Err(error) => {
                tracing::error!(%error, "a file could not be looked up");
                return Err(Refused::new("files could not be looked up; nothing was sent"));
            }
        };
        let Some(file) = found else { return self.missing(wish, prepared).await };
        let server = &self.preparing.server;
        let made_by = match &file.origin {
            Origin::Tool { server, .. } => Some(server.as_str()),
            Origin::Upload => None,
        };
        let is_allowed = allows(server.handover, server.name.as_str(), made_by);
        match (&wish.what, is_allowed) {
            (_, true) => Ok(Some(file)),
            (What::Reference(_), false) => {
                Err(Refused::new(denial(server.handover, server.name.as_str(), &file.name)))
            }
            (What::Name(_), false) => {
                let message = denial(server.handover, server.name.as_str(), &file.name);
                let message = format!("{message}; the name was passed on as it is");
                prepared.notes.push(Note::changed(Rule::Arguments, &wish.argument, message));
                Ok(None)
            }
        }
    }

    async fn find(&mut self, what: &What) -> Result<Option<File>, StoreError> {
        if let Some(found) = self.found.get(what) {
            return Ok(found.clone());
        }
        let found = match what {
            What::Name(name) | What::Reference(Reference { name, .. }) if !is_possible(name) => {
                None
            }
            What::Name(name) => {
                let Preparing { store, caller, .. } = self.preparing;
                store.file_named(caller.owner(), Some(&caller.session), name, None).await?
            }
            What::Reference(reference) => self.find_reference(reference).await?,
        };
        self.found.insert(what.clone(), found.clone());
        Ok(found)
    }

    /// By its key, else by its name: in this session first, then in the user's others.
    async fn find_reference(&self, reference: &Reference) -> Result<Option<File>, StoreError> {
        let Preparing { store, caller, .. } = self.preparing;
        let owner = caller.owner();
        let Reference { name, sha256, .. } = reference;
        let sha256 = sha256.as_deref();
        if let Ok(key) = name.parse()
            && let Some(file) = store.file(owner, key).await?
        {
            let is_meant = sha256.is_none_or(|sha256| file.sha256 == sha256);
            return Ok(Some(file).filter(|_| is_meant));
        }
        match store.file_named(owner, Some(&caller.session), name, sha256).await? {
            Some(file) => Ok(Some(file)),
            None => store.file_named(owner, None, name, sha256).await,
        }
    }

    async fn missing(
        &mut self,
        wish: &Wish,
        prepared: &mut Prepared,
    ) -> Result<Option<File>, Refused> {
        let known = self.known_names().await;
        match &wish.what {
            What::Reference(Reference { name, .. }) => {
                Err(Refused::new(missing_reference(name, &wish.argument, known)))
            }
            What::Name(name) => {
                prepared.notes.extend(missing_name(name, &wish.argument, known));
                Ok(None)
            }
        }
    }

    async fn known_names(&mut self) -> &[String] {
        if self.known.is_none() {
            let Preparing { store, caller, .. } = self.preparing;
            let page = Page { count: KNOWN_MAX, after: None };
            let files = store.files(caller.owner(), Some(&caller.session), &page).await;
            let files = files.inspect_err(|error| tracing::error!(%error, "no list of files"));
            let names = files.unwrap_or_default().into_iter().map(|file| file.name);
            self.known = Some(names.collect());
        }
        self.known.as_deref().unwrap_or_default()
    }

    /// How many bytes parts may have, beside the files that are handed over whole.
    fn check_size(&self, granted: &[(Wish, File)]) -> Result<u64, Refused> {
        let limit = self.preparing.handover_bytes_max;
        let is_whole = |wish: &Wish| wish.form != Some(Form::Url) && wish.part().is_none();
        let inline = granted.iter().filter(|(wish, _)| is_whole(wish));
        let size = inline.clone().fold(0_u64, |sum, (_, file)| sum.saturating_add(file.size));
        if size <= limit {
            return Ok(limit - size);
        }
        let names: Vec<String> =
            inline.take(3).map(|(_, file)| format!("`{}`", shown(&file.name))).collect();
        Err(Refused::new(format!(
            "the content of {} has {size} bytes, and {limit} may go into the arguments of one \
             call (handover_bytes_max); a tool that takes a URL can have it of any size",
            names.join(", ")
        )))
    }

    async fn read(&self, file: &File) -> Result<Vec<u8>, Refused> {
        let read = self.preparing.store.read_part(file, 0..file.size).await;
        let bytes = read.map_err(|error| {
            tracing::error!(%error, key = %file.key, "a file could not be read");
            Refused::new(format!("`{}` could not be read; nothing was sent", shown(&file.name)))
        })?;
        Ok(Vec::from(bytes))
    }

    /// A part of a file, of at most so many bytes.
    async fn take(
        &self,
        file: &File,
        part: &FilePart,
        form: Option<Form>,
        argument: &str,
        room: u64,
    ) -> Result<Vec<u8>, Refused> {
        let name = shown(&file.name);
        let refused = |reason: &str| {
            let part = shown(&part.written);
            Refused::new(format!("`{name}` cannot be handed over by `?{part}`: {reason}"))
        };
        if form == Some(Form::Url) {
            return Err(refused(&format!(
                "the argument `{argument}` takes an address, and only a whole file has one"
            )));
        }
        let asking = self.preparing.asking.ok_or_else(|| {
            refused("files are handed over as a whole here, because `retrieval` is off")
        })?;
        let taken = retrieval::take(&asking, self.preparing.store, file, part, room).await;
        let limit = self.preparing.handover_bytes_max;
        let bytes = taken.map_err(|error| match error {
            QueryError::Limit(message) => refused(&format!(
                "{message}; {limit} bytes may go into the arguments of one call \
                 (handover_bytes_max)"
            )),
            error => refused(&error.to_string()),
        })?;
        if bytes.len() as u64 > room {
            return Err(refused(&format!(
                "{limit} bytes may go into the arguments of one call (handover_bytes_max)"
            )));
        }
        Ok(bytes)
    }

    /// An address that the tool can download the file from; one for each file of a call.
    async fn link(&self, file: &File, prepared: &mut Prepared) -> Result<String, Refused> {
        let Preparing { store, caller, public_url, .. } = self.preparing;
        let key = file.key.to_string();
        if let Some(handed) = prepared.minted.iter().find(|minted| minted.key == file.key) {
            return Ok(handed.url.clone());
        }
        let grant = Grant {
            kind: Kind::File,
            subject: file.key,
            action: Action::Read,
            audience: Audience::Tool,
            owner: caller.owner().to_owned(),
            session: caller.session.to_string(),
            is_single_use: false,
        };
        let (token, record) = store.mint(grant, None).await.map_err(|error| {
            tracing::error!(%error, key, "no token could be made");
            Refused::new("no download address could be made; nothing was sent")
        })?;
        let url =
            format!("{}/api/files/download/{key}?token={token}", public_url.trim_end_matches('/'));
        prepared.minted.push(Minted {
            token,
            id: record.id,
            key: file.key,
            url: url.clone(),
            name: file.name.clone(),
        });
        Ok(url)
    }
}

/// Whether a file can have this name; not every database can be asked for every other.
fn is_possible(name: &str) -> bool {
    !name.is_empty() && name.len() <= NAME_BYTES_MAX && !name.contains(char::is_control)
}

/// Whether a server may be handed a file that this server made.
pub(super) fn allows(handover: Handover, server: &str, made_by: Option<&str>) -> bool {
    match handover {
        Handover::Allow => true,
        Handover::SameServer => made_by == Some(server),
        Handover::Deny => false,
    }
}

pub(super) fn denial(handover: Handover, server: &str, name: &str) -> String {
    let name = shown(name);
    match handover {
        Handover::SameServer => format!(
            "the server `{server}` may be handed its own files only, and `{name}` is none of them; \
             `handover: allow` in its settings lets it have every file of yours"
        ),
        Handover::Deny | Handover::Allow => format!(
            "the server `{server}` may not be handed files, so it did not get `{name}`; \
             `handover: allow` in its settings lets it have them"
        ),
    }
}

pub(super) fn missing_reference(name: &str, argument: &str, known: &[String]) -> String {
    let near = near_names(name, known.iter().map(String::as_str));
    let hint = if name.contains('?') { format!("; {PART_HINT}") } else { String::new() };
    let name = shown(name);
    let message =
        format!("there is no file `{name}`, which the argument `{argument}` refers to{hint}");
    match near.is_empty() {
        true => format!("{message}; nothing was sent"),
        false => format!("{message}; near names: {}; nothing was sent", quoted(&near)),
    }
}

/// A note on a name that no file has; none where the session has no files, and so nobody meant one.
pub(super) fn missing_name(name: &str, argument: &str, known: &[String]) -> Option<Note> {
    if known.is_empty() {
        return None;
    }
    let near = near_names(name, known.iter().map(String::as_str));
    let name = shown(name);
    Some(match near.is_empty() {
        true => {
            let message = format!("no file of this session is named `{name}`; it was passed on");
            Note::remark(Rule::Arguments, argument, message)
        }
        false => {
            let message = format!(
                "no file of this session is named `{name}`, and the name was passed on as it is; \
                 near names: {}",
                quoted(&near)
            );
            Note::changed(Rule::Arguments, argument, message)
        }
    })
}

fn quoted(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{}`", shown(name))).collect();
    names.join(", ")
}
