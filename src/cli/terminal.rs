//! Who reads what is printed: a person at a terminal, or another program.

use std::borrow::Cow;
use std::io::IsTerminal;
use std::sync::OnceLock;

use super::args::ColorName;
use crate::emit::{keep_to_width, paint, visible};

static COLOUR: OnceLock<ColorName> = OnceLock::new();

/// Remembers what the user wants, and how wide the terminal is if there is one.
pub fn prepare(colour: ColorName) {
    let _ = COLOUR.set(colour);
    if let (true, Some((terminal_size::Width(width), _))) =
        (std::io::stdout().is_terminal(), terminal_size::terminal_size())
    {
        keep_to_width(width.into());
    }
}

/// What `--color` says, for help and for command lines that cannot be understood.
pub fn asked_for() -> clap::ColorChoice {
    let args: Vec<String> = std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
    let after = args.iter().position(|arg| arg == "--color").and_then(|at| args.get(at + 1)).map(String::as_str);
    match after.or_else(|| args.iter().find_map(|arg| arg.strip_prefix("--color="))) {
        Some("always") => clap::ColorChoice::Always,
        Some("never") => clap::ColorChoice::Never,
        _ => clap::ColorChoice::Auto,
    }
}

/// Whether something that may be a terminal gets colours.
fn coloured(stream: &impl IsTerminal) -> bool {
    match COLOUR.get().copied().unwrap_or(ColorName::Auto) {
        ColorName::Always => true,
        ColorName::Never => false,
        ColorName::Auto => {
            let is_dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
            stream.is_terminal() && !is_dumb && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
        }
    }
}

/// Whether messages on standard error may be coloured.
pub fn colour() -> bool {
    coloured(&std::io::stderr())
}

/// Text for people, ready for standard output.
pub fn shown(text: &str) -> String {
    let text = visible(text);
    if coloured(&std::io::stdout()) { paint(&text) } else { text }
}

/// A document, such as a chart: complete for another program, harmless for a terminal.
pub fn document(text: String) -> String {
    if std::io::stdout().is_terminal() { visible(&text) } else { text }
}

/// Whatever is printed. What JSON may contain as it is, and a terminal would obey, is written as JSON may write it, too.
pub fn printed(text: &str) -> Cow<'_, str> {
    let is_odd = |c: char| matches!(c, '\u{7f}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if !std::io::stdout().is_terminal() || !text.contains(is_odd) {
        return Cow::Borrowed(text);
    }
    let written = |c: char| if is_odd(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    Cow::Owned(text.chars().map(written).collect())
}
