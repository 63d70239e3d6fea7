//! Tokens, and the comments between them.
//!
//! A handful of words are keywords only inside the block they belong to (`length` in a purpose, `node` in a service), so
//! that models may use them as names. After a dot every word is a name: `b.state`; in purposes and rules so are `state`,
//! `initial` and `tau`. Words of charts are told apart in `chart_words.rs`.

use logos::Logos;
use num_bigint::BigInt;

use super::chart_words::ChartWords;
use super::problem::SyntaxProblem;
use super::span::{FileId, Span};
use super::tree::{Comment, LTL_BINARY, LTL_UNARY, LtlBinary, LtlUnary, SCOPES, Scope, Spelled};

/// Longest name, in bytes.
pub const MAX_NAME_BYTES: usize = 200;
/// Longest number, in digits.
pub const MAX_DIGITS: usize = 1000;

/// One token of the language.
#[derive(Logos, Clone, Debug, PartialEq)]
#[logos(skip r"[ \t\r\n\u{feff}]+")]
#[allow(missing_docs)]
pub enum Token {
    // The dot of a regular expression stands for any character but a line end.
    #[regex(r"//[^\n]*", allow_greedy = true)]
    LineComment,
    #[token("/*", block_comment)]
    BlockComment,

    #[regex(r"[\p{XID_Start}][\p{XID_Continue}]*", |lex| lex.slice().to_owned())]
    Name(String),
    #[regex(r"[0-9]+", |lex| lex.slice().to_owned())]
    Digits(String),
    #[regex(r"[0-9]+\.[0-9]+", |lex| lex.slice().to_owned())]
    Decimal(String),
    #[token("\"", string)]
    Text(String),
    /// A number that was within the limit.
    Int(BigInt),

    #[token("import")]
    Import,
    #[token("const")]
    Const,
    #[token("type")]
    Type,
    #[token("where")]
    Where,
    #[token("fun")]
    Fun,
    #[token("component")]
    Component,
    #[token("system")]
    System,
    #[token("sts")]
    Sts,
    #[token("service")]
    Service,
    #[token("purpose")]
    Purpose,
    #[token("rule")]
    Rule,
    #[token("in")]
    In,
    #[token("out")]
    Out,
    #[token("var")]
    Var,
    #[token("initial")]
    Initial,
    #[token("state")]
    State,
    #[token("location")]
    Location,
    #[token("when")]
    When,
    #[token("do")]
    Do,
    #[token("action")]
    Action,
    #[token("tau")]
    Tau,
    #[token("hide")]
    Hide,
    #[token("rename")]
    Rename,
    #[token("for")]
    For,
    #[token("if")]
    If,
    #[token("then")]
    Then,
    #[token("else")]
    Else,
    #[token("match")]
    Match,
    #[token("let")]
    Let,
    #[token("with")]
    With,
    #[token("matches")]
    Matches,
    #[token("forall")]
    Forall,
    #[token("exists")]
    Exists,
    #[token("true")]
    True,
    #[token("false")]
    False,
    #[token("absent")]
    Absent,
    #[token("any")]
    Any,

    // Keywords of one place only; see `contextual`.
    Items,
    Property,
    Msc,
    Pattern,
    From,
    Lifeline,
    Exactly,
    Among,
    Others,
    Global,
    Local,
    Order,
    Fires,
    Alt,
    Opt,
    Loop,
    Par,
    Ref,
    Tick,
    Free,
    Alphabet,
    Chart,
    Scenario,
    After,
    Before,
    Always,
    Never,
    Unless,
    Called,
    Normal,
    Exceptional,
    Terminates,
    Enabled,
    Formula,
    MatchOfPattern,
    All,
    LtlUnary(Spelled<LtlUnary>),
    LtlBinary(Spelled<LtlBinary>),
    Scope(Scope),
    Data,
    Length,
    Cover,
    Classes,
    Expect,
    On,
    And,
    Or,
    Not,
    Some,
    Event,
    Node,
    Collect,
    Choose,
    Once,
    Run,

    #[token("_")]
    Underscore,
    #[token("->")]
    Arrow,
    #[token("=>")]
    FatArrow,
    #[token(":=")]
    Becomes,
    #[token(":")]
    Colon,
    #[token(";")]
    Semicolon,
    #[token(",")]
    Comma,
    #[token("...")]
    Ellipsis,
    #[token("..")]
    DotDot,
    #[token(".")]
    Dot,
    #[token("==")]
    Equal,
    #[token("!=")]
    NotEqual,
    #[token("<=")]
    AtMost,
    #[token(">=")]
    AtLeast,
    #[token("<")]
    Less,
    #[token(">")]
    Greater,
    #[token("=")]
    Is,
    #[token("++")]
    PlusPlus,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("&&")]
    AndAnd,
    #[token("|||")]
    Bar3,
    #[token("||")]
    Bar2,
    #[token("|")]
    Bar,
    #[token("!")]
    Bang,
    #[token("?")]
    Question,
    #[token("@")]
    At,
    #[token("(")]
    LParen,
    #[token(")")]
    RParen,
    #[token("[")]
    LBracket,
    #[token("]")]
    RBracket,
    #[token("{")]
    LBrace,
    #[token("}")]
    RBrace,
}

/// Skips to the end of a block comment. An unfinished one runs to the end of the file and is reported.
fn block_comment(lex: &mut logos::Lexer<'_, Token>) -> bool {
    match lex.remainder().find("*/") {
        Some(at) => {
            lex.bump(at + 2);
            true
        }
        None => {
            lex.bump(lex.remainder().len());
            false
        }
    }
}

/// Reads a string literal after its opening quote. `None` if it does not end on its line or has a bad escape.
fn string(lex: &mut logos::Lexer<'_, Token>) -> Option<String> {
    let mut text = String::new();
    let mut characters = lex.remainder().char_indices();
    let mut sound = true;
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => {
                lex.bump(at + 1);
                return sound.then_some(text);
            }
            '\n' => {
                lex.bump(at);
                return None;
            }
            '\\' => match characters.next().map(|(_, escaped)| escaped) {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('r') => text.push('\r'),
                Some('"') => text.push('"'),
                Some('\\') => text.push('\\'),
                Some('\n') | None => break,
                // Regular expressions are written in strings: `\d` and the like stay as they are.
                Some(other) if !other.is_alphanumeric() || "dwsDWSbBpPx".contains(other) => {
                    text.push('\\');
                    text.push(other);
                }
                Some(_) => sound = false,
            },
            _ => text.push(c),
        }
    }
    lex.bump(lex.remainder().len());
    None
}

/// The tokens of a source text with their bytes, its comments, and what could not be read.
#[derive(Debug, Default)]
pub struct Tokens {
    /// Tokens in order: start, token, end.
    pub tokens: Vec<(usize, Token, usize)>,
    /// Comments in order.
    pub comments: Vec<Comment>,
    /// What could not be read as a token, or goes over a limit.
    pub problems: Vec<(SyntaxProblem, Span)>,
}

/// Splits a source text into tokens.
pub fn tokenize(file: FileId, source: &str) -> Tokens {
    let mut out = Tokens::default();
    for (result, range) in Token::lexer(source).spanned() {
        let span = Span::new(file, range.start, range.end);
        let slice = &source[range.clone()];
        match result {
            Ok(Token::LineComment | Token::BlockComment) => {
                out.comments.push(Comment { text: slice.trim_end().to_owned(), span });
            }
            Ok(Token::Digits(digits)) if digits.len() > MAX_DIGITS => {
                out.problems.push((SyntaxProblem::NumberTooLong { digits: digits.len(), limit: MAX_DIGITS }, span));
                out.tokens.push((range.start, Token::Int(BigInt::ZERO), range.end));
            }
            Ok(Token::Decimal(digits)) if digits.len() > MAX_DIGITS => {
                out.problems.push((SyntaxProblem::NumberTooLong { digits: digits.len() - 1, limit: MAX_DIGITS }, span));
                out.tokens.push((range.start, Token::Decimal("0.0".to_owned()), range.end));
            }
            Ok(Token::Digits(digits)) => {
                let value = digits.parse().expect("digits are a number");
                out.tokens.push((range.start, Token::Int(value), range.end));
            }
            Ok(Token::Name(name)) if name.len() > MAX_NAME_BYTES => {
                let beginning = name.chars().take(20).collect();
                out.problems
                    .push((SyntaxProblem::NameTooLong { beginning, bytes: name.len(), limit: MAX_NAME_BYTES }, span));
                out.tokens.push((range.start, Token::Name("_too_long".to_owned()), range.end));
            }
            Ok(token) => out.tokens.push((range.start, token, range.end)),
            Err(()) => {
                if slice.starts_with('"') {
                    out.tokens.push((range.start, Token::Text(String::new()), range.end));
                }
                out.problem_at(slice, span);
            }
        }
    }
    contextual(&mut out.tokens, source);
    out
}

impl Tokens {
    /// Names what is wrong with a piece of text that is no token; neighbouring unknown characters are one problem.
    fn problem_at(&mut self, slice: &str, span: Span) {
        let problem = if slice.starts_with('"') {
            SyntaxProblem::BadString
        } else if slice.starts_with("/*") {
            SyntaxProblem::UnfinishedComment
        } else {
            if let Some((SyntaxProblem::UnknownCharacters { text }, last)) = self.problems.last_mut()
                && last.end == span.start
            {
                text.push_str(slice);
                last.end = span.end;
                return;
            }
            SyntaxProblem::UnknownCharacters { text: slice.to_owned() }
        };
        self.problems.push((problem, span));
    }
}

/// Turns words into keywords inside the blocks that give them a meaning, and keywords into names where they have none.
fn contextual(tokens: &mut [(usize, Token, usize)], source: &str) {
    let mut block: Option<Token> = None;
    let mut depth = 0usize;
    // Open parentheses in the head of a block: braces in them make sets, they do not open the block.
    let mut parens = 0usize;
    // How deep the braces of a temporal formula are, inside of them.
    let mut formula: Option<usize> = None;
    let mut chart: Option<ChartWords> = None;
    for i in 0..tokens.len() {
        let after_dot = i > 0 && tokens[i - 1].1 == Token::Dot;
        let after_rule = i > 0 && tokens[i - 1].1 == Token::Rule;
        let before_brace = tokens.get(i + 1).is_some_and(|next| next.1 == Token::LBrace);
        let before_paren = tokens.get(i + 1).is_some_and(|next| next.1 == Token::LParen);
        // `items a for M` and `items a(n: Nat) for M` begin a block, and so does `property a for M`; elsewhere two names never
        // follow each other.
        let before_head = tokens.get(i + 1).is_some_and(|next| matches!(next.1, Token::Name(_)))
            && tokens.get(i + 2).is_some_and(|next| matches!(next.1, Token::For | Token::LParen));
        // `data name {` and `data gate.parameter {` begin a pool.
        let named = |at: usize| tokens.get(at).is_some_and(|next| matches!(next.1, Token::Name(_)));
        let names_follow = named(i + 1);
        let after_brace = i > 0 && tokens[i - 1].1 == Token::RBrace;
        let after_colon = i > 0 && tokens[i - 1].1 == Token::Colon;
        let after_for = i > 0 && tokens[i - 1].1 == Token::For;
        let before_pool = named(i + 1) && !named(i + 2) && !after_rule && !after_for;
        let before_pattern = depth == 1 && tokens[i].1 == Token::Match && i > 1 && names_pattern(&tokens[i - 2..]);
        let is_drawn = match (&block, &tokens[i].1) {
            (Some(block @ (Token::Purpose | Token::Property)), Token::Name(name)) if depth > 0 && i > 0 => {
                matches!(name.as_str(), "chart" | "scenario") && begins_drawn(block, &tokens[i - 1..])
            }
            _ => false,
        };
        let in_pattern = match block {
            Some(Token::Pattern) if depth > 0 => pattern_word(i, tokens),
            _ => None,
        };
        let before_text = tokens.get(i + 1).is_some_and(|next| matches!(next.1, Token::Text(_)));
        let (start, token, end) = &mut tokens[i];
        let text = &source[*start..*end];
        if after_dot && text.starts_with(|c: char| c.is_alphabetic()) {
            *token = Token::Name(text.to_owned());
            continue;
        }
        // No machine is declared in a chart or a pattern.
        if depth > 0 && matches!(block, Some(Token::Msc | Token::Pattern)) && is_word_of_machines(token) {
            *token = Token::Name(text.to_owned());
        }
        if let Some(words) = &mut chart
            && let Some(keyword) = words.read(&tokens[i..])
        {
            tokens[i].1 = keyword;
        }
        let (_, token, _) = &mut tokens[i];
        match token {
            Token::LParen if depth == 0 => parens += 1,
            Token::RParen if depth == 0 => parens = parens.saturating_sub(1),
            Token::LBrace if parens == 0 => {
                depth += 1;
                if depth == 1 && block == Some(Token::Msc) {
                    chart = Some(ChartWords::new());
                }
            }
            Token::RBrace if parens == 0 => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    (block, chart) = (None, None);
                }
                if formula.is_some_and(|inside| depth < inside) {
                    formula = None;
                }
            }
            Token::Purpose | Token::Rule | Token::Service if depth == 0 => {
                block = Some(token.clone());
                parens = 0;
            }
            // A block of items is written like a purpose.
            Token::Name(name) if name == "items" && depth == 0 && parens == 0 && before_head => {
                *token = Token::Items;
                block = Some(Token::Purpose);
            }
            Token::Name(name) if name == "property" && depth == 0 && parens == 0 && before_head => {
                *token = Token::Property;
                block = Some(Token::Property);
            }
            Token::Name(name) if name == "msc" && depth == 0 && parens == 0 && before_head => {
                *token = Token::Msc;
                block = Some(Token::Msc);
            }
            Token::Name(name) if name == "pattern" && depth == 0 && parens == 0 && before_head => {
                *token = Token::Pattern;
                block = Some(Token::Pattern);
            }
            // `msc a for M from "file"`
            Token::Name(name) if name == "from" && depth == 0 && block == Some(Token::Msc) && before_text => {
                *token = Token::From;
                block = None;
            }
            Token::Name(name) if name == "data" && depth == 0 && parens == 0 && before_pool => {
                *token = Token::Data;
                block = None;
            }
            Token::Component | Token::System | Token::Sts | Token::Fun | Token::Const | Token::Type if depth == 0 => {
                block = None;
                parens = 0;
            }
            // An internal step, in the list of gates.
            Token::Tau if depth > 0 && matches!(block, Some(Token::Purpose | Token::Rule | Token::Property)) => {
                *token = Token::Name(text.to_owned());
            }
            // The head of a rule may name its lists.
            Token::Name(name) if name == "on" && block == Some(Token::Rule) && parens == 0 && !after_rule => {
                *token = Token::On;
            }
            // No machine is declared in a purpose or a rule; there these are lists and moments.
            Token::State | Token::Location | Token::Initial
                if depth > 0 && matches!(block, Some(Token::Purpose | Token::Rule | Token::Property)) =>
            {
                *token = Token::Name(text.to_owned());
            }
            Token::Match if block == Some(Token::Property) && before_pattern => *token = Token::MatchOfPattern,
            Token::Name(name) if formula.is_some() => {
                if let Some(keyword) = temporal_keyword(name, after_for) {
                    *token = keyword;
                }
            }
            Token::Name(name)
                if name == "formula"
                    && before_brace
                    && depth > 0
                    && matches!(block, Some(Token::Purpose | Token::Property)) =>
            {
                *token = Token::Formula;
                formula = Some(depth + 1);
            }
            Token::Name(_) if in_pattern.is_some() => *token = in_pattern.unwrap_or(Token::Fires),
            Token::Name(name) if is_drawn => {
                *token = if name == "chart" { Token::Chart } else { Token::Scenario };
            }
            // `} once a`, `: run A`: elsewhere both are names.
            Token::Name(name) if name == "once" && block == Some(Token::Service) && after_brace && names_follow => {
                *token = Token::Once;
            }
            Token::Name(name) if name == "run" && block == Some(Token::Service) && after_colon && names_follow => {
                *token = Token::Run;
            }
            Token::Name(name) if depth > 0 => {
                if let Some(keyword) = block.as_ref().and_then(|block| keyword_in(block, name, before_paren)) {
                    *token = keyword;
                }
            }
            _ => {}
        }
    }
}

/// Words with which states and steps of machines are declared.
pub fn is_word_of_machines(token: &Token) -> bool {
    matches!(token, Token::State | Token::Location | Token::Initial | Token::Tau)
}

/// Whether tokens are `{ never match P }` or `{ never match P(...) }`; a condition would go on with its cases.
fn names_pattern(tokens: &[(usize, Token, usize)]) -> bool {
    let is = |place: usize, token: &Token| tokens.get(place).is_some_and(|found| found.1 == *token);
    let name = tokens.get(3).is_some_and(|found| matches!(found.1, Token::Name(_)));
    if !is(0, &Token::LBrace) || !is(1, &Token::Never) || !name {
        return false;
    }
    let mut place = 4;
    if is(place, &Token::LParen) {
        let mut open = 0usize;
        while let Some((_, token, _)) = tokens.get(place) {
            match token {
                Token::LParen => open += 1,
                Token::RParen => open -= 1,
                _ => {}
            }
            place += 1;
            if open == 0 {
                break;
            }
        }
    }
    is(place, &Token::RBrace)
}

/// Operators and other words of a temporal formula.
fn temporal_keyword(name: &str, after_for: bool) -> Option<Token> {
    let unary = LTL_UNARY.iter().find(|(text, _)| *text == name);
    let binary = LTL_BINARY.iter().find(|(text, _)| *text == name);
    let scope = SCOPES.iter().find(|scope| scope.word() == name);
    match (name, unary, binary, scope) {
        ("all", ..) if after_for => Some(Token::All),
        ("some", ..) => Some(Token::Some),
        ("and", ..) => Some(Token::And),
        ("or", ..) => Some(Token::Or),
        ("not", ..) => Some(Token::Not),
        (_, Some((text, operator)), ..) => Some(Token::LtlUnary(Spelled { operator: *operator, text })),
        (_, _, Some((text, operator)), _) => Some(Token::LtlBinary(Spelled { operator: *operator, text })),
        (.., Some(scope)) => Some(Token::Scope(*scope)),
        _ => None,
    }
}

/// The keyword that a word is in a pattern, by what stands beside it: all of these words may be names as well.
fn pattern_word(i: usize, tokens: &[(usize, Token, usize)]) -> Option<Token> {
    let Token::Name(name) = &tokens[i].1 else { return None };
    let before = &tokens[i.checked_sub(1)?].1;
    let next = tokens.get(i + 1).map(|token| &token.1);
    let name_next = matches!(next, Some(Token::Name(_)));
    match name.as_str() {
        "fires" if name_next && matches!(before, Token::Name(_) | Token::RBracket) => Some(Token::Fires),
        // In the list of variables it is one of them.
        "some" if name_next && !matches!(before, Token::Free | Token::Comma) => Some(Token::Some),
        "free" if name_next && *before == Token::LBrace => Some(Token::Free),
        "alphabet" if next == Some(&Token::LBrace) => Some(Token::Alphabet),
        _ => None,
    }
}

/// Whether a word begins `chart A` or `scenario A`, and is not a name with the next constraint behind it. `tokens` begin with
/// the one before it.
fn begins_drawn(block: &Token, tokens: &[(usize, Token, usize)]) -> bool {
    let [(_, before, _), _, (_, Token::Name(used), _), rest @ ..] = tokens else { return false };
    let before_paren = rest.first().is_some_and(|next| next.1 == Token::LParen);
    let may_begin = matches!(
        before,
        Token::LBrace
            | Token::RBrace
            | Token::LParen
            | Token::RParen
            | Token::RBracket
            | Token::Colon
            | Token::And
            | Token::Or
            | Token::Not
            | Token::Never
            | Token::Name(_)
            | Token::Int(_)
            | Token::Decimal(_)
            | Token::Text(_)
            | Token::True
            | Token::False
            | Token::Absent
            | Token::Underscore
    );
    may_begin && keyword_in(block, used, before_paren).is_none()
}

fn keyword_in(block: &Token, name: &str, before_paren: bool) -> Option<Token> {
    let keyword = match (block, name) {
        (Token::Purpose | Token::Rule | Token::Property, "and") => Token::And,
        (Token::Purpose | Token::Rule | Token::Property, "or") => Token::Or,
        (Token::Purpose | Token::Rule | Token::Property, "not") => Token::Not,
        (Token::Property, "after") => Token::After,
        (Token::Property, "before") => Token::Before,
        (Token::Property, "always") => Token::Always,
        (Token::Property, "never") => Token::Never,
        (Token::Property, "unless") => Token::Unless,
        (Token::Property, "called") => Token::Called,
        (Token::Property, "normal") => Token::Normal,
        (Token::Property, "exceptional") => Token::Exceptional,
        (Token::Property, "terminates") => Token::Terminates,
        (Token::Property, "enabled") => Token::Enabled,
        (Token::Purpose | Token::Rule, "some") => Token::Some,
        (Token::Purpose | Token::Rule, "on") => Token::On,
        // `length(...)` and the like are calls.
        (Token::Purpose, _) if before_paren => return None,
        (Token::Purpose, "length") => Token::Length,
        (Token::Purpose, "cover") => Token::Cover,
        (Token::Purpose, "classes") => Token::Classes,
        (Token::Purpose, "expect") => Token::Expect,
        (Token::Service, "event") => Token::Event,
        (Token::Service, "node") => Token::Node,
        (Token::Service, "collect") => Token::Collect,
        (Token::Service, "choose") => Token::Choose,
        _ => return None,
    };
    Some(keyword)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_is_a_name_wherever_it_begins_no_block() {
        let keywords = |text: &str| {
            let tokens = tokenize(FileId::default(), text).tokens;
            tokens.iter().filter(|(_, token, _)| *token == Token::Items).count()
        };
        assert_eq!(keywords("items a for M { length 1 } items b(n: Nat) for M { length n }"), 2);
        assert_eq!(keywords("const items = 1 fun f(items: Int): Int = items const b = items items c for M {}"), 1);
        assert_eq!(keywords("sts S { var items: List<Int> = [] }"), 0);
    }

    #[test]
    fn data_is_a_name_wherever_it_begins_no_pool() {
        let keywords = |text: &str| {
            let tokens = tokenize(FileId::default(), text).tokens;
            tokens.iter().filter(|(_, token, _)| *token == Token::Data).count()
        };
        assert_eq!(keywords("data who { 1 } data order.n { 2: 5 } data data { 3 } data data.data {}"), 4);
        assert_eq!(keywords("const data = 1 const b = data data x {} fun f(data: Int): Int = data"), 1);
        assert_eq!(keywords("const b = data items c for M {} system S = data data T { 1 }"), 1);
        assert_eq!(keywords("rule data on list { stop => fails } component data { var data: Int = 1 }"), 0);
        assert_eq!(keywords("sts S(data: Nat) { var x: Int = data  l -> l : data ?data.data(data) }"), 0);
    }

    #[test]
    fn charts_are_used_where_a_constraint_begins() {
        let keywords = |text: &str| {
            let text = format!("purpose p for M {{ {text} }} property q for M {{ never {text} }}");
            let tokens = tokenize(FileId::default(), &text).tokens;
            tokens.iter().filter(|(_, token, _)| matches!(token, Token::Chart | Token::Scenario)).count() / 2
        };
        assert_eq!(keywords("chart A"), 1);
        assert_eq!(keywords("chart length(3)"), 1);
        let keywords = |text: &str| {
            let text = format!("purpose p for M {{ {text} }}");
            let tokens = tokenize(FileId::default(), &text).tokens;
            tokens.iter().filter(|(_, token, _)| matches!(token, Token::Chart | Token::Scenario)).count()
        };
        assert_eq!(keywords("length 3 chart A not scenario B (chart C(3) or some x: chart D) x: scenario E"), 5);
        assert_eq!(keywords("member(3) on x chart A expect found chart A never({3}) chart A formula { x } chart A"), 4);
        assert_eq!(keywords("member(3) on chart length 5   member(3) on scenario count(2, 3) on x"), 0);
        assert_eq!(keywords("chart on list chart and a chart or b chart length 3 chart expect found chart.x"), 0);
        assert_eq!(keywords("x == chart count(3) length chart count(3) cover chart count(3) x in chart count(3)"), 0);
    }

    #[test]
    fn braces_in_arguments_do_not_open_the_block() {
        let tokens = tokenize(FileId::default(), "purpose p for M({1, 2}) { length 3 }").tokens;
        assert!(tokens.iter().any(|(_, token, _)| *token == Token::Length));
    }
}
