//! A line of JSON, read from left to right without building a tree.
//!
//! Objects are walked key by key; names and small numbers are read where they stand, everything else is cut out as a text
//! and given to the JSON library. Every error has its place in the line.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value as Json;

/// Something wrong in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Where, in bytes from the beginning.
    pub at: usize,
    /// What.
    pub reason: String,
}

/// Deepest nesting of a value.
const MAX_NESTING: usize = 5_000;
/// Nesting that every stack has room for.
const SHALLOW: usize = 100;
const DEEP_STACK_BYTES: usize = 64 * 1024 * 1024;

/// Does something with values that may be nested more deeply than the stack of a thread allows.
pub fn deep<T>(nesting: usize, f: impl FnOnce() -> T) -> T {
    if nesting > SHALLOW { stacker::grow(DEEP_STACK_BYTES, f) } else { f() }
}

/// A value that was cut out.
#[derive(Clone, Copy, Debug)]
pub struct Raw<'t> {
    /// Where it begins.
    pub at: usize,
    /// Its text.
    pub text: &'t str,
    /// How deeply it is nested.
    pub nesting: usize,
}

/// A place in a line.
#[derive(Clone, Debug)]
pub struct Scan<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scan<'t> {
    pub fn new(text: &'t str) -> Scan<'t> {
        Scan { text, at: 0 }
    }

    fn bytes(&self) -> &'t [u8] {
        self.text.as_bytes()
    }

    /// Where the next thing begins.
    pub fn place(&mut self) -> usize {
        let bytes = self.bytes();
        while matches!(bytes.get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
        self.at
    }

    fn peek(&mut self) -> Option<u8> {
        let at = self.place();
        self.bytes().get(at).copied()
    }

    /// An error at the next thing.
    pub fn wrong(&mut self, reason: impl Into<String>) -> Wrong {
        Wrong { at: self.place(), reason: reason.into() }
    }

    fn expected(&mut self, what: &str) -> Wrong {
        let rest = &self.text[self.place()..];
        let found = match rest.chars().next() {
            None => "the end of the line".to_owned(),
            Some(c) => format!("`{c}`"),
        };
        self.wrong(format!("this is no JSON: expected {what}, found {found}"))
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Nothing follows.
    pub fn end(&mut self) -> Result<(), Wrong> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.expected("the end of the line")),
        }
    }

    /// Walks an object: `f` is called with every key and its place, and reads the value.
    pub fn object(
        &mut self,
        what: &str,
        mut f: impl FnMut(&mut Scan<'t>, &str, usize) -> Result<(), Wrong>,
    ) -> Result<(), Wrong> {
        if !self.take(b'{') {
            let found = self.peek();
            let is_value = matches!(found, Some(b'"' | b'[' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n'));
            return Err(if is_value {
                self.wrong(format!("{what}: expected an object"))
            } else {
                self.expected("`{`")
            });
        }
        if self.take(b'}') {
            return Ok(());
        }
        loop {
            let at = self.place();
            let key = self.name("a key")?;
            if !self.take(b':') {
                return Err(self.expected("`:`"));
            }
            f(self, &key, at)?;
            if self.take(b',') {
                continue;
            }
            if self.take(b'}') {
                return Ok(());
            }
            return Err(self.expected("`,` or `}`"));
        }
    }

    /// A text.
    pub fn name(&mut self, what: &str) -> Result<Cow<'t, str>, Wrong> {
        if self.peek() != Some(b'"') {
            return Err(self.expected(what));
        }
        match self.plain_text() {
            Some(text) => Ok(Cow::Borrowed(text)),
            None => {
                let raw = self.raw()?;
                let text = serde_json::from_str::<String>(raw.text).map_err(|e| no_json(raw.at, &e))?;
                Ok(Cow::Owned(text))
            }
        }
    }

    /// A text without escapes, if one is next.
    pub fn plain_text(&mut self) -> Option<&'t str> {
        if self.peek() != Some(b'"') {
            return None;
        }
        let bytes = self.bytes();
        let start = self.at + 1;
        let mut end = start;
        loop {
            match *bytes.get(end)? {
                b'"' => break,
                b'\\' | 0..0x20 => return None,
                _ => end += 1,
            }
        }
        self.at = end + 1;
        self.text.get(start..end)
    }

    /// A whole number of few digits, if one is next.
    pub fn small_number(&mut self) -> Option<i64> {
        let start = self.place();
        let bytes = self.bytes();
        let negative = bytes.get(start) == Some(&b'-');
        let first = start + usize::from(negative);
        let mut end = first;
        let mut number: i64 = 0;
        while let Some(digit @ b'0'..=b'9') = bytes.get(end) {
            if end - first == 18 {
                return None;
            }
            number = number * 10 + i64::from(digit - b'0');
            end += 1;
        }
        let is_whole = !matches!(bytes.get(end), Some(b'.' | b'e' | b'E' | b'+' | b'-'));
        let is_written_so = end > first && (bytes[first] != b'0' || end == first + 1);
        if !is_whole || !is_written_so {
            return None;
        }
        self.at = end;
        Some(if negative { -number } else { number })
    }

    /// Whether this word is next; it is taken if so.
    pub fn word(&mut self, word: &str) -> bool {
        let at = self.place();
        let found = self.text[at..].starts_with(word);
        if found {
            self.at += word.len();
        }
        found
    }

    /// Cuts out the next value, whatever it is.
    pub fn raw(&mut self) -> Result<Raw<'t>, Wrong> {
        let at = self.place();
        let bytes = self.bytes();
        let (mut depth, mut deepest, mut end) = (0usize, 0, at);
        loop {
            match bytes.get(end) {
                None if depth > 0 || end == at => return Err(Wrong { at: end, ..self.cut() }),
                None => break,
                Some(b'"') => {
                    end += 1;
                    loop {
                        match bytes.get(end) {
                            None => {
                                return Err(Wrong { at, reason: "this is no JSON: a text does not end".to_owned() });
                            }
                            Some(b'"') => break,
                            Some(b'\\') => end += 2,
                            Some(_) => end += 1,
                        }
                    }
                    end += 1;
                }
                Some(b'{' | b'[') => {
                    depth += 1;
                    deepest = deepest.max(depth);
                    if depth > MAX_NESTING {
                        let reason = format!("this is nested more than {MAX_NESTING} levels deep");
                        return Err(Wrong { at, reason });
                    }
                    end += 1;
                }
                Some(b'}' | b']') if depth > 0 => {
                    depth -= 1;
                    end += 1;
                }
                Some(b'}' | b']') => break,
                Some(b',' | b':' | b' ' | b'\t' | b'\r' | b'\n') if depth == 0 => break,
                Some(_) => end += 1,
            }
            if depth == 0 && matches!(bytes.get(end.wrapping_sub(1)), Some(b'"' | b'}' | b']')) {
                break;
            }
        }
        if end == at {
            return Err(self.expected("a value"));
        }
        self.at = end;
        match self.text.get(at..end) {
            Some(text) => Ok(Raw { at, text, nesting: deepest }),
            None => Err(Wrong { at, reason: "this is no JSON".to_owned() }),
        }
    }

    fn cut(&mut self) -> Wrong {
        let end = self.text.len();
        Wrong { at: end, reason: "this is no JSON: the line ends in the middle of a value".to_owned() }
    }

    /// Skips the next value, which must be one.
    pub fn skip(&mut self) -> Result<(), Wrong> {
        let raw = self.raw()?;
        raw.check()
    }
}

impl Raw<'_> {
    /// The value.
    pub fn json(&self) -> Result<Json, Wrong> {
        deep(self.nesting, || {
            let mut reader = serde_json::Deserializer::from_str(self.text);
            reader.disable_recursion_limit();
            Json::deserialize(&mut reader)
                .and_then(|json| reader.end().map(|()| json))
                .map_err(|e| no_json(self.at, &e))
        })
    }

    fn check(&self) -> Result<(), Wrong> {
        deep(self.nesting, || {
            let mut reader = serde_json::Deserializer::from_str(self.text);
            reader.disable_recursion_limit();
            serde::de::IgnoredAny::deserialize(&mut reader).and_then(|_| reader.end()).map_err(|e| no_json(self.at, &e))
        })
    }
}

/// What the library says, without its own idea of the place.
fn no_json(at: usize, error: &serde_json::Error) -> Wrong {
    let text = error.to_string();
    let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(text, _)| text);
    Wrong { at: at + error.column().saturating_sub(1), reason: format!("this is no JSON: {text}") }
}
