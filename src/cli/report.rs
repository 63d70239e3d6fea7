//! `--report FILE.html`: the command that the page shows.

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
