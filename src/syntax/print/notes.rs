//! Comments: where they stood, and where they go.
//!
//! Two texts of the same tree have the same tokens, but for a few that say nothing (see [`telling`]). So the place of a
//! comment is the number of telling tokens before it, in the source as in the output. Comments are only ever put between
//! lines or behind one, each once and in order, so they cannot change what the lines say.

use std::ops::Range;

use super::doc::{Gap, Line, STEP};
use crate::span::{FileId, Span};
use crate::token::{Token, tokenize};
use crate::tree::Comment;

/// The comments of a source text by place.
#[derive(Debug, Default)]
pub(super) struct Notes<'a> {
    source: &'a str,
    /// Where the telling tokens begin.
    tokens: Vec<usize>,
    notes: Vec<Note<'a>>,
}

#[derive(Debug)]
struct Note<'a> {
    text: &'a str,
    start: usize,
    /// How many telling tokens come before it.
    place: usize,
    /// Whether it can stay behind the token before it.
    follows: bool,
    /// Whether the next token is on a later line.
    ends_line: bool,
}

impl<'a> Notes<'a> {
    pub fn new(comments: &'a [Comment], source: &'a str) -> Notes<'a> {
        let all = tokenize(FileId::default(), source).tokens;
        let mut notes = Notes { source, tokens: telling(&all), notes: vec![] };
        for comment in comments {
            let Span { start, end, .. } = comment.span;
            let next = all.partition_point(|token| token.0 < start as usize);
            // A parenthesis that groups belongs to what comes after it.
            let grouping = |(at, token, _): &(usize, Token, usize)| {
                *token == Token::LParen && notes.tokens.binary_search(at).is_err()
            };
            let before = all[..next].iter().rfind(|token| !grouping(token)).map(|token| token.2);
            let after = all.get(next).map_or(source.len(), |token| token.0);
            let place = notes.place(start);
            // Behind a comment that ends with its line nothing can follow on that line.
            let room = match notes.notes.last() {
                Some(last) if last.place == place => {
                    last.follows && !last.text.starts_with("//") && !last.text.contains('\n')
                }
                _ => true,
            };
            notes.notes.push(Note {
                text: &comment.text,
                start: start as usize,
                place,
                follows: room && before.is_some_and(|before| !notes.breaks(before, start as usize)),
                ends_line: next == all.len() || notes.breaks(end as usize, after),
            });
        }
        notes
    }

    /// How many telling tokens begin before this byte of the source.
    pub fn place(&self, byte: u32) -> usize {
        self.tokens.partition_point(|start| *start < byte as usize)
    }

    /// The places of the telling tokens of something.
    pub fn places(&self, span: Span) -> Range<usize> {
        self.place(span.start)..self.place(span.end)
    }

    /// Whether a line ends between two places of the source.
    fn breaks(&self, from: usize, to: usize) -> bool {
        self.source.get(from..to).is_some_and(|between| between.contains('\n'))
    }

    /// Whether something was written on one line.
    pub fn on_one_line(&self, span: Span) -> bool {
        !self.breaks(span.start as usize, span.end as usize)
    }

    fn within(&self, places: Range<usize>) -> &[Note<'a>] {
        let from = self.notes.partition_point(|note| note.place < places.start);
        let to = self.notes.partition_point(|note| note.place < places.end);
        self.notes.get(from..to).unwrap_or_default()
    }

    /// Whether a comment asks for a line end at this place.
    pub fn break_at(&self, place: usize) -> bool {
        self.within(place..place + 1).iter().any(|note| note.ends_line)
    }

    /// Whether a comment asks for a line end before, between or behind these elements of a list.
    pub fn break_among(&self, elements: &[Range<usize>]) -> bool {
        let (Some(first), Some(last)) = (elements.first(), elements.last()) else { return false };
        let mut ahead = elements.iter().peekable();
        self.within(first.start..last.end + 1).iter().any(|note| {
            while ahead.next_if(|element| element.end <= note.place).is_some() {}
            let inside = ahead.peek().is_some_and(|element| element.start < note.place);
            note.ends_line && !inside
        })
    }

    /// Whether neither a blank line nor a comment will stand between two neighbours.
    pub fn adjacent(&self, above: Span, below: Span) -> bool {
        let end = self.place(above.end);
        let between = self.within(end..self.place(below.end));
        !self.blank_before_token(self.place(below.start))
            && between.iter().all(|note| note.follows && note.place == end)
    }

    /// Whether a blank line stands before this byte, or before the parentheses that open there.
    fn blank_before(&self, byte: usize) -> bool {
        let mut before = self.source.get(..byte).unwrap_or_default();
        loop {
            let text = before.trim_end_matches([' ', '\t', '\r', '\n', '\u{feff}']);
            if before[text.len()..].matches('\n').count() > 1 {
                return true;
            }
            match text.strip_suffix('(') {
                Some(rest) => before = rest,
                None => return false,
            }
        }
    }

    fn blank_before_token(&self, place: usize) -> bool {
        self.tokens.get(place).is_some_and(|start| self.blank_before(*start))
    }

    /// The text of the lines with comments and blank lines.
    pub fn weave(&self, lines: &[Line]) -> String {
        let ends = places_of_ends(lines);
        let mut out = Page::default();
        let mut notes = self.notes.iter().peekable();
        let mut begin = 0;
        for (line, end) in lines.iter().zip(ends) {
            let mut rows: Vec<(bool, &str)> = vec![];
            while let Some(note) = notes.next_if(|note| note.place <= begin) {
                rows.push((self.blank_before(note.start), note.text));
            }
            let mut blank = line.gap != Gap::Never && self.blank_before_token(begin);
            while let Some(note) = notes.next_if(|note| note.place < end) {
                rows.push((std::mem::take(&mut blank), note.text));
            }
            if line.gap == Gap::Wanted && !blank && !rows.iter().any(|(blank, _)| *blank) {
                *rows.first_mut().map_or(&mut blank, |(blank, _)| blank) = true;
            }
            let indent = if line.closes() { line.indent + STEP } else { line.indent };
            for (blank, text) in rows {
                out.row(blank, indent, text);
            }
            out.row(blank, line.indent, &line.text);
            while let Some(note) = notes.next_if(|note| note.place == end && note.follows) {
                out.behind(note.text);
            }
            out.fresh = line.opens();
            begin = end;
        }
        for note in notes {
            out.row(self.blank_before(note.start), 0, note.text);
        }
        out.text
    }
}

/// The text that grows row by row.
struct Page {
    text: String,
    /// At the beginning of the file or of a block no blank line is wanted.
    fresh: bool,
}

impl Default for Page {
    fn default() -> Page {
        Page { text: String::new(), fresh: true }
    }
}

impl Page {
    fn row(&mut self, blank: bool, indent: usize, text: &str) {
        if blank && !self.fresh {
            self.text.push('\n');
        }
        self.fresh = false;
        self.text.extend(std::iter::repeat_n(' ', indent));
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Appends to the last row.
    fn behind(&mut self, text: &str) {
        self.text.pop();
        self.text.push(' ');
        self.text.push_str(text);
        self.text.push('\n');
    }
}

/// For every line the number of telling tokens up to its end.
fn places_of_ends(lines: &[Line]) -> Vec<usize> {
    let mut text = String::new();
    let mut ends = vec![];
    for line in lines {
        text.push_str(&line.text);
        text.push('\n');
        ends.push(text.len());
    }
    let tokens = telling(&tokenize(FileId::default(), &text).tokens);
    ends.into_iter().map(|end| tokens.partition_point(|start| *start < end)).collect()
}

/// Whether a parenthesis that was opened before these tokens holds several elements.
fn holds_several(tokens: &[(usize, Token, usize)]) -> bool {
    let mut depth = 0usize;
    for (i, (_, token, _)) in tokens.iter().enumerate() {
        match token {
            Token::LParen | Token::LBracket | Token::LBrace => depth += 1,
            Token::RParen | Token::RBracket | Token::RBrace if depth == 0 => return false,
            Token::RParen | Token::RBracket | Token::RBrace => depth -= 1,
            Token::Comma if depth == 0 => return tokens.get(i + 1).is_some_and(|next| next.1 != Token::RParen),
            _ => {}
        }
    }
    false
}

/// Where the tokens begin that a tree determines. The others may be written or left out: commas and bars after the last
/// or before the first element, parentheses that group or are empty, `?` of an action, `==` after `length`.
fn telling(tokens: &[(usize, Token, usize)]) -> Vec<usize> {
    let mut open = vec![];
    let mut starts = vec![];
    for (i, (start, token, _)) in tokens.iter().enumerate() {
        let before = i.checked_sub(1).and_then(|i| tokens.get(i)).map(|token| &token.1);
        let after = tokens.get(i + 1).map(|token| &token.1);
        let tells = match token {
            Token::Comma | Token::Bar => false,
            Token::LParen => {
                let of_call = matches!(before, Some(Token::Name(_) | Token::With | Token::Scope(_)));
                let of_lists = before == Some(&Token::On) && holds_several(&tokens[i + 1..]);
                let tells = of_call && after != Some(&Token::RParen) || of_lists;
                open.push(tells);
                tells
            }
            Token::RParen => open.pop().unwrap_or(false),
            Token::Question => before != Some(&Token::Action),
            Token::Equal => before != Some(&Token::Length),
            _ => true,
        };
        if tells {
            starts.push(*start);
        }
    }
    starts
}
