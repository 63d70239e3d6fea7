//! Runs the generated parser.

use std::collections::BTreeMap;
use std::ops::Range;

use lalrpop_util::lalrpop_mod;

use super::build::Builder;
use super::problem::SyntaxProblem;
use super::span::{FileId, Span};
use super::token::{Token, tokenize};
use super::tree::{Expr, File, ModelUse};
use crate::diagnostic::{Diagnostic, Severity};

lalrpop_mod!(
    #[allow(clippy::all, missing_docs, unused)]
    pub(super) grammar,
    "/tracewright.rs"
);

/// Reads a file: its tree without what could not be read, and all errors.
pub fn parse_file(file: FileId, source: &str) -> (File, Vec<Diagnostic>) {
    let tokens = tokenize(file, source);
    let starts: Vec<usize> = tokens.tokens.iter().map(|(start, _, _)| *start).collect();
    let late_ports = late_ports(&tokens.tokens);
    let mut builder = Builder::new(file, tokens.problems);
    let items = match grammar::FileParser::new().parse(&mut builder, tokens.tokens) {
        Ok(items) => items,
        Err(error) => {
            builder.parse_error(error);
            vec![]
        }
    };
    let problems = builder.problems.into_iter().map(|(problem, span)| blame(problem, span, &starts, source)).collect();
    let mut problems = without_echoes(problems, &starts, source);
    for (problem, span) in &mut problems {
        if let (SyntaxProblem::Unexpected { .. }, Some(port)) = (&problem, late_ports.get(&(span.start as usize))) {
            (*problem, *span) = (SyntaxProblem::LatePort, Span::new(file, port.start, port.end));
        }
    }
    (File { items, comments: tokens.comments }, diagnostics(problems))
}

/// Reads an expression from the command line.
pub fn parse_expr(file: FileId, source: &str) -> Result<Expr, Vec<Diagnostic>> {
    parse_with(file, source, |builder, tokens| grammar::OverParser::new().parse(builder, tokens))
}

/// Reads `Name(arg, name: arg)`.
pub fn parse_model_reference(file: FileId, source: &str) -> Result<ModelUse, Vec<Diagnostic>> {
    parse_with(file, source, |builder, tokens| grammar::ModelReferenceParser::new().parse(builder, tokens))
}

type ParserResult<T> = Result<T, lalrpop_util::ParseError<usize, super::token::Token, super::problem::ParserError>>;

fn parse_with<T>(
    file: FileId,
    source: &str,
    parser: impl FnOnce(&mut Builder, Vec<(usize, super::token::Token, usize)>) -> ParserResult<T>,
) -> Result<T, Vec<Diagnostic>> {
    let tokens = tokenize(file, source);
    let mut builder = Builder::new(file, tokens.problems);
    match parser(&mut builder, tokens.tokens) {
        Ok(value) if builder.problems.is_empty() => Ok(value),
        Ok(_) => Err(diagnostics(builder.problems)),
        Err(error) => {
            builder.parse_error(error);
            Err(diagnostics(builder.problems))
        }
    }
}

/// Where the parser stumbles over a channel or gate among the transitions, and where that is declared. After a guard the
/// word `in` is read as a membership, so it stumbles only behind the name.
fn late_ports(tokens: &[(usize, Token, usize)]) -> BTreeMap<usize, Range<usize>> {
    let mut out = BTreeMap::new();
    for window in tokens.windows(3) {
        if let [(start, Token::In | Token::Out, _), (_, Token::Name(_), end), (behind, Token::Colon, _)] = window {
            out.insert(*start, *start..*end);
            out.insert(*behind, *start..*end);
        }
        if let [(start, Token::In | Token::Out, _), (_, Token::Name(_), end), (_, Token::LParen, _)] = window {
            out.insert(*start, *start..*end);
        }
    }
    out
}

/// `a and b` is read as `a`, and then a member that begins with `and`: the word is to blame, not what follows it.
fn blame(problem: SyntaxProblem, span: Span, token_starts: &[usize], source: &str) -> (SyntaxProblem, Span) {
    let at = token_starts.partition_point(|start| *start < span.start as usize);
    let before = at.checked_sub(1).map(|before| token_starts[before]);
    if let (SyntaxProblem::Unexpected { .. }, Some(start)) = (&problem, before)
        && let Some(word) = ["and", "or", "not"].iter().find(|w| source[start..span.start as usize].trim_end() == **w)
    {
        let found = format!("name `{word}`");
        return (
            SyntaxProblem::Unexpected { found, expected: vec![] },
            Span::new(span.file, start, start + word.len()),
        );
    }
    (problem, span)
}

/// A parser that has just recovered may stumble again at once. Such an echo says nothing new: three tokens must have been
/// read since the last error, as in other generated parsers, and a new line begun, as members are written one a line.
fn without_echoes(
    mut problems: Vec<(SyntaxProblem, Span)>,
    token_starts: &[usize],
    source: &str,
) -> Vec<(SyntaxProblem, Span)> {
    problems.sort_by_key(|(_, span)| (span.start, span.end));
    let mut last: Option<usize> = None;
    let same_line = |from: usize, to: usize| !source.get(from..to).is_some_and(|between| between.contains('\n'));
    problems.retain(|(problem, span)| {
        if !matches!(problem, SyntaxProblem::Unexpected { .. } | SyntaxProblem::UnexpectedEnd { .. }) {
            return true;
        }
        let at = token_starts.partition_point(|start| *start < span.start as usize);
        let echo = last.is_some_and(|last| {
            at <= last + 3 || same_line(token_starts.get(last).copied().unwrap_or(source.len()), span.start as usize)
        });
        last = Some(at);
        !echo
    });
    problems
}

fn diagnostics(mut problems: Vec<(SyntaxProblem, Span)>) -> Vec<Diagnostic> {
    problems.sort_by_key(|(_, span)| (span.start, span.end));
    problems.into_iter().map(|(problem, span)| problem.at(span)).collect()
}

impl SyntaxProblem {
    /// The problem at a place.
    pub fn at(self, span: Span) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code: self.code(),
            message: self.to_string(),
            span,
            related: vec![],
            help: self.help(),
        }
    }
}
