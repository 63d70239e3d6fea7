//! Runs as sequence charts. There is one form for all of them; it is written as text, for Mermaid, for PlantUML, or drawn.
//!
//! Lifeline 0 is the environment, the others are machines. What stands in a chart holds of the run, in this order and
//! step by step, so that a chart that is read again is met by its own run.

mod layout;
mod marks;
mod mermaid;
mod of_run;
mod plantuml;
mod svg;
mod text;

pub use marks::{Marks, marks};
pub(super) use svg::{STYLE as CHART_STYLE, part_of_page as chart_svg};

/// A chart, or something to say where there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Drawn {
    /// A chart.
    Chart(Chart),
    /// Lines of text.
    Said(String),
}

/// A sequence chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chart {
    /// What is drawn.
    pub title: String,
    /// Names of the lifelines, the environment first.
    pub lifelines: Vec<String>,
    /// What happens, from top to bottom.
    pub rows: Vec<Row>,
}

/// Something in a chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What it is.
    pub kind: RowKind,
    /// Whether it is what the run was looked for.
    pub is_marked: bool,
}

/// What can stand in a chart. Lifelines go by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// A message; there is at least one that it reaches.
    Message {
        /// Who sends it.
        from: usize,
        /// Whom it reaches.
        to: Vec<usize>,
        /// Name and data.
        text: String,
        /// Whether an observer does not see it.
        is_hidden: bool,
    },
    /// An internal step of one machine.
    Internal(usize),
    /// A machine fires a transition.
    Fired(usize, String),
    /// A machine is in a control state now.
    State(usize, String),
    /// A step of all machines is over: its number.
    Tick(usize),
    /// A remark at a lifeline.
    Remark(usize, String),
    /// A remark about everything.
    Note(String),
}

/// The environment's lifeline.
pub const ENVIRONMENT: usize = 0;

/// Ways to draw a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Drawing {
    Text,
    Mermaid,
    Plantuml,
    Svg,
}

impl Drawing {
    /// What files of this kind end with.
    pub fn extension(self) -> &'static str {
        match self {
            Drawing::Text => "txt",
            Drawing::Mermaid => "mmd",
            Drawing::Plantuml => "puml",
            Drawing::Svg => "svg",
        }
    }

    /// All charts, one after the other.
    pub fn document(self, drawn: &[Drawn]) -> String {
        match self {
            Drawing::Text => text::document(drawn),
            Drawing::Mermaid => mermaid::document(drawn),
            Drawing::Plantuml => plantuml::document(drawn),
            Drawing::Svg => svg::document(drawn),
        }
    }

    /// One chart.
    pub fn chart(self, chart: &Chart) -> String {
        self.document(&[Drawn::Chart(chart.clone())])
    }
}

impl Row {
    /// A row that is not marked.
    pub fn plain(kind: RowKind) -> Row {
        Row { kind, is_marked: false }
    }

    /// The lifeline and the text of what is drawn as a box on one lifeline.
    fn boxed(&self) -> Option<(usize, &str)> {
        match &self.kind {
            RowKind::Fired(at, text) | RowKind::State(at, text) | RowKind::Remark(at, text) => Some((*at, text)),
            _ => None,
        }
    }
}

/// Rows that are drawn side by side: neighbours of one kind on different lifelines.
fn bands(rows: &[Row]) -> Vec<Vec<&Row>> {
    let mut out: Vec<Vec<&Row>> = vec![];
    for row in rows {
        let fits = |band: &Vec<&Row>| {
            let same = |other: &&Row| std::mem::discriminant(&other.kind) == std::mem::discriminant(&row.kind);
            row.boxed().is_some_and(|(at, _)| {
                band.iter().all(|other| same(other) && other.boxed().is_some_and(|(there, _)| there < at))
            })
        };
        match out.last_mut() {
            Some(band) if fits(band) => band.push(row),
            _ => out.push(vec![row]),
        }
    }
    out
}

/// The environment, in a chart that is read again. No machine goes by this name there.
const ENV: &str = "env";

/// Identifiers for lifelines in a language in which names are plain words: each different, and no word of the language.
fn identifiers(lifelines: &[String], reserved: &[&str]) -> Vec<String> {
    let mut out: Vec<String> = vec![ENV.to_owned()];
    for name in lifelines.iter().skip(1) {
        let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let mut id = plain.trim_matches('_').to_owned();
        let is_reserved = |id: &str| reserved.contains(&id.to_ascii_lowercase().as_str());
        while id.is_empty() || id.starts_with(|c: char| c.is_ascii_digit()) || is_reserved(&id) || out.contains(&id) {
            id.push('_');
            if id.starts_with(|c: char| c.is_ascii_digit()) {
                id.insert(0, 'p');
            }
        }
        out.push(id);
    }
    out
}

/// What a comment says of an identifier, so that a reader knows whom it stands for.
fn said_of(number: usize, id: &str, name: &str) -> Option<String> {
    match (number, name) {
        (ENVIRONMENT, _) => None,
        (_, ENV) => Some(format!("{id} is a machine called {ENV}, which no chart can name")),
        _ => (id != name).then(|| format!("lifeline {id} is {name}")),
    }
}

/// Messages to several lifelines are one message in a chart that is read again: what reaches the others is said beside it.
fn copies(to: &[usize], text: &str) -> Vec<(usize, String)> {
    to.iter().skip(1).map(|at| (*at, format!("gets {text} as well"))).collect()
}

/// What a note says of a state. Words that mean something else in a note are told apart.
fn state_note(name: &str) -> String {
    if ["tick", "any"].contains(&name) { format!("in {name}") } else { name.to_owned() }
}
