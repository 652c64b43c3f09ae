//! Which file is meant: by its name, its key or its address, among the caller's own.
//!
//! A file of somebody else is answered like one that does not exist.

use std::collections::HashSet;

use resultant_store::{File, Page, StoreError};

use crate::{
    arguments::{near::near_names, shown},
    caller::Caller,
    dispatch::own_files::own_file,
    file_uri::{FileUri, normalized},
    gateway::Gateway,
};

/// So many of the session's files are looked through for near names.
const KNOWN_MAX: u32 = 1000;
/// A file's name has no more bytes.
const NAME_BYTES_MAX: usize = 1 << 10;

/// Why there is no file.
#[derive(Debug)]
pub(crate) enum Missing {
    NoFile { name: String, near: Vec<String> },
    Wrong(String),
}

fn unreadable(error: &StoreError) -> Missing {
    tracing::error!(%error, "files could not be looked up");
    Missing::Wrong("files could not be looked up; try again".to_owned())
}

/// The file that a caller means.
pub(crate) async fn find(
    gateway: &Gateway,
    caller: &Caller,
    written: &str,
) -> Result<File, Missing> {
    let uri = match FileUri::parse(written) {
        Some(parsed) => parsed.map_err(Missing::Wrong)?,
        None => FileUri { name: normalized(written), ..FileUri::default() },
    };
    if uri.part.is_some() || uri.offset.is_some() || uri.length.is_some() {
        let message = "a part is said by the other arguments; leave `?…` out of the address";
        return Err(Missing::Wrong(message.to_owned()));
    }
    if let Some(file) = by_uri(gateway, caller, &uri).await.map_err(|error| unreadable(&error))? {
        return Ok(file);
    }
    let page = Page { count: KNOWN_MAX, after: None };
    let known = gateway.store.files(caller.owner(), Some(&caller.session), &page).await;
    let known = known.map_err(|error| unreadable(&error))?;
    let near = near_names(&uri.name, known.iter().map(|file| file.name.as_str()));
    let near = near.into_iter().map(shown).collect();
    Err(Missing::NoFile { name: shown(&uri.name), near })
}

/// The file of an address: by its key, else the newest of its name in the caller's session, else in
/// any other of the same user.
pub(crate) async fn by_uri(
    gateway: &Gateway,
    caller: &Caller,
    uri: &FileUri,
) -> Result<Option<File>, StoreError> {
    let FileUri { name, sha256, .. } = uri;
    // Not every database can be asked for every name.
    if name.is_empty() || name.len() > NAME_BYTES_MAX || name.contains(char::is_control) {
        return Ok(None);
    }
    if let Ok(key) = name.parse()
        && let Some(file) = gateway.store.file(caller.owner(), key).await?
    {
        let is_meant = sha256.as_ref().is_none_or(|sha256| *sha256 == file.sha256);
        return Ok(Some(file).filter(|_| is_meant));
    }
    own_file(gateway, caller, name, sha256.as_deref()).await
}

/// The files of the caller's session that can be searched: the newest of each name, and then those
/// that are older, which are called by their keys.
pub(crate) async fn of_session(
    gateway: &Gateway,
    caller: &Caller,
    count: usize,
) -> Result<Vec<File>, Missing> {
    let page = Page { count: KNOWN_MAX, after: None };
    let files = gateway.store.files(caller.owner(), Some(&caller.session), &page).await;
    let mut files = by_their_names(files.map_err(|error| unreadable(&error))?);
    files.retain(|file| is_searchable(&file.mime));
    files.truncate(count);
    match files.is_empty() {
        true => Err(Missing::Wrong("this session has no files to search".to_owned())),
        false => Ok(files),
    }
}

/// The newest of each name first. The name alone leads to that one, so an older one is called by its
/// key, as it is in the list of files.
fn by_their_names(files: Vec<File>) -> Vec<File> {
    let mut names = HashSet::new();
    let is_newest = |file: &File| names.insert(file.name.clone());
    let (mut files, older): (Vec<File>, Vec<File>) = files.into_iter().partition(is_newest);
    files.extend(older.into_iter().map(|mut file| {
        file.name = file.key.to_string();
        file
    }));
    files
}

/// Pictures and sounds have no lines.
fn is_searchable(mime: &str) -> bool {
    let kind = mime.split('/').next().unwrap_or_default();
    mime == "image/svg+xml" || !matches!(kind, "image" | "audio" | "video" | "font")
}
