//! From tree to text.
//!
//! What is printed reads as the same tree, with the same comments in the same order, and printing it again changes
//! nothing. The way there: items and expressions become documents ([`doc`]), documents become lines, and comments and
//! blank lines are woven between the lines ([`notes`]).

mod chart;
mod doc;
mod expr;
mod item;
mod machine;
mod notes;
mod purpose;
mod service;
mod system;
mod temporal;

use self::notes::Notes;
use super::tree::{Expr, File, TypeExpr};

/// Makes documents of tree nodes.
struct Printer<'a> {
    notes: &'a Notes<'a>,
}

/// A file in the style of the language. `source` is the text the tree was read from; it tells where comments and blank
/// lines stand. It should be free of errors: what could not be read is not in the tree, so it cannot be printed.
///
/// ```
/// use tracewright_syntax::{FileId, parse_file, print_file};
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

/// A text as a literal that is read as the same text.
pub fn print_text(text: &str) -> String {
    expr::quoted(text)
}

/// A type on one line.
pub fn print_type(ty: &TypeExpr) -> String {
    Printer { notes: &Notes::default() }.ty(ty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileId, parse_file};

    fn formatted(source: &str) -> String {
        let (file, errors) = parse_file(FileId(0), source);
        assert!(errors.is_empty(), "{errors:?} in {source}");
        let printed = print_file(&file, source);
        let (again, errors) = parse_file(FileId(0), &printed);
        assert!(errors.is_empty(), "{errors:?} in {printed}");
        assert_eq!(again, file, "{printed}");
        assert_eq!(print_file(&again, &printed), printed);
        printed
    }

    /// `source` and `expected` stand between `before` and `after`.
    fn check(before: &str, source: &str, expected: &str, after: &str) {
        assert_eq!(formatted(&format!("{before}{source}{after}")), format!("{before}{expected}{after}\n"));
    }

    #[test]
    fn parentheses_of_expressions() {
        for (source, expected) in [
            ("((a + b)) + c", "a + b + c"),
            ("a + (b + c)", "a + (b + c)"),
            ("a - (b - c)", "a - (b - c)"),
            ("(a * b) + (c / d)", "a * b + c / d"),
            ("(a + b) * c", "(a + b) * c"),
            ("(a && b) || (c && d)", "a && b || c && d"),
            ("a && (b || c)", "a && (b || c)"),
            ("(a == b) == c", "(a == b) == c"),
            ("a == (b == c)", "a == (b == c)"),
            ("!(a == b)", "!(a == b)"),
            ("!(!a)", "!!a"),
            ("-(-1)", "--1"),
            ("a - (-1)", "a - -1"),
            ("-(a + b)", "-(a + b)"),
            ("(-a) * b", "-a * b"),
            ("(-a).f", "(-a).f"),
            ("-(a.f)", "-a.f"),
            ("(a + b)[(i)]", "(a + b)[i]"),
            ("(if a then b else c) + d", "(if a then b else c) + d"),
            ("d + (if a then b else c)", "d + (if a then b else c)"),
            (
                "if (if a then b else c) then (let x = 1; x) else (if d then e else f)",
                "if if a then b else c then let x = 1; x else if d then e else f",
            ),
            ("(forall x in (1)..(2): p) && q", "(forall x in 1..2: p) && q"),
            ("exists x in {1}: (p && q)", "exists x in {1}: p && q"),
            ("x in (a)..(b + 1)", "x in a..b + 1"),
            ("(x in s) && (s matches (\"a\" ++ t))", "x in s && s matches \"a\" ++ t"),
            ("c?(-1)", "c?-1"),
            ("c?(-a.f)", "c?(-a.f)"),
            ("c?(a.f)", "c?(a.f)"),
            ("(c.d)?((x))", "c.d?x"),
            ("(c?x).f", "(c?x).f"),
            ("!(c?x)", "!c?x"),
            ("(a with (f: 1)).g with (h: (2))", "a with (f: 1).g with (h: 2)"),
            (
                "match (a + b) { (-1) => (1), (x) if (y) => (if a then b else c) }",
                "match a + b { -1 => 1, x if y => if a then b else c }",
            ),
            ("match a { (x == y) => 1, }", "match a { (x == y) => 1 }"),
            ("[(x + 1) for x in (s) if (x > 1)]", "[x + 1 for x in s if x > 1]"),
            ("{(a): (b), (c): (forall x in s: p)}", "{a: b, c: forall x in s: p}"),
            ("[(a), ..rest]", "[a, ..rest]"),
        ] {
            check("const X = ", source, expected, "");
        }
    }

    #[test]
    fn parentheses_at_special_places() {
        let machine = "component C {\n  ";
        check(machine, "var x = (a && b), y = (a + b)", "var x = (a && b), y = a + b", "\n}");
        check(
            machine,
            "A -> A do c!(a == b) if (a == b), x := (if a then b else c)",
            "A -> A do c!(a == b) if a == b, x := if a then b else c",
            "\n}",
        );
        check("sts S {\n  ", "l -> m : ?g((a), (b == c)): (d || e)", "l -> m : ?g(a, b == c): (d || e)", "\n}");
        check("sts S {\n  ", "action ?g(): Int = (1)", "action g(): Int = 1", "\n}");
        let purpose = "purpose p for M { ";
        check(purpose, "length == ((1 + 2) * 3)", "length == (1 + 2) * 3", " }");
        check(purpose, "length == (1 + 2)", "length 1 + 2", " }");
        check(purpose, "length <= (a == b)", "length <= (a == b)", " }");
        check(purpose, "a or (b or c) and (d and e)", "a or (b or c) and (d and e)", " }");
        check(purpose, "not (a) and not (b or c)", "not a and not (b or c)", " }");
        check(purpose, "some n in 0..9: (x == n) or y", "some n in 0..9: x == n or y", " }");
        check(purpose, "f(x) on (a.b)   g == (1 + 2)", "f(x) on a.b   g == 1 + 2", " }");
        check("rule r {\n  ", "a == b || ((c) && (d || !e)) => holds", "a == b || c && (d || !e) => holds", "\n}");
    }

    #[test]
    fn parentheses_of_types_and_compositions() {
        check("type T = ", "| A | B(Int)", "A | B(Int)", "");
        check("type T = ", "| A", "| A", "");
        check("type T = ", "| A(Int,)", "A(Int)", "");
        check("type T = ", "(1)..((2 + n) * 3)", "1..(2 + n) * 3", "");
        check("system S = ", "(A || B) ||| (C || D)", "A || B ||| (C || D)", "");
        check("system S = ", "(A || B) hide { a, } || (C) rename { }", "(A || B) hide { a } || C rename {}", "");
        check("system S = ", "(A hide { a }) hide { b }", "A hide { a } hide { b }", "");
        check("system S = ", "((|| i in 1..3: (A || B)))", "(|| i in 1..3: A || B)", "");
    }

    #[test]
    fn texts_read_as_before() {
        for text in ["\"\\d+\\.\\w\"", "\"a\\\\c\"", "\"\\n\\t\\r\\\"\"", "\"\\\\\"", "\"\\\\n\""] {
            check("const X = ", text, text, "");
        }
        check("const X = ", "\"\\\\d\"", "\"\\d\"", "");
    }
}
