//! Tool results as servers write them, of every convention, good ones and broken ones.

use proptest::{collection::vec, option, prelude::*, sample::select};

use crate::tree::{Tree, object, scalar, tree, word};

/// An object of members that may be absent.
fn some(members: Vec<(&'static str, Option<Tree>)>) -> Tree {
    Tree::object(members.into_iter().filter_map(|(key, value)| Some((key, value?))))
}

/// Adds members that nobody knows.
fn with_more(tree: Tree, more: Vec<(String, Tree)>) -> Tree {
    let Tree::Object(mut members) = tree else { return tree };
    for (key, value) in more {
        if members.iter().all(|(other, _)| *other != key) {
            members.push((key, value));
        }
    }
    Tree::Object(members)
}

fn more() -> impl Strategy<Value = Vec<(String, Tree)>> {
    prop_oneof![3 => Just(Vec::new()), 1 => vec(("x-[a-z]{5,8}", tree()), 1..3)]
}

/// A value of this shape, most of the time.
fn mostly(good: impl Strategy<Value = Tree> + 'static) -> BoxedStrategy<Tree> {
    prop_oneof![12 => good, 1 => tree()].boxed()
}

/// A member of this shape, absent as often as not.
fn maybe(good: impl Strategy<Value = Tree> + 'static) -> impl Strategy<Value = Option<Tree>> {
    option::of(mostly(good))
}

fn text() -> BoxedStrategy<Tree> {
    word().prop_map(Tree::Text).boxed()
}

const SIGNATURES: &[&[u8]] = &[b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"%PDF-1.4", b"ID3"];

/// Some bytes: of a kind that has a signature, or of none.
pub(crate) fn file_bytes() -> impl Strategy<Value = Vec<u8>> {
    (select(SIGNATURES), vec(any::<u8>(), 0..80)).prop_map(|(start, rest)| [start, &rest].concat())
}

/// Base64 in one of its four spellings.
pub(crate) fn base64(bytes: &[u8], url_safe: bool, padded: bool) -> String {
    let alphabet = match url_safe {
        false => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        true => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
    };
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
        let bits = bits << (8 * (3 - group.len()));
        for at in 0..=group.len() {
            out.push(alphabet[(bits >> (18 - 6 * at)) as usize & 63] as char);
        }
        if padded {
            out.extend(std::iter::repeat_n('=', 3 - group.len()));
        }
    }
    out
}

pub(crate) fn file() -> BoxedStrategy<Tree> {
    (file_bytes(), any::<bool>(), any::<bool>())
        .prop_map(|(bytes, url_safe, padded)| Tree::Text(base64(&bytes, url_safe, padded)))
        .boxed()
}

fn mime() -> BoxedStrategy<Tree> {
    prop_oneof![
        4 => select(&["image/png", "text/plain", "application/pdf", "application/x-own"][..])
            .prop_map(Tree::string),
        1 => select(&["image/jpg", "IMAGE/PNG", "", "text/html; charset=utf-8", "a/b/c"][..])
            .prop_map(Tree::string),
        1 => text(),
    ]
    .boxed()
}

fn name() -> BoxedStrategy<Tree> {
    prop_oneof![
        4 => "[a-z]{4,8}\\.(txt|png|pdf|html|bin)".prop_map(Tree::Text),
        1 => select(&["same.txt", "../up.txt", "C:\\x.txt", "..", "", "e\u{301}.txt"][..])
            .prop_map(Tree::string),
        1 => text(),
    ]
    .boxed()
}

fn annotations() -> BoxedStrategy<Tree> {
    let audience = select(&["user", "assistant", "somebody"][..]).prop_map(Tree::string);
    let priority = select(&["0", "1", "0.5", "7"][..]).prop_map(Tree::number);
    (maybe(vec(audience, 0..3).prop_map(Tree::Array)), maybe(priority), maybe(text()), more())
        .prop_map(|(audience, priority, last_modified, more)| {
            let known = vec![
                ("audience", audience),
                ("priority", priority),
                ("lastModified", last_modified),
            ];
            with_more(some(known), more)
        })
        .boxed()
}

fn digest() -> BoxedStrategy<Tree> {
    "[0-9a-f]{64}".prop_map(Tree::Text).boxed()
}

/// An item of `artifacts`.
fn artifact() -> BoxedStrategy<Tree> {
    let size = (0_u64..90).prop_map(|size| Tree::number(size.to_string()));
    let viewer = select(&["html", "auto", "hologram"][..]).prop_map(Tree::string);
    let where_ = (
        prop_oneof![6 => file().prop_map(Some), 1 => maybe(text())],
        prop_oneof![6 => Just(None), 1 => maybe(digest())],
        option::weighted(0.1, text()),
    );
    let item = (
        prop_oneof![8 => name().prop_map(Some), 1 => maybe(name())],
        where_,
        maybe(mime()),
        option::weighted(0.2, mostly(size)),
        option::weighted(0.3, mostly(text())),
        option::weighted(0.2, mostly(viewer)),
        option::weighted(0.1, mostly(annotations())),
        more(),
    )
        .prop_map(
            |(name, (b64, sha256, url), mime, size, description, viewer, annotations, more)| {
                let known = vec![
                    ("name", name),
                    ("b64", b64),
                    ("sha256", sha256),
                    ("mime", mime),
                    ("size", size),
                    ("description", description),
                    ("viewer", viewer),
                    ("url", url),
                    ("annotations", annotations),
                ];
                with_more(some(known), more)
            },
        );
    mostly(item).boxed()
}

fn artifacts() -> BoxedStrategy<Tree> {
    vec(artifact(), 0..4).prop_map(Tree::Array).boxed()
}

fn display() -> BoxedStrategy<Tree> {
    let mode = select(&["replace", "append", "split", "float"][..]).prop_map(Tree::string);
    let hint = select(&["html", "image", "hologram"][..]).prop_map(Tree::string);
    (maybe(any::<bool>().prop_map(Tree::Bool)), maybe(name()), maybe(mode), maybe(hint), more())
        .prop_map(|(open, primary, mode, hint, more)| {
            let known = vec![
                ("open_canvas", open),
                ("primary_file", primary),
                ("mode", mode),
                ("viewer_hint", hint),
            ];
            with_more(some(known), more)
        })
        .boxed()
}

fn canvas() -> BoxedStrategy<Tree> {
    let persistence = select(&["session", "pinned", "forever"][..]).prop_map(Tree::string);
    (
        maybe(text()),
        maybe("cap-[a-z]{12}".prop_map(Tree::Text)),
        maybe(text()),
        maybe(persistence),
        more(),
    )
        .prop_map(|(id, token, url, persistence, more)| {
            let known =
                vec![("id", id), ("token", token), ("url", url), ("persistence", persistence)];
            with_more(some(known), more)
        })
        .boxed()
}

fn link_members() -> BoxedStrategy<Tree> {
    let icon = vec(object(), 0..2).prop_map(Tree::Array);
    (
        prop_oneof![8 => "https://[a-z]{6}/[a-z]{5}".prop_map(|uri| Some(Tree::Text(uri))),
            1 => maybe(text())],
        maybe(text()),
        maybe(mime()),
        maybe(tree()),
        option::weighted(0.2, icon),
        option::weighted(0.2, annotations()),
        more(),
    )
        .prop_map(|(uri, name, mime, size, icons, annotations, more)| {
            let known = vec![
                ("uri", uri),
                ("name", name),
                ("mimeType", mime),
                ("size", size),
                ("icons", icons),
                ("annotations", annotations),
            ];
            with_more(some(known), more)
        })
        .boxed()
}

/// An object that has `results`, or files.
pub(crate) fn contract() -> BoxedStrategy<Tree> {
    let legacy_content = prop_oneof![
        3 => file(),
        2 => (option::of(name()), file(), more()).prop_map(|(name, b64, more)| {
            with_more(some(vec![("name", name), ("b64", Some(b64))]), more)
        }),
        1 => tree(),
    ];
    let legacy = (
        option::weighted(0.2, mostly(vec(mostly(name()), 0..4).prop_map(Tree::Array))),
        option::weighted(0.2, mostly(vec(legacy_content, 0..4).prop_map(Tree::Array))),
    );
    (
        prop_oneof![6 => tree().prop_map(Some), 1 => Just(None)],
        option::of(mostly(object())),
        option::weighted(0.1, object()),
        option::of(mostly(artifacts())),
        legacy,
        option::weighted(0.3, mostly(display())),
        option::weighted(0.2, mostly(canvas())),
        option::weighted(0.1, mostly(vec(link_members(), 0..3).prop_map(Tree::Array))),
        more(),
    )
        .prop_map(
            |(
                results,
                meta,
                dashed,
                artifacts,
                (names, contents),
                display,
                canvas,
                links,
                more,
            )| {
                let known = vec![
                    ("results", results),
                    ("meta_data", meta),
                    ("meta-data", dashed),
                    ("artifacts", artifacts),
                    ("returned_file_names", names),
                    ("returned_file_contents", contents),
                    ("display", display),
                    ("canvas", canvas),
                    ("links", links),
                ];
                with_more(some(known), more)
            },
        )
        .boxed()
}

/// A response-v2 envelope.
pub(crate) fn envelope() -> BoxedStrategy<Tree> {
    let warnings = vec(text(), 0..3).prop_map(Tree::Array).boxed();
    let extension = (option::of(artifacts()), option::of(display()), object()).prop_map(
        |(artifacts, display, extra)| {
            some(vec![("artifacts", artifacts), ("display", display), ("extra", Some(extra))])
        },
    );
    let meta = (option::weighted(0.3, mostly(extension)), more())
        .prop_map(|(extension, more)| with_more(some(vec![("resultant", extension)]), more));
    let data = (
        object(),
        option::weighted(0.3, mostly(meta)),
        option::weighted(0.3, mostly(warnings.clone())),
        option::weighted(0.2, mostly(artifacts())),
    )
        .prop_map(|(data, meta, warnings, artifacts)| {
            let known =
                some(vec![("_meta", meta), ("_warnings", warnings), ("artifacts", artifacts)]);
            match data {
                Tree::Object(members) => with_more(known, members),
                _ => known,
            }
        });
    let error = prop_oneof![3 => Just(Tree::Null), 2 => text(), 1 => tree()];
    let meta = (option::weighted(0.3, mostly(warnings)), more()).prop_map(|(warnings, more)| {
        let version = Some(Tree::string("response-v2"));
        with_more(some(vec![("version", version), ("warnings", warnings)]), more)
    });
    (any::<bool>(), prop_oneof![6 => data, 1 => tree()], error, meta, more())
        .prop_map(|(success, data, error, meta, more)| {
            let known = vec![
                ("success", Some(Tree::Bool(success))),
                ("data", Some(data)),
                ("error", Some(error)),
                ("meta", Some(meta)),
            ];
            with_more(some(known), more)
        })
        .boxed()
}

/// What a tool has to say: any value, or one of the conventions.
pub(crate) fn payload() -> BoxedStrategy<Tree> {
    prop_oneof![
        3 => tree(),
        3 => contract(),
        2 => envelope(),
        1 => tree().prop_map(|value| Tree::object([("result", value)])),
    ]
    .boxed()
}

fn typed(kind: &'static str, members: Vec<(&'static str, Option<Tree>)>) -> Tree {
    let mut all = vec![("type", Some(Tree::string(kind)))];
    all.extend(members);
    some(all)
}

/// A content block.
pub(crate) fn block() -> BoxedStrategy<Tree> {
    let content =
        prop_oneof![3 => text(), 1 => payload().prop_map(|tree| Tree::Text(tree.to_text()))]
            .boxed();
    let text_block = content.clone().prop_map(|text| typed("text", vec![("text", Some(text))]));
    let image = (file(), maybe(mime()))
        .prop_map(|(data, mime)| typed("image", vec![("data", Some(data)), ("mimeType", mime)]));
    let audio = (file(), maybe(mime()))
        .prop_map(|(data, mime)| typed("audio", vec![("data", Some(data)), ("mimeType", mime)]));
    let uri = "file:///[a-z]{4}/[a-z]{6}(\\.txt|\\.png|)".prop_map(Tree::Text);
    let resource = (maybe(uri), maybe(mime()), option::of(content), option::of(file()), more())
        .prop_map(|(uri, mime, text, blob, more)| {
            let known = vec![("uri", uri), ("mimeType", mime), ("text", text), ("blob", blob)];
            let resource = with_more(some(known), more);
            typed("resource", vec![("resource", Some(resource))])
        });
    let link = link_members().prop_map(|link| match link {
        Tree::Object(members) => with_more(typed("resource_link", Vec::new()), members),
        _ => link,
    });
    let known = prop_oneof![4 => text_block, 1 => image, 1 => audio, 1 => resource, 1 => link];
    let known = (
        known,
        option::weighted(0.2, annotations()),
        option::weighted(0.1, mostly(object())),
        more(),
    )
        .prop_map(|(block, annotations, meta, mut more)| {
            more.extend(annotations.map(|value| ("annotations".to_owned(), value)));
            more.extend(meta.map(|value| ("_meta".to_owned(), value)));
            with_more(block, more)
        });
    prop_oneof![
        12 => known,
        1 => (text(), object()).prop_map(|(kind, block)| match block {
            Tree::Object(members) => with_more(Tree::object([("type", kind)]), members),
            _ => block,
        }),
        1 => tree(),
    ]
    .boxed()
}

fn error_flag() -> impl Strategy<Value = Option<Tree>> {
    prop_oneof![
        4 => Just(None),
        2 => any::<bool>().prop_map(|flag| Some(Tree::Bool(flag))),
        1 => scalar().prop_map(Some),
    ]
}

/// A `CallToolResult`.
pub(crate) fn result() -> BoxedStrategy<Tree> {
    let content =
        prop_oneof![12 => vec(block(), 0..4).prop_map(Tree::Array), 1 => block(), 1 => scalar()];
    let modern = prop_oneof![
        4 => Just(None),
        1 => Just(Some(Tree::string("complete"))),
        1 => scalar().prop_map(Some),
    ];
    (
        content,
        option::of(payload()),
        any::<bool>(),
        error_flag(),
        option::weighted(0.2, mostly(object())),
        modern,
        more(),
    )
        .prop_map(|(content, structured, is_mirrored, is_error, meta, modern, more)| {
            let content = match (content, &structured) {
                (Tree::Array(mut blocks), Some(value)) if is_mirrored => {
                    let text = Some(Tree::Text(value.to_text()));
                    blocks.insert(0, typed("text", vec![("text", text)]));
                    Tree::Array(blocks)
                }
                (content, _) => content,
            };
            let known = vec![
                ("content", Some(content)),
                ("structuredContent", structured),
                ("isError", is_error),
                ("_meta", meta),
                ("resultType", modern),
            ];
            with_more(some(known), more)
        })
        .boxed()
}

/// A client object as Python dumps it.
pub(crate) fn python_dump() -> BoxedStrategy<Tree> {
    (
        vec(block(), 0..3).prop_map(Tree::Array),
        prop_oneof![Just(Tree::Null), payload()],
        option::of(payload()),
        error_flag(),
        option::weighted(0.3, object()),
        more(),
    )
        .prop_map(|(content, structured, data, is_error, meta, more)| {
            let known = vec![
                ("content", Some(content)),
                ("structured_content", Some(structured)),
                ("data", data),
                ("is_error", is_error),
                ("meta", meta),
            ];
            with_more(some(known), more)
        })
        .boxed()
}

/// A whole JSON-RPC message.
pub(crate) fn response() -> BoxedStrategy<Tree> {
    let error = (option::of(tree()), maybe(text()), more()).prop_map(|(code, message, more)| {
        with_more(some(vec![("code", code), ("message", message)]), more)
    });
    (
        option::weighted(0.9, prop_oneof![4 => result(), 1 => payload()]),
        option::weighted(0.2, mostly(error)),
        more(),
    )
        .prop_map(|(result, error, more)| {
            let known = vec![
                ("jsonrpc", Some(Tree::string("2.0"))),
                ("id", Some(Tree::number("7"))),
                ("result", result),
                ("error", error),
            ];
            with_more(some(known), more)
        })
        .boxed()
}

/// A message of any kind.
pub(crate) fn message() -> BoxedStrategy<Tree> {
    prop_oneof![
        6 => result(),
        2 => contract(),
        1 => envelope(),
        1 => python_dump(),
        1 => response(),
        1 => tree(),
    ]
    .boxed()
}
