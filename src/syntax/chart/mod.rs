//! Charts in files of their own: Mermaid and PlantUML sequence diagrams.
//!
//! A reader splits its file into lines and says what each of them is; [`assemble`] gives them their meaning, which is the
//! same for both. Events, states and conditions are read by the grammar of the language itself, so that a chart in a file
//! means what it would mean in a model. Every place in the tree is a place in the chart's file. What has no meaning is an
//! error; only layout is left out.

mod assemble;
mod mermaid;
mod piece;
mod plantuml;
mod statement;
#[cfg(test)]
mod tests;

use self::assemble::Assembler;
use super::diagnostic::Diagnostic;
use super::problem::SyntaxProblem;
use super::span::{FileId, Span};
use super::tree::ChartMember;

/// Reads the diagram in a file.
///
/// ```
/// use tracewright_syntax::{FileId, read_chart};
/// let (members, errors) = read_chart(FileId(0), "sequenceDiagram\n  env->>b: interval(3)\n");
/// assert!(errors.is_empty());
/// assert_eq!(members.len(), 2); // the lifelines and the message
/// ```
pub fn read_chart(file: FileId, text: &str) -> (Vec<ChartMember>, Vec<Diagnostic>) {
    let mut assembler = Assembler::new(file);
    match (mermaid::begins(text), plantuml::begins(text)) {
        (Some(at), _) => mermaid::read(text, at, &mut assembler),
        (None, Some(at)) => plantuml::read(text, at, &mut assembler),
        (None, None) => assembler.problem(SyntaxProblem::NoDiagram, Span::new(file, 0, 0)),
    }
    let (members, mut problems) = assembler.finish(text.len());
    problems.sort_by_key(|(_, span)| (span.start, span.end));
    (members, problems.into_iter().map(|(problem, span)| problem.at(span)).collect())
}
