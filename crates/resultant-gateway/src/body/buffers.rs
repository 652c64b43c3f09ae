//! Buffers for the parts of long messages, used again once nobody has them any more.
//!
//! A part is made on one thread and given up on another, a thousand times a second. An allocator
//! keeps memory for each thread that it happens on, and would have many times what is in use.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};

/// So many are known at a time. Those that are given out beyond are not used again.
const LENT_MAX: usize = 16;

#[derive(Debug, Default)]
pub(crate) struct Buffers {
    lent: VecDeque<Bytes>,
}

impl Buffers {
    /// An empty buffer with room for so many bytes.
    pub(crate) fn take(&mut self, capacity: usize) -> BytesMut {
        for _ in 0..self.lent.len() {
            match self.lent.pop_front().map(Bytes::try_into_mut) {
                Some(Ok(mut buffer)) => {
                    buffer.clear();
                    if buffer.capacity() >= capacity {
                        return buffer;
                    }
                }
                Some(Err(in_use)) => self.lent.push_back(in_use),
                None => {}
            }
        }
        BytesMut::with_capacity(capacity)
    }

    /// What is in a buffer, to be given away.
    pub(crate) fn lend(&mut self, buffer: BytesMut) -> Bytes {
        let bytes = buffer.freeze();
        if self.lent.len() == LENT_MAX {
            self.lent.pop_front();
        }
        self.lent.push_back(bytes.clone());
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_used_again_once_nobody_has_it() {
        let mut buffers = Buffers::default();
        let mut first = buffers.take(1000);
        first.extend_from_slice(&[1; 1000]);
        let place = first.as_ptr();
        let lent = buffers.lend(first);
        let part = lent.slice(10..20);
        drop(lent);
        assert_ne!(buffers.take(1000).as_ptr(), place, "somebody has a part of it");
        assert_eq!(part, [1; 10].as_slice());
        drop(part);
        let again = buffers.take(1000);
        assert_eq!((again.as_ptr(), again.len()), (place, 0));
        drop(buffers.lend(again));
        assert!(buffers.take(2000).capacity() >= 2000);
    }

    #[test]
    fn no_more_are_known_than_so_many() {
        let mut buffers = Buffers::default();
        let lent: Vec<Bytes> = (0..LENT_MAX + 5)
            .map(|_| {
                let mut buffer = buffers.take(10);
                buffer.extend_from_slice(b"x");
                buffers.lend(buffer)
            })
            .collect();
        assert_eq!(buffers.lent.len(), LENT_MAX);
        assert!(lent.iter().all(|bytes| bytes == "x"));
    }
}
