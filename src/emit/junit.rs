//! Results as JUnit XML, the form that test reports are collected in. Knows no models: whoever has results says what they are.
//! Tested by reading what is written (`tests/program/junit.rs`).

/// What became of something that was judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// As wished.
    Passed,
    /// A negative answer.
    Failed,
    /// Nothing can be said.
    Unknown,
    /// Neither yes nor no, and nobody minds: a purpose that is still open.
    Open,
}

/// One test case.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// What was judged: a trace, a purpose, a comparison.
    pub name: String,
    /// What became of it.
    pub status: Status,
    /// In one line, unless it passed.
    pub message: String,
    /// All there is to say, as the command prints it.
    pub details: String,
}

impl Judgement {
    /// A judgement whose text is what the command prints of it: the first line is the message, without the name in front.
    pub fn printed(name: &str, status: Status, text: &str) -> Judgement {
        let first = text.lines().next().unwrap_or_default();
        let message = first.strip_prefix(name).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(first);
        Judgement { name: name.to_owned(), status, message: message.to_owned(), details: text.to_owned() }
    }
}

/// All judgements of one command as a document with one suite.
pub fn junit(command: &str, model: &str, judgements: &[Judgement]) -> String {
    let count = |status: Status| judgements.iter().filter(|one| one.status == status).count();
    let counts = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"",
        judgements.len(),
        count(Status::Failed),
        count(Status::Unknown),
        count(Status::Open)
    );
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out.push_str(&format!("<testsuites name=\"tracewright\" {counts}>\n"));
    out.push_str(&format!("  <testsuite name=\"{} {}\" {counts}>\n", escaped(command), escaped(model)));
    for one in judgements {
        let class = format!("tracewright.{command}.{model}");
        out.push_str(&format!("    <testcase classname=\"{}\" name=\"{}\"", escaped(&class), escaped(&one.name)));
        let element = match one.status {
            Status::Passed => {
                out.push_str("/>\n");
                continue;
            }
            Status::Failed => "failure",
            Status::Unknown => "error",
            Status::Open => "skipped",
        };
        let kind = if one.status == Status::Open { "" } else { " type=\"tracewright\"" };
        out.push_str(&format!(">\n      <{element}{kind} message=\"{}\">", escaped(&one.message)));
        out.push_str(&format!("{}</{element}>\n    </testcase>\n", escaped(&one.details)));
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

/// Text inside XML. Characters that no XML document may contain are written as their code.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push('\n'),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                out.push_str(&c.escape_unicode().to_string());
            }
            c => out.push(c),
        }
    }
    out
}
