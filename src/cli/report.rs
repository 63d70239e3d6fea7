//! `--report FILE.html`: where the page goes, and the command that it shows.

use std::path::Path;

use super::outcome::Failure;
use super::write;

/// The command as it was given, for a shell.
pub fn command() -> String {
    let arguments = std::env::args_os().skip(1).map(|argument| quoted(&argument.to_string_lossy()));
    ["tracewright".to_owned()].into_iter().chain(arguments).collect::<Vec<_>>().join(" ")
}

/// A word of a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// Whether the page can be written, before anything is searched for: a long search must not end in nothing.
pub fn prepare(file: Option<&str>) -> Result<(), Failure> {
    file.map_or(Ok(()), |file| write::can_replace(Path::new(file)))
}

/// Writes the page, if there is to be one.
pub fn write(file: Option<&str>, page: impl FnOnce() -> String) -> Result<(), Failure> {
    file.map_or(Ok(()), |file| write::replace(Path::new(file), &page()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_a_meaning_for_a_shell_are_quoted() {
        assert_eq!(quoted("examples/a.tw"), "examples/a.tw");
        assert_eq!(quoted("off_at(7)"), "'off_at(7)'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }
}
