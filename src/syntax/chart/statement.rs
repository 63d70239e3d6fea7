//! One sentence of the language, made of pieces of another one.

use super::super::build::Builder;
use super::super::parse::grammar;
use super::super::problem::SyntaxProblem;
use super::super::span::{FileId, Span};
use super::super::token::tokenize;
use super::super::tree::{ChartMember, Item};
use super::piece::Piece;

const BEFORE: &str = "msc c for m { ";
const AFTER: &str = " }";

/// Reads one member of a chart. It is put into a chart of its own, so that what is written in it cannot end it.
pub fn member(file: FileId, sentence: &Piece) -> Result<ChartMember, Vec<(SyntaxProblem, Span)>> {
    let text = format!("{BEFORE}{}{AFTER}", sentence.text());
    let place = |byte: usize| sentence.place(byte.saturating_sub(BEFORE.len()));
    let mut tokens = tokenize(file, &text);
    let moved = |span: Span| Span::new(file, place(span.start as usize), place(span.end as usize));
    let problems = tokens.problems.into_iter().map(|(problem, span)| (problem, moved(span)));
    let comments = tokens.comments.iter().map(|comment| {
        let found = format!("comment `{}`", comment.text.chars().take(20).collect::<String>());
        (SyntaxProblem::Unexpected { found, expected: vec![] }, moved(comment.span))
    });
    let problems: Vec<(SyntaxProblem, Span)> = problems.chain(comments).collect();
    for (start, _, end) in &mut tokens.tokens {
        (*start, *end) = (place(*start), place(*end));
    }
    let mut builder = Builder::new(file, problems);
    let items = match grammar::FileParser::new().parse(&mut builder, tokens.tokens) {
        Ok(items) => items,
        Err(error) => {
            builder.parse_error(error);
            vec![]
        }
    };
    let mut problems = builder.problems;
    if !problems.is_empty() {
        // One sentence, one problem: what follows the first one is an echo.
        problems.truncate(1);
        for (problem, span) in &mut problems {
            let is_end = span.start as usize >= sentence.end();
            match problem {
                SyntaxProblem::Unexpected { expected, .. } if is_end => {
                    *problem = SyntaxProblem::LabelEnds { expected: std::mem::take(expected) };
                }
                SyntaxProblem::UnexpectedEnd { expected } => {
                    *problem = SyntaxProblem::LabelEnds { expected: std::mem::take(expected) };
                }
                _ => {}
            }
        }
        return Err(problems);
    }
    let mut items = items.into_iter();
    match (items.next(), items.next()) {
        (Some(Item::Chart(mut chart)), None) if chart.members.len() == 1 => Ok(chart.members.remove(0)),
        _ => Err(vec![(SyntaxProblem::NotOneEvent, sentence.span(file))]),
    }
}
