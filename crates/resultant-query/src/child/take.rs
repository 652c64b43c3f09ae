//! Parts that are handed on as they are.

use super::{
    Limits, Stop, form,
    incoming::Incoming,
    jq,
    read::{self, bytes, items, lines::Window},
};
use crate::{By, Part, Take};

pub(super) fn answer(
    take: &Take,
    incoming: &mut Incoming<'_>,
    limits: &Limits,
) -> Result<Vec<u8>, Stop> {
    let source = incoming.only()?;
    let (by, from, to) = match take {
        Take::Jq(filter) => return jq::take(filter, &form::json(source)?, limits),
        Take::Range { by, from, to } => (*by, *from, *to),
    };
    if to < from {
        return Err(Stop::Refused(format!("the range {from}-{to} ends before it starts")));
    }
    let count = (to - from).saturating_add(1);
    match by {
        By::Bytes => {
            let bytes = bytes::range(source, from, count.min(limits.take_bytes as u64 + 1))?;
            match bytes.len() > limits.take_bytes {
                true => Err(too_much(limits)),
                false => Ok(bytes),
            }
        }
        By::Lines => {
            let part = Part { from, count: Some(count), ..Part::default() };
            let mut window = Window::new(&part, limits.take_bytes.saturating_add(1));
            read::each_line_piece(source, |bytes| window.push(bytes))?;
            window.finish();
            window.whole().ok_or_else(|| too_much(limits))
        }
        By::Items => {
            let mut list = List::new(from, count);
            items::each_item(source, None, |item| {
                list.push(limits, |out| out.push_str(&item.to_string()));
            })?;
            list.end(limits)
        }
        By::Rows => {
            let mut list = List::new(from, count);
            items::each_row(source, |row| list.push(limits, |out| row.push_object(out)))?;
            list.end(limits)
        }
    }
}

pub(super) fn too_much(limits: &Limits) -> Stop {
    let mib = limits.take_bytes >> 20;
    Stop::Limit(format!("this part has more than {mib} MiB, which is too much to hand over"))
}

/// A JSON list of some of the items that pass by.
struct List {
    from: u64,
    count: u64,
    at: u64,
    out: String,
}

impl List {
    fn new(from: u64, count: u64) -> List {
        List { from: from.max(1), count, at: 0, out: String::from("[") }
    }

    fn push(&mut self, limits: &Limits, write: impl FnOnce(&mut String)) {
        self.at += 1;
        let is_wanted = self.at >= self.from && self.at - self.from < self.count;
        if is_wanted && self.out.len() <= limits.take_bytes {
            if self.out.len() > 1 {
                self.out.push(',');
            }
            write(&mut self.out);
        }
    }

    fn end(mut self, limits: &Limits) -> Result<Vec<u8>, Stop> {
        self.out.push(']');
        match self.out.len() > limits.take_bytes {
            true => Err(too_much(limits)),
            false => Ok(self.out.into_bytes()),
        }
    }
}
