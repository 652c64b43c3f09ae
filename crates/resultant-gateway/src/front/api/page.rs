//! Long lists in parts. Where a part ends is said by a cursor, which nobody needs to understand.

use base64_simd::URL_SAFE_NO_PAD;
use resultant_store::Page;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::problem::Problem;

/// So many, where it is not said.
const COUNT: u32 = 100;
/// So many at most.
pub(super) const COUNT_MAX: u32 = 10_000;
/// A cursor of ours is shorter than this.
const CURSOR_BYTES_MAX: usize = 512;

/// Which part of a list is wanted.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct PageQuery {
    /// How many at most; 100 by default.
    #[schemars(range(min = 1, max = 10_000))]
    pub(super) count: Option<u32>,
    /// The `next` of the part before.
    pub(super) cursor: Option<String>,
}

/// A part of a list, the newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}List")]
pub(super) struct Listing<T> {
    /// The items.
    pub(super) items: Vec<T>,
    /// The cursor of the next part; absent when this is the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<String>,
}

/// What is asked of the store: one more than wanted, to know whether there is more.
pub(super) fn wanted(count: Option<u32>, cursor: Option<&str>) -> Result<Page, Problem> {
    let count = count.unwrap_or(COUNT);
    if !(1..=COUNT_MAX).contains(&count) {
        return Err(Problem::bad(format!("`count` is from 1 to {COUNT_MAX}")));
    }
    let bad = || Problem::bad("`cursor` is not one of ours").hint("start without a cursor");
    let after = match cursor {
        Some(cursor) => Some(read_cursor(cursor).ok_or_else(bad)?),
        None => None,
    };
    Ok(Page { count: count + 1, after })
}

/// What is answered: as many as wanted, and where to go on.
pub(super) fn listing<S, T>(
    page: &Page,
    mut found: Vec<S>,
    place: impl Fn(&S) -> (i64, String),
    view: impl Fn(S) -> T,
) -> Listing<T> {
    let count = page.count.saturating_sub(1) as usize;
    let has_more = found.len() > count;
    found.truncate(count);
    let last = found.last().filter(|_| has_more).map(&place);
    let next = last.map(|(at, id)| cursor(at, &id));
    Listing { items: found.into_iter().map(view).collect(), next }
}

/// What says that a list goes on after this place.
pub(super) fn cursor(at: i64, id: &str) -> String {
    URL_SAFE_NO_PAD.encode_to_string(format!("{at}:{id}"))
}

fn read_cursor(cursor: &str) -> Option<(i64, String)> {
    if cursor.len() > CURSOR_BYTES_MAX {
        return None;
    }
    let bytes = URL_SAFE_NO_PAD.decode_to_vec(cursor).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let (at, id) = text.split_once(':')?;
    Some((at.parse().ok()?, id.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::{listing, wanted};

    #[test]
    fn a_list_goes_on_where_it_ended() {
        let page = wanted(Some(2), None).expect("a page");
        assert_eq!((page.count, page.after.clone()), (3, None));
        let place = |n: &i64| (*n, format!("id:{n}"));
        let part = listing(&page, vec![9, 8, 7], place, |n| n);
        assert_eq!(part.items, [9, 8]);
        let next = wanted(Some(2), part.next.as_deref()).expect("a page");
        assert_eq!(next.after, Some((8, "id:8".to_owned())));
        assert!(listing(&next, vec![7], place, |n| n).next.is_none());
    }

    #[test]
    fn what_is_no_page_is_refused() {
        for (count, cursor) in [(Some(0), None), (Some(10_001), None), (None, Some("%%"))] {
            assert!(wanted(count, cursor).is_err(), "{count:?} {cursor:?}");
        }
        assert!(wanted(None, Some(&"A".repeat(2000))).is_err());
        assert!(wanted(None, Some("")).is_err());
    }
}
