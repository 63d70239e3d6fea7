//! What can be wrong with a text before its names have a meaning.

use lalrpop_util::ParseError;
use thiserror::Error;

use super::span::{FileId, Span};
use super::token::Token;
use super::tree::Spelled;

/// The generated parser has no errors of its own kind.
#[derive(Clone, Debug, PartialEq)]
pub enum ParserError {}

/// A problem with the text.
#[derive(Clone, Debug, PartialEq, Error)]
#[allow(missing_docs)]
pub enum SyntaxProblem {
    #[error("unexpected {found}")]
    Unexpected { found: String, expected: Vec<String> },
    #[error("the file ends here, but something is missing")]
    UnexpectedEnd { expected: Vec<String> },
    #[error("`{}` cannot be part of a model", shown(text))]
    UnknownCharacters { text: String },
    #[error("this text literal is not closed or has an unknown escape")]
    BadString,
    #[error("this comment is not closed")]
    UnfinishedComment,
    #[error("a number of {digits} digits; at most {limit} are read")]
    NumberTooLong { digits: usize, limit: usize },
    #[error("a name of {bytes} bytes, beginning `{beginning}`; at most {limit} are read")]
    NameTooLong { beginning: String, bytes: usize, limit: usize },
    #[error("nested more than {limit} levels deep")]
    TooDeep { limit: u32 },
    #[error("an instance's index is written `name[i in 1..3]`")]
    BadInstanceIndex,
    #[error("an argument's name is a single word")]
    BadArgumentName,
    #[error("channels and gates are declared before the first transition")]
    LatePort,
    #[error("the file is not UTF-8 text: byte {at} begins no character")]
    NotUtf8 { at: usize },
    #[error("the file has {bytes} bytes; at most {limit} are read")]
    FileTooLarge { bytes: u64, limit: u64 },
    #[error("cannot read `{path}`: {reason}")]
    Unreadable { path: String, reason: String },
    #[error("imports go round in a circle: {}", cycle.join(" -> "))]
    ImportCycle { cycle: Vec<String> },
    #[error("{more} more errors are not shown")]
    TooMany { more: usize },
    #[error("there is no sequence diagram in this file")]
    NoDiagram,
    #[error("this has no meaning in a sequence diagram")]
    BadLine,
    #[error("{what} cannot be part of a chart")]
    NotInCharts { what: String },
    #[error("{what}")]
    BadBlock { what: String },
    #[error("one event is expected here: `name`, or `name(data)`")]
    NotOneEvent,
    #[error("the text ends here, but something is missing")]
    LabelEnds { expected: Vec<String> },
    #[error("a lifeline is one word")]
    BadLifeline,
    #[error("a predicate changes nothing")]
    ChangingPredicate,
}

impl SyntaxProblem {
    /// All codes.
    pub const CODES: &'static [&'static str] = &[
        "E0001", "E0002", "E0003", "E0004", "E0005", "E0006", "E0007", "E0008", "E0009", "E0010", "E0011", "E0012",
        "E0013", "E0014", "E0015", "E0016", "E0017", "E0018", "E0019", "E0020", "E0021", "E0022", "E0023", "E0024",
    ];

    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            SyntaxProblem::Unexpected { .. } => "E0001",
            SyntaxProblem::UnexpectedEnd { .. } => "E0002",
            SyntaxProblem::UnknownCharacters { text } if text.starts_with('\'') => {
                "texts are written in double quotes: \"a\""
            }
            SyntaxProblem::UnknownCharacters { .. } => "E0003",
            SyntaxProblem::BadString => "E0004",
            SyntaxProblem::UnfinishedComment => "E0005",
            SyntaxProblem::NumberTooLong { .. } => "E0006",
            SyntaxProblem::NameTooLong { .. } => "E0007",
            SyntaxProblem::TooDeep { .. } => "E0008",
            SyntaxProblem::BadInstanceIndex => "E0009",
            SyntaxProblem::NotUtf8 { .. } => "E0010",
            SyntaxProblem::FileTooLarge { .. } => "E0011",
            SyntaxProblem::Unreadable { .. } => "E0012",
            SyntaxProblem::ImportCycle { .. } => "E0013",
            SyntaxProblem::TooMany { .. } => "E0014",
            SyntaxProblem::BadArgumentName => "E0015",
            SyntaxProblem::LatePort => "E0016",
            SyntaxProblem::NoDiagram => "E0017",
            SyntaxProblem::BadLine => "E0018",
            SyntaxProblem::NotInCharts { .. } => "E0019",
            SyntaxProblem::BadBlock { .. } => "E0020",
            SyntaxProblem::NotOneEvent => "E0021",
            SyntaxProblem::LabelEnds { .. } => "E0022",
            SyntaxProblem::BadLifeline => "E0023",
            SyntaxProblem::ChangingPredicate => "E0024",
        }
    }

    /// How to mend it.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            SyntaxProblem::Unexpected { found, expected } => {
                return slip(found, expected).map(str::to_owned).or_else(|| expectation(expected));
            }
            SyntaxProblem::UnexpectedEnd { expected } => return expectation(expected),
            SyntaxProblem::UnknownCharacters { .. } => "remove it, or put it inside a text literal or a comment".into(),
            SyntaxProblem::BadString => {
                "close it with `\"` on the same line; escapes are \\n \\t \\r \\\" \\\\ and those of regular expressions".into()
            }
            SyntaxProblem::UnfinishedComment => "close it with `*/`".into(),
            SyntaxProblem::NumberTooLong { .. } => "compute large numbers from smaller ones".into(),
            SyntaxProblem::NameTooLong { .. } => "use a shorter name".into(),
            SyntaxProblem::TooDeep { .. } => "name parts of it with `let`, `const` or `fun`".into(),
            SyntaxProblem::BadInstanceIndex => "for a single instance, leave the brackets out".into(),
            SyntaxProblem::BadArgumentName => "write `name: value`".into(),
            SyntaxProblem::LatePort => "move this declaration up".into(),
            SyntaxProblem::NotUtf8 { .. } => "save the file as UTF-8".into(),
            SyntaxProblem::FileTooLarge { .. } => "split the model into files and `import` them".into(),
            SyntaxProblem::Unreadable { .. } => "check the path; imports are relative to the file they stand in".into(),
            SyntaxProblem::ImportCycle { .. } => "move what both files need into a third one".into(),
            SyntaxProblem::TooMany { .. } => "mend the errors above first".into(),
            SyntaxProblem::NoDiagram => {
                "a diagram for Mermaid begins with `sequenceDiagram`, one for PlantUML with `@startuml`".into()
            }
            SyntaxProblem::BadLine => "a message is a line `a->>b: name(data)`; comments begin with `%%`, or `'` in PlantUML".into(),
            SyntaxProblem::NotInCharts { .. } => "leave it out, or say it with messages, notes and blocks".into(),
            SyntaxProblem::BadBlock { .. } => "every block has an `end` of its own".into(),
            SyntaxProblem::NotOneEvent => "what else there is to say stands in a note, or in a comment".into(),
            SyntaxProblem::LabelEnds { expected } => return expectation(expected),
            SyntaxProblem::ChangingPredicate => {
                "effects stand on a way: `condition do x := e -> node`, or after the braces; to compare, write `==`".into()
            }
            SyntaxProblem::BadLifeline => "call it `a`, and say in a comment `lifeline a is one[1].b`".into(),
        })
    }

    /// Translates an error of the generated parser.
    pub(super) fn from_parser(error: ParseError<usize, Token, ParserError>, file: FileId) -> (SyntaxProblem, Span) {
        match error {
            ParseError::InvalidToken { location } => {
                (SyntaxProblem::UnknownCharacters { text: String::new() }, Span::new(file, location, location))
            }
            ParseError::UnrecognizedEof { location, expected } => {
                (SyntaxProblem::UnexpectedEnd { expected }, Span::new(file, location, location))
            }
            ParseError::UnrecognizedToken { token: (start, token, end), expected } => {
                (SyntaxProblem::Unexpected { found: describe(&token), expected }, Span::new(file, start, end))
            }
            ParseError::ExtraToken { token: (start, token, end) } => {
                (SyntaxProblem::Unexpected { found: describe(&token), expected: vec![] }, Span::new(file, start, end))
            }
            ParseError::User { error } => match error {},
        }
    }
}

/// At most this many characters of unreadable text are repeated in a message.
const SHOWN_CHARACTERS: usize = 20;

fn shown(text: &str) -> String {
    let mut out: String = text.chars().take(SHOWN_CHARACTERS).flat_map(char::escape_debug).collect();
    if text.chars().nth(SHOWN_CHARACTERS).is_some() {
        out.push('…');
    }
    out
}

fn describe(token: &Token) -> String {
    match token {
        Token::Name(name) => format!("name `{name}`"),
        Token::Int(n) => {
            let digits = n.to_string();
            if digits.len() > SHOWN_CHARACTERS { "number".into() } else { format!("number `{digits}`") }
        }
        Token::Decimal(n) => format!("number `{n}`"),
        Token::Text(_) => "text literal".into(),
        Token::LtlUnary(Spelled { text, .. }) | Token::LtlBinary(Spelled { text, .. }) => format!("operator `{text}`"),
        Token::Scope(scope) => format!("word `{}`", scope.word()),
        Token::MatchOfPattern => "keyword `match`".into(),
        token => match PUNCTUATION.iter().find(|(t, _)| t == token) {
            Some((_, symbol)) => format!("`{symbol}`"),
            None => format!("keyword `{}`", format!("{token:?}").to_lowercase()),
        },
    }
}

/// Symbols by token, for messages.
const PUNCTUATION: &[(Token, &str)] = &[
    (Token::Underscore, "_"),
    (Token::Arrow, "->"),
    (Token::FatArrow, "=>"),
    (Token::Becomes, ":="),
    (Token::Colon, ":"),
    (Token::Semicolon, ";"),
    (Token::Comma, ","),
    (Token::Ellipsis, "..."),
    (Token::DotDot, ".."),
    (Token::Dot, "."),
    (Token::Equal, "=="),
    (Token::NotEqual, "!="),
    (Token::AtMost, "<="),
    (Token::AtLeast, ">="),
    (Token::Less, "<"),
    (Token::Greater, ">"),
    (Token::Is, "="),
    (Token::PlusPlus, "++"),
    (Token::Plus, "+"),
    (Token::Minus, "-"),
    (Token::Star, "*"),
    (Token::Slash, "/"),
    (Token::Percent, "%"),
    (Token::AndAnd, "&&"),
    (Token::Bar3, "|||"),
    (Token::Bar2, "||"),
    (Token::Bar, "|"),
    (Token::Bang, "!"),
    (Token::Question, "?"),
    (Token::LParen, "("),
    (Token::RParen, ")"),
    (Token::LBracket, "["),
    (Token::RBracket, "]"),
    (Token::LBrace, "{"),
    (Token::RBrace, "}"),
];

/// Habits of other languages, recognised by what would have been right instead.
fn slip(found: &str, expected: &[String]) -> Option<&'static str> {
    let could_be = |token: &str| expected.iter().any(|e| e.trim_matches('"') == token);
    Some(match found {
        "`=`" | "`==`" if could_be(":=") => "to assign, write `:=`",
        "`=`" if could_be("&&") => "to compare, write `==`",
        "`==`" | "`<`" | "`<=`" | "`>`" | "`>=`" | "`!=`" if could_be("&&") => "comparisons do not chain",
        "`==`" | "`<`" | "`<=`" | "`>`" | "`>=`" | "`!=`" if could_be("+") => {
            "as the value of a variable or a message, a comparison stands in parentheses"
        }
        found if found.starts_with("operator `") || found.starts_with("word `") => {
            "in a formula this is a word of the language; as a name it is written as a text, in quotes"
        }
        "name `and`" | "name `or`" | "name `not`" => "conditions are joined with `&&` and `||`, and negated with `!`",
        "keyword `if`" if could_be("when") => "the condition of a transition follows `when`",
        "`=>`" if could_be("->") => "it is written `->`",
        _ => return None,
    })
}

/// A readable sentence from the parser's list of tokens; a long list says less than none.
fn expectation(expected: &[String]) -> Option<String> {
    let mut words: Vec<String> = expected
        .iter()
        .map(|quoted| match quoted.trim_matches('"') {
            "name" => "a name".to_owned(),
            "int" | "decimal" => "a number".to_owned(),
            "text" => "a text literal".to_owned(),
            "temporal unary" | "temporal binary" => "an operator".to_owned(),
            "scope" => "a scope".to_owned(),
            "match of a pattern" => "`match`".to_owned(),
            other => format!("`{other}`"),
        })
        .collect();
    words.dedup();
    let starts_expression =
        words.iter().any(|w| w == "`forall`") || words.iter().filter(|w| *w == "a number").count() > 0;
    if starts_expression && words.len() > 8 {
        return Some("an expression is expected here".to_owned());
    }
    match words.len() {
        0 => None,
        1 => Some(format!("expected {}", words[0])),
        2..=12 => {
            let last = words.pop().unwrap_or_default();
            Some(format!("expected one of {} or {last}", words.join(", ")))
        }
        _ => None,
    }
}
