//! A piece of a chart's file: its text, and where each byte of it comes from.
//!
//! Characters that are written by their number, and words that are put around a piece to make a sentence of the language,
//! change the text; the places stay those of the file.

use super::super::span::{FileId, Span};

/// Text with the place of every byte. There is one place more than there are bytes: the end.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    text: String,
    places: Vec<usize>,
}

impl Piece {
    /// A part of a file that starts here.
    pub fn at(text: &str, start: usize) -> Piece {
        Piece { text: text.to_owned(), places: (start..=start + text.len()).collect() }
    }

    /// A line of a file that starts here, without white space around it. Some programs begin a file with a mark.
    pub fn line(text: &str, start: usize) -> Piece {
        let piece = Piece::at(text, start).trim();
        match piece.text.strip_prefix('\u{feff}') {
            Some(rest) if start == 0 => piece.from(piece.text.len() - rest.len()).trim(),
            _ => piece,
        }
    }

    /// A text that stands for something in a file.
    pub fn instead(text: &str, of: &Piece) -> Piece {
        let mut places = vec![of.start(); text.len()];
        places.push(of.end());
        Piece { text: text.to_owned(), places }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where it begins in the file.
    pub fn start(&self) -> usize {
        self.places[0]
    }

    /// Where it ends in the file.
    pub fn end(&self) -> usize {
        self.places[self.text.len()]
    }

    /// Its place.
    pub fn span(&self, file: FileId) -> Span {
        Span::new(file, self.start(), self.end().max(self.start()))
    }

    /// Where a byte comes from.
    pub fn place(&self, byte: usize) -> usize {
        self.places[byte.min(self.text.len())]
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The bytes from `start` to `end`, which are borders of characters.
    pub fn slice(&self, start: usize, end: usize) -> Piece {
        Piece { text: self.text[start..end].to_owned(), places: self.places[start..=end].to_vec() }
    }

    /// From `start` on.
    pub fn from(&self, start: usize) -> Piece {
        self.slice(start, self.text.len())
    }

    /// Without white space around it.
    pub fn trim(&self) -> Piece {
        let start = self.text.len() - self.text.trim_start().len();
        let end = self.text.trim_end().len().max(start);
        self.slice(start, end)
    }

    /// The text before a sign, and the text behind it.
    pub fn split_once(&self, sign: &str) -> Option<(Piece, Piece)> {
        let at = self.text.find(sign)?;
        Some((self.slice(0, at), self.from(at + sign.len())))
    }

    /// The pieces between signs, without white space around them.
    pub fn split(&self, sign: char) -> Vec<Piece> {
        let mut out = vec![];
        let mut start = 0;
        for (at, found) in self.text.match_indices(sign) {
            out.push(self.slice(start, at).trim());
            start = at + found.len();
        }
        out.push(self.from(start).trim());
        out
    }

    /// The first word, without white space, and the rest.
    pub fn word(&self) -> (Piece, Piece) {
        let trimmed = self.trim();
        let end = trimmed.text.find(char::is_whitespace).unwrap_or(trimmed.text.len());
        (trimmed.slice(0, end), trimmed.from(end).trim())
    }

    /// What is behind a word that it begins with.
    pub fn behind(&self, word: &str) -> Option<Piece> {
        let (first, rest) = self.word();
        (first.text == word).then_some(rest)
    }

    /// Pieces one after the other, with spaces between them.
    pub fn joined(parts: &[&Piece]) -> Piece {
        let mut out = Piece { text: String::new(), places: vec![] };
        for (number, part) in parts.iter().enumerate() {
            if number > 0 {
                out.text.push(' ');
            }
            out.text.push_str(&part.text);
            out.places.extend(&part.places);
        }
        // The place behind each part is that of the space, and of the end.
        out
    }

    /// With every character that is written by its number replaced: `decode` says how many bytes stand for which one.
    pub fn decoded(&self, decode: impl Fn(&str) -> Option<(usize, char)>) -> Piece {
        let mut out = Piece { text: String::new(), places: vec![] };
        let mut at = 0;
        while let Some(c) = self.text[at..].chars().next() {
            let (length, c) = decode(&self.text[at..]).unwrap_or((c.len_utf8(), c));
            out.places.extend(std::iter::repeat_n(self.places[at], c.len_utf8()));
            out.text.push(c);
            at += length;
        }
        out.places.push(self.end());
        out
    }
}

/// Whether a text is one name.
pub fn is_name(text: &str) -> bool {
    text.starts_with(char::is_alphabetic) && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_file() {
        let piece = Piece::at("  set(a#59;b)", 10);
        let decoded = piece.trim().decoded(|rest| rest.starts_with("#59;").then_some((4, ';')));
        assert_eq!(decoded.text(), "set(a;b)");
        assert_eq!((decoded.start(), decoded.place(5), decoded.place(6), decoded.end()), (12, 17, 21, 23));
        let joined = Piece::joined(&[&decoded.slice(0, 3), &decoded.slice(6, 7)]);
        assert_eq!((joined.text(), joined.place(3), joined.place(4), joined.end()), ("set b", 15, 21, 22));
        let joined = Piece::joined(&[&decoded.slice(3, 3), &decoded.slice(0, 3)]);
        assert_eq!((joined.text(), joined.place(1), joined.end()), (" set", 12, 15));
    }
}
