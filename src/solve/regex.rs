//! Regular expressions as Z3 knows them.

use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind};
use z3::ast::Regexp;

use super::z3::escaped;

/// A regular expression of Z3, and whether it means exactly the same.
pub(super) struct Translated {
    pub regex: Regexp,
    /// If not, it matches less: characters outside ASCII are left out where they do not all belong to a class.
    pub is_exact: bool,
}

/// Translates a regular expression; the error says what Z3 has no counterpart for.
pub(super) fn translate(source: &str) -> Result<Translated, String> {
    let hir = regex_syntax::Parser::new().parse(source).map_err(|_| "a regular expression that does not parse")?;
    let mut is_exact = true;
    let regex = translated(&hir, &mut is_exact)?;
    Ok(Translated { regex, is_exact })
}

fn translated(hir: &Hir, is_exact: &mut bool) -> Result<Regexp, String> {
    Ok(match hir.kind() {
        HirKind::Empty => Regexp::literal(""),
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).map_err(|_| "a literal that is no text")?;
            Regexp::literal(&escaped(text))
        }
        HirKind::Class(Class::Unicode(class)) => self::class(class, is_exact),
        HirKind::Class(Class::Bytes(_)) => return Err("a class of bytes".to_owned()),
        HirKind::Look(_) => return Err("an anchor or a word boundary in a regular expression".to_owned()),
        HirKind::Repetition(repetition) => {
            let inner = translated(&repetition.sub, is_exact)?;
            match (repetition.min, repetition.max) {
                (0, None) => inner.star(),
                (1, None) => inner.plus(),
                (0, Some(1)) => inner.option(),
                (min, Some(max)) => inner.r#loop(min, max),
                (min, None) => Regexp::concat(&[inner.power(min), inner.star()]),
            }
        }
        HirKind::Capture(capture) => translated(&capture.sub, is_exact)?,
        HirKind::Concat(parts) => Regexp::concat(&all(parts, is_exact)?),
        HirKind::Alternation(parts) => Regexp::union(&all(parts, is_exact)?),
    })
}

fn all(parts: &[Hir], is_exact: &mut bool) -> Result<Vec<Regexp>, String> {
    parts.iter().map(|part| translated(part, is_exact)).collect()
}

fn class(class: &ClassUnicode, is_exact: &mut bool) -> Regexp {
    let contains = |c: char| class.ranges().iter().any(|r| r.start() <= c && c <= r.end());
    let beyond = class.ranges().iter().find(|r| r.end() > '\u{7f}');
    // Everything beyond ASCII: told by what of ASCII is missing.
    if beyond.is_some_and(|r| r.start() <= '\u{80}' && r.end() == char::MAX) {
        let missing: Vec<Regexp> =
            ('\0'..='\u{7f}').filter(|c| !contains(*c)).map(|c| Regexp::literal(&escaped(&c.to_string()))).collect();
        return match missing.as_slice() {
            [] => Regexp::allchar(),
            [only] => Regexp::allchar().diff(only),
            _ => Regexp::allchar().diff(Regexp::union(&missing)),
        };
    }
    *is_exact &= beyond.is_none();
    let mut parts = vec![];
    for range in class.ranges() {
        let (start, end) = (range.start().max(' '), range.end().min('~'));
        if start <= end {
            parts.push(Regexp::range(&start, &end));
        }
        let odd = ('\0'..='\u{7f}').filter(|c| !(' '..='~').contains(c) && range.start() <= *c && *c <= range.end());
        parts.extend(odd.map(|c| Regexp::literal(&escaped(&c.to_string()))));
    }
    match parts.as_slice() {
        [] => Regexp::empty(),
        [only] => only.clone(),
        _ => Regexp::union(&parts),
    }
}
