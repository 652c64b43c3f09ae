//! An object that never has more bytes than its room: a member that does not fit is not written.

use crate::json::push_string;

pub(super) struct Fitted {
    out: String,
    room: usize,
}

impl Fitted {
    pub(super) fn new(room: usize) -> Fitted {
        Fitted { out: "{".to_owned(), room: room.max(2) }
    }

    /// The bytes that a value under this key can have.
    pub(super) fn left(&self, key: &str) -> usize {
        let comma = usize::from(self.out.len() > 1);
        (self.room - 1).saturating_sub(self.out.len() + comma + key.len() + 3)
    }

    /// A member with this value, if there is room.
    pub(super) fn json(&mut self, key: &str, value: &str) -> bool {
        let before = self.out.len();
        if before > 1 {
            self.out.push(',');
        }
        push_string(&mut self.out, key);
        self.out.push(':');
        self.out.push_str(value);
        let fits = self.out.len() < self.room;
        if !fits {
            self.out.truncate(before);
        }
        fits
    }

    pub(super) fn text(&mut self, key: &str, text: &str) -> bool {
        self.json(key, &quoted(text))
    }

    /// Counts by name, as many as fit into the share, and how many are left.
    pub(super) fn counts<N: AsRef<str>>(
        &mut self,
        key: &str,
        counts: impl ExactSizeIterator<Item = (N, u64)>,
        share: usize,
    ) {
        let all = counts.len();
        let mut inner = Fitted::new(self.left(key).min(share));
        for (at, (name, count)) in counts.enumerate() {
            let is_last = at + 1 == all;
            let keep = if is_last { 0 } else { 16 };
            let fits = inner.left(name.as_ref()) >= keep + 6;
            if !fits || !inner.json(name.as_ref(), &count.to_string()) {
                inner.text("…", &format!("{} more", all - at));
                break;
            }
        }
        if inner.out.len() > 1 {
            self.json(key, &inner.end());
        }
    }

    /// Texts, as many as fit into the share, and how many are left.
    pub(super) fn texts(
        &mut self,
        key: &str,
        texts: impl Iterator<Item = String>,
        of: u64,
        share: usize,
    ) {
        const REST_BYTES: usize = 30;
        let share = self.left(key).min(share);
        let mut out = String::from("[");
        let mut count = 0;
        for text in texts {
            let before = out.len();
            if count > 0 {
                out.push(',');
            }
            push_string(&mut out, &text);
            count += 1;
            let keep = if count == of { 1 } else { REST_BYTES };
            if out.len() + keep > share {
                out.truncate(before);
                count -= 1;
                break;
            }
        }
        if count == 0 {
            return;
        }
        if count < of {
            out.push(',');
            push_string(&mut out, &format!("… {} more", of - count));
        }
        out.push(']');
        self.json(key, &out);
    }

    pub(super) fn end(mut self) -> String {
        self.out.push('}');
        self.out
    }
}

pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_string(&mut out, text);
    out
}
