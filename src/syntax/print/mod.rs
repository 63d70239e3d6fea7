//! From tree to text.
//!
//! What is printed reads as the same tree, with the same comments in the same order, and printing it again changes
//! nothing. The way there: items and expressions become documents ([`doc`]), documents become lines, and comments and
//! blank lines are woven between the lines ([`notes`]).

mod doc;
mod expr;
mod item;
mod machine;
mod notes;
mod purpose;
mod service;
mod system;

use self::notes::Notes;
use super::tree::{Expr, File, TypeExpr};

/// Makes documents of tree nodes.
struct Printer<'a> {
    notes: &'a Notes<'a>,
}

/// A file in the style of the language. `source` is the text the tree was read from; it tells where comments and blank
/// lines stand.
///
/// ```
/// use tracewright::syntax::{FileId, parse_file, print_file};
/// let source = "const N=((1)+2) // three";
/// let (file, _) = parse_file(FileId(0), source);
/// assert_eq!(print_file(&file, source), "const N = 1 + 2 // three\n");
/// ```
pub fn print_file(file: &File, source: &str) -> String {
    let notes = Notes::new(&file.comments, source);
    notes.weave(&Printer { notes: &notes }.file(&file.items))
}

/// An expression on one line.
pub fn print_expr(expr: &Expr) -> String {
    Printer { notes: &Notes::default() }.expr(expr, expr::level::EXPR).flat()
}

/// A type on one line.
pub fn print_type(ty: &TypeExpr) -> String {
    Printer { notes: &Notes::default() }.ty(ty)
}
