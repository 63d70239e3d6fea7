//! Texts of regular expressions: by chance, or a short one.

use regex_syntax::hir::{Class, Hir, HirKind};

use super::expr::TextPattern;

/// So much more often than it must an unbounded part is repeated, at most.
const MORE: u32 = 4;
/// Most characters.
const MAX_LENGTH: usize = 200;

/// A text that matches a regular expression as a whole; none if none was found.
pub fn matching(pattern: &str, random: &mut fastrand::Rng) -> Option<String> {
    written(pattern, &mut |choices| random.u32(..choices))
}

impl TextPattern {
    /// A short text that matches; none if none was found.
    pub fn short_text(&self) -> Option<String> {
        written(&self.source, &mut |_| 0).filter(|text| self.matches(text))
    }
}

/// Chooses one of so many.
type Choose<'a> = &'a mut dyn FnMut(u32) -> u32;

fn written(pattern: &str, choose: Choose<'_>) -> Option<String> {
    let hir = regex_syntax::parse(pattern).ok()?;
    let mut out = String::new();
    write(&hir, choose, &mut out)?;
    Some(out)
}

fn write(hir: &Hir, choose: Choose<'_>, out: &mut String) -> Option<()> {
    if out.len() > MAX_LENGTH {
        return None;
    }
    match hir.kind() {
        // Whether an assertion holds is seen when the whole is matched.
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(class) => out.push(member(class, choose)?),
        HirKind::Capture(capture) => write(&capture.sub, choose, out)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| write(part, choose, out))?,
        HirKind::Alternation(parts) => write(&parts[choose(parts.len() as u32) as usize], choose, out)?,
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or_else(|| repetition.min.saturating_add(MORE));
            for _ in 0..repetition.min + choose((most - repetition.min).saturating_add(1)) {
                write(&repetition.sub, choose, out)?;
            }
        }
    }
    Some(())
}

/// A character of a class, one that can be typed if there is one.
fn member(class: &Class, choose: Choose<'_>) -> Option<char> {
    let ranges: Vec<(u32, u32)> = match class {
        Class::Unicode(class) => class.iter().map(|range| (range.start() as u32, range.end() as u32)).collect(),
        Class::Bytes(class) => class.iter().map(|range| (range.start().into(), range.end().into())).collect(),
    };
    let typed: Vec<(u32, u32)> = ranges
        .iter()
        .map(|(start, end)| ((*start).max(' ' as u32), (*end).min('~' as u32)))
        .filter(|(start, end)| start <= end)
        .collect();
    let ranges = if typed.is_empty() { ranges } else { typed };
    let count: u32 = ranges.iter().map(|(start, end)| end - start + 1).sum();
    let mut place = choose(count.max(1));
    for (start, end) in ranges {
        match place.checked_sub(end - start + 1) {
            Some(left) => place = left,
            None => return char::from_u32(start + place),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_match() {
        let mut random = fastrand::Rng::with_seed(1);
        for source in ["[A-Z][a-z]{2,8}", "(ab|c)*d?", r"\d{3}-\d+", "", r"[^a-z]", "é|ü{2}", "x{0,3}y"] {
            let pattern = TextPattern::new(source).expect("a pattern");
            let short = pattern.short_text().expect("a text");
            assert!(pattern.matches(&short), "{short:?} is none of {source}");
            for _ in 0..100 {
                let text = matching(source, &mut random).expect("a text");
                assert!(pattern.matches(&text), "{text:?} is none of {source}");
            }
        }
    }
}
