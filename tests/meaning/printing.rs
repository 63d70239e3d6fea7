//! Laws of the printer: what it prints reads as the same tree with the same comments, and printing again changes nothing.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use tracewright::syntax::tree::File;
use tracewright::syntax::{FileId, parse_expr, parse_file, print_expr, print_file};

use crate::trees;

/// Names and texts of all models next to the code.
fn models() -> Vec<(String, String)> {
    let mut out = vec![];
    for folder in ["examples", "tests/listings"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for entry in fs::read_dir(folder).expect("the folder exists") {
            let path = entry.expect("a readable folder").path();
            if path.extension().is_some_and(|e| e == "tw") {
                out.push((path.display().to_string(), fs::read_to_string(&path).expect("a readable file")));
            }
        }
    }
    assert!(!out.is_empty());
    out
}

fn read(text: &str) -> File {
    let (file, errors) = parse_file(FileId(0), text);
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    file
}

/// Prints a source text and checks the laws on the way.
fn formatted(source: &str) -> String {
    let tree = read(source);
    let printed = print_file(&tree, source);
    let again = read(&printed);
    assert_eq!(again.items, tree.items, "the tree changed\n{source}\n----\n{printed}");
    assert_eq!(again.comments, tree.comments, "the comments changed\n{source}\n----\n{printed}");
    let twice = print_file(&again, &printed);
    assert_eq!(
        twice, printed,
        "printing again changed the text of\n{source}\n---- once\n{printed}\n---- twice\n{twice}"
    );
    printed
}

/// The byte offsets between the tokens of a text.
fn boundaries(text: &str) -> Vec<usize> {
    const SYMBOLS: [&str; 13] = ["|||", "...", "->", "=>", ":=", "..", "==", "!=", "<=", ">=", "++", "&&", "||"];
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = vec![];
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        out.push(at);
        at += if rest.starts_with("//") {
            rest.find('\n').map_or(rest.len(), |end| end + 1)
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if first == '"' {
            let mut escaped = false;
            let end = rest[1..].find(|c| {
                let closes = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                closes
            });
            end.map_or(rest.len(), |end| end + 2)
        } else if first.is_ascii_digit() {
            let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
            let whole = digits(rest);
            match rest[whole..].strip_prefix('.').map(digits) {
                Some(more) if more > 0 => whole + 1 + more,
                _ => whole,
            }
        } else if word(first) {
            rest.find(|c| !word(c)).unwrap_or(rest.len())
        } else {
            SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)).map_or(first.len_utf8(), |symbol| symbol.len())
        };
    }
    out.push(text.len());
    out
}

/// Comments of many shapes, and blank lines, put between the tokens of a text.
fn sprinkled(text: &str, where_and_how: &[(prop::sample::Index, u8)]) -> String {
    let boundaries = boundaries(text);
    let mut chosen: Vec<(usize, u8)> =
        where_and_how.iter().map(|(index, how)| (boundaries[index.index(boundaries.len())], *how)).collect();
    chosen.sort();
    let mut out = String::new();
    let mut done = 0;
    for (n, (at, how)) in chosen.into_iter().enumerate() {
        out.push_str(&text[done..at]);
        done = at;
        out.push_str(&match how % 8 {
            0 => format!(" /* {n} */ "),
            1 => format!(" // {n}\n"),
            2 => format!("\n// {n}\n"),
            3 => format!("\n/* {n} */"),
            4 => format!(" /* {n} */\n"),
            5 => format!("\n\n// {n}\n\n\n"),
            6 => format!(" /* {n}\n  and more */ "),
            _ => "\n\n".to_owned(),
        });
    }
    out.push_str(&text[done..]);
    out
}

#[test]
fn models_keep_their_meaning() {
    for (_, source) in models() {
        formatted(&source);
    }
}

#[test]
fn models_are_in_style() {
    for (name, source) in models() {
        if name.contains("blinker") {
            assert_eq!(formatted(&source), source);
        }
    }
}

/// A text in style, and the same as it might be typed.
fn check(typed: &str, expected: &str) {
    assert_eq!(formatted(typed), expected);
    assert_eq!(formatted(expected), expected);
}

#[test]
fn blank_lines_and_comments_keep_their_places() {
    check(
        "

// The file.


const A = 1 // one
const B = 2
/* C */ component C {

  // the state
  initial state S // S


  S -> S : /* inside */ a when x // first
  S -> S : longer

  // the end

}
// last",
        "\
// The file.

const A = 1 // one
const B = 2

/* C */
component C {
  // the state
  initial state S // S

  /* inside */
  S -> S : a      when x // first
  S -> S : longer

  // the end
}
// last
",
    );
}

#[test]
fn comments_break_the_lists_they_stand_in() {
    check(
        "type R = { a: Int, // one
        b: Int }
fun f(x: Int): Int = match x { 0 => 1 /* zero */, // here
  n =>
  // more
  n }
fun g(x: Int): Int = if x < 0 then -x // below
  else x
const L = [1, /* two */ 2]",
        "\
type R = {
  a: Int, // one
  b: Int,
}

fun f(x: Int): Int = match x {
  0 => 1, /* zero */ // here
  n =>
    // more
    n,
}

fun g(x: Int): Int =
  if x < 0 then -x // below
  else x

/* two */
const L = [1, 2]
",
    );
}

#[test]
fn pools_in_style() {
    check(
        "data  who{\"Ada\",\"Bo\" ,}
data order . n { 2 :5, (3)..(4 + 5), (10):(2) } // numbers
data T {}
data Colour { Red: 3, // often
  Blue }",
        "\
data who { \"Ada\", \"Bo\" }
data order.n { 2: 5, 3..4 + 5, 10: 2 } // numbers
data T {}

data Colour {
  Red: 3, // often
  Blue,
}
",
    );
}

#[test]
fn comments_behind_the_lists_of_a_rule_stay_there() {
    check(
        "purpose p for M { before(x, y) on (a, b) // first
and member(c) on d }",
        "\
purpose p for M {
  before(x, y) on (a, b) // first
    and member(c) on d
}
",
    );
}

#[test]
fn comments_behind_the_bounds_of_a_pattern_stay_there() {
    let text = "\
property p for M {
  formula { (a && b before (c))
    // first
    U X d }
}
";
    check(text, text);
}

#[test]
fn long_lines_are_broken() {
    let name = "a_rather_long_name_of_a_thing";
    check(
        &format!(
            "const L = [{name}, {name}, {name}, {name}, f({name})]
component C {{
  A -> B : short when x?y
  A -> B : {name} when {name} == {name} do {name} := {name} + 1
  A -> A : also_short
}}"
        ),
        &format!(
            "\
const L = [
  {name},
  {name},
  {name},
  {name},
  f({name}),
]

component C {{
  A -> B : short when x?y
  A -> B : {name}
      when {name} == {name}
      do {name} := {name} + 1
  A -> A : also_short
}}
"
        ),
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn trees_are_printed_readably(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let items = trees::items(&bytes);
        let printed = print_file(&File { items: items.clone(), comments: vec![] }, "");
        prop_assert_eq!(&read(&printed).items, &items, "{}", printed);
        prop_assert_eq!(&formatted(&printed), &printed);
        for line in printed.lines() {
            prop_assert_eq!(line, line.trim_end());
        }
    }

    #[test]
    fn expressions_are_printed_readably(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        let expr = trees::expr(&bytes);
        let printed = print_expr(&expr);
        // The command line reads no bare `if`; in parentheses everything is read.
        let read = parse_expr(FileId(0), &format!("({printed})"));
        prop_assert_eq!(read.ok(), Some(expr), "{}", printed);
    }

    #[test]
    fn comments_of_models_are_kept(
        model in any::<prop::sample::Index>(),
        comments in prop::collection::vec(any::<(prop::sample::Index, u8)>(), 0..12),
    ) {
        let models = models();
        let source = &model.get(&models).1;
        let source_with = sprinkled(source, &comments);
        prop_assert_eq!(read(&source_with).items, read(source).items);
        formatted(&source_with);
    }

    #[test]
    fn comments_of_trees_are_kept(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        comments in prop::collection::vec(any::<(prop::sample::Index, u8)>(), 1..8),
    ) {
        let source = print_file(&File { items: trees::items(&bytes), comments: vec![] }, "");
        formatted(&sprinkled(&source, &comments));
    }
}
