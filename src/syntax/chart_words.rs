//! Which words of a chart are keywords.
//!
//! All of them may be names as well. Parts of a chart follow each other without separators, so a part begins with the first
//! word behind one that is complete. To know that, it is enough to follow the brackets, and to know whether something is
//! missing: behind an operator, or behind `lifeline`, a word is a name.

use super::token::{Token, is_word_of_machines};

/// Reads the body of a chart, token by token.
#[derive(Debug)]
pub struct ChartWords {
    /// Brackets that are open, with the place behind each; the innermost is the last.
    open: Vec<(Bracket, Place)>,
    place: Place,
    part: Part,
    /// How often `match` was said in this part without its cases.
    matches: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bracket {
    /// Braces around parts of a chart.
    Block,
    /// Braces in an expression.
    Braces,
    /// Parentheses and the like, in an expression.
    Other,
    /// Around arguments of a type.
    Angle,
}

/// Where a block stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// What was read is complete: a part may begin.
    Complete,
    /// Something is missing.
    Missing,
    /// Behind the lifeline with which a part begins.
    Lifeline,
    /// Behind the first of two words that belong together.
    FirstWord,
}

/// Parts in which brackets differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// A variable, whose type may have arguments.
    Some,
    /// A loop: its braces are no set, even behind `2..`.
    Loop,
    Other,
}

impl ChartWords {
    /// Behind the brace with which a chart begins.
    pub fn new() -> ChartWords {
        ChartWords { open: vec![], place: Place::Complete, part: Part::Other, matches: 0 }
    }

    /// Reads the first of some tokens, which does not follow a dot. Says which keyword it is, if it is a word that is one here.
    pub fn read(&mut self, tokens: &[(usize, Token, usize)]) -> Option<Token> {
        let ((_, token, _), ahead) = tokens.split_first()?;
        let is_block = self.open.last().is_none_or(|(bracket, _)| *bracket == Bracket::Block);
        match token {
            Token::LBrace if is_block => self.brace(),
            Token::LBrace => self.open.push((Bracket::Braces, Place::Complete)),
            Token::LParen | Token::LBracket => {
                let is_index = *token == Token::LBracket && self.place == Place::Lifeline;
                self.open.push((Bracket::Other, if is_index { Place::Lifeline } else { Place::Complete }));
            }
            Token::Less if self.part == Part::Some => self.open.push((Bracket::Angle, Place::Complete)),
            Token::RBrace => {
                self.forget(&[Bracket::Angle, Bracket::Other]);
                self.close(&[Bracket::Block, Bracket::Braces]);
            }
            Token::RParen | Token::RBracket => {
                self.forget(&[Bracket::Angle]);
                self.close(&[Bracket::Other]);
            }
            Token::Greater if self.part == Part::Some => {
                self.close(&[Bracket::Angle]);
            }
            Token::Name(name) if is_block => return self.word(name, ahead),
            Token::When if is_block => self.begin(Part::Other, Place::Missing),
            Token::Any if is_block => self.begin(Part::Other, Place::Complete),
            Token::Match if is_block => {
                self.matches += 1;
                self.place = Place::Missing;
            }
            // A dot belongs to what is around it.
            Token::Dot => {}
            token if is_block => self.place = if ends_operand(token) { Place::Complete } else { Place::Missing },
            _ => {}
        }
        None
    }

    fn begin(&mut self, part: Part, place: Place) {
        (self.part, self.place, self.matches) = (part, place, 0);
    }

    fn brace(&mut self) {
        let is_expression = self.part != Part::Loop && (self.place == Place::Missing || self.matches > 0);
        if is_expression {
            self.matches -= usize::from(self.place != Place::Missing);
            self.open.push((Bracket::Braces, Place::Complete));
        } else {
            self.open.push((Bracket::Block, Place::Complete));
            self.begin(Part::Other, Place::Complete);
        }
    }

    /// Closes the innermost bracket if it is one of these; says whether it is.
    fn close(&mut self, brackets: &[Bracket]) -> bool {
        let Some((bracket, place)) = self.open.pop_if(|(bracket, _)| brackets.contains(bracket)) else { return false };
        self.place = place;
        if bracket == Bracket::Block {
            self.begin(Part::Other, place);
        }
        true
    }

    /// Closes brackets that were forgotten.
    fn forget(&mut self, brackets: &[Bracket]) {
        while self.close(brackets) {}
    }

    fn word(&mut self, name: &str, ahead: &[(usize, Token, usize)]) -> Option<Token> {
        match self.place {
            Place::Missing => {
                self.place = Place::Complete;
                return None;
            }
            Place::FirstWord => {
                self.place = Place::Complete;
                return Some(if name == "order" { Token::Order } else { Token::Others });
            }
            Place::Lifeline if name == "fires" => {
                self.place = Place::Missing;
                return Some(Token::Fires);
            }
            Place::Complete | Place::Lifeline => {}
        }
        let keyword = keyword(name, ahead);
        match &keyword {
            None => self.begin(Part::Other, Place::Lifeline),
            Some(Token::Some) => self.begin(Part::Some, Place::Missing),
            Some(Token::Loop) => self.begin(Part::Loop, Place::Missing),
            Some(Token::Lifeline | Token::Ref) => self.begin(Part::Other, Place::Missing),
            Some(Token::Global | Token::Local | Token::Among) => self.begin(Part::Other, Place::FirstWord),
            Some(_) => self.begin(Part::Other, Place::Complete),
        }
        keyword
    }
}

/// The keyword that a word is where a part may begin, by what stands behind it.
fn keyword(name: &str, ahead: &[(usize, Token, usize)]) -> Option<Token> {
    let next = ahead.first().map(|next| &next.1);
    let is = |word: &str| matches!(next, Some(Token::Name(next)) if next == word);
    let is_name = |token: &Token| matches!(token, Token::Name(_)) || is_word_of_machines(token);
    let before_name = next.is_some_and(is_name);
    let goes_on = matches!(next, Some(Token::Arrow | Token::In | Token::Dot | Token::LBracket));
    if goes_on || (is("fires") && ahead.get(1).is_some_and(|next| is_name(&next.1))) {
        return None;
    }
    let is_block = next == Some(&Token::LBrace);
    match name {
        "tick" => Some(Token::Tick),
        "exactly" => Some(Token::Exactly),
        "among" if is("others") => Some(Token::Among),
        "global" if is("order") => Some(Token::Global),
        "local" if is("order") => Some(Token::Local),
        "lifeline" if before_name => Some(Token::Lifeline),
        "some" if before_name => Some(Token::Some),
        "ref" if before_name => Some(Token::Ref),
        "alt" if is_block => Some(Token::Alt),
        "opt" if is_block => Some(Token::Opt),
        "par" if is_block => Some(Token::Par),
        "or" if is_block => Some(Token::Or),
        "and" if is_block => Some(Token::And),
        "not" if is_block => Some(Token::Not),
        "loop" if is_block || before_name => Some(Token::Loop),
        "loop" if matches!(next, Some(Token::Int(_) | Token::LParen | Token::Minus)) => Some(Token::Loop),
        _ => None,
    }
}

/// Behind any other token but these, in an expression, an operand is missing.
fn ends_operand(token: &Token) -> bool {
    matches!(
        token,
        Token::Int(_)
            | Token::Decimal(_)
            | Token::Text(_)
            | Token::True
            | Token::False
            | Token::Absent
            | Token::Underscore
    )
}

#[cfg(test)]
mod tests {
    use crate::span::FileId;
    use crate::token::{Token, tokenize};

    /// The words of a chart that are keywords, in order.
    fn keywords(body: &str) -> Vec<String> {
        let text = format!("msc c for m {{ {body} }}");
        let tokens = tokenize(FileId::default(), &text).tokens;
        let is_word = |text: &str| text.starts_with(char::is_alphabetic);
        let words = tokens
            .iter()
            .skip(5)
            .filter(|(start, token, end)| is_word(&text[*start..*end]) && !matches!(token, Token::Name(_)));
        words.map(|(start, _, end)| text[*start..*end].to_owned()).collect()
    }

    #[test]
    fn words_are_keywords_where_a_part_begins() {
        assert_eq!(keywords("tick alt { tick } or { } tick"), ["tick", "alt", "tick", "or", "tick"]);
        assert_eq!(
            keywords("exactly exactly { } among others global order"),
            ["exactly", "exactly", "among", "others", "global", "order"]
        );
        assert_eq!(
            keywords("lifeline tick, alt tick -> alt : loop tick in or tick fires some  tick"),
            ["lifeline", "in", "fires", "tick"]
        );
        assert_eq!(keywords("tick[2].x in ref  not { ref ref }"), ["in", "not", "ref"]);
    }

    #[test]
    fn words_in_expressions_are_names() {
        assert_eq!(keywords("a -> b : x({tick, exactly}, {alt}) tick"), ["tick"]);
        assert_eq!(keywords("when x > tick && {exactly} == loop tick"), ["when", "tick"]);
        assert_eq!(keywords("when match tick { tick => tick, _ => { tick } } alt { }"), ["when", "match", "alt"]);
        assert_eq!(keywords("when if tick then alt else tick  tick"), ["when", "if", "then", "else", "tick"]);
    }

    #[test]
    fn types_and_bounds_end_where_the_next_part_begins() {
        assert_eq!(keywords("some n: List<0..k + 1> alt { }"), ["some", "alt"]);
        assert_eq!(keywords("some n: Map<List<Int>, 0..(k + 1) * 2> tick"), ["some", "tick"]);
        assert_eq!(keywords("some n: 0..tick some: Int  some m loop 3 { }"), ["some", "some", "loop"]);
        assert_eq!(
            keywords("loop (k + 1) { tick } loop (k)..5 { tick } loop tick.. { tick }"),
            ["loop", "tick", "loop", "tick", "loop", "tick"]
        );
    }

    #[test]
    fn what_is_not_closed_does_not_reach_beyond_its_block() {
        assert_eq!(keywords("alt { a -> b : x(3 } or { } tick"), ["alt", "or", "tick"]);
        assert_eq!(keywords("some n: List<Int alt { tick } tick"), ["some"]);
        assert_eq!(keywords("when match x alt { tick }"), ["when", "match", "alt", "tick"]);
    }
}
