//! Numbers of lines, for a reader that knows where a record begins but not on which line.

use std::collections::VecDeque;
use std::io::{self, Read};

/// An input that remembers where lines end, as far as nobody asked for what is behind.
pub struct Lines<R> {
    input: R,
    /// Bytes that were read.
    read: u64,
    /// Places of the bytes that end lines, and which of the two it is.
    ends: VecDeque<(u64, u8)>,
    /// The line of the last place that was asked for, from one.
    line: usize,
    /// Where a line ended with a carriage return: a line feed behind it ends no other one.
    returned: Option<u64>,
}

impl<R> Lines<R> {
    pub fn new(input: R) -> Lines<R> {
        Lines { input, read: 0, ends: VecDeque::new(), line: 1, returned: None }
    }

    /// The line of the first byte from a place on that ends no line. Places are asked for in order.
    pub fn line(&mut self, mut place: u64) -> usize {
        while let Some((end, byte)) = self.ends.front().copied().filter(|(end, _)| *end <= place) {
            self.ends.pop_front();
            place = place.max(end + 1);
            let is_second = byte == b'\n' && end > 0 && self.returned == Some(end - 1);
            self.line += usize::from(!is_second);
            self.returned = (byte == b'\r').then_some(end);
        }
        self.line
    }
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        for (place, byte) in (self.read..).zip(&buffer[..count]) {
            if matches!(byte, b'\n' | b'\r') {
                self.ends.push_back((place, *byte));
            }
        }
        self.read += count as u64;
        Ok(count)
    }
}
