//! The page: which parts it has, in which order. How it looks is in `style.css`, what it does in `script.js`.

use std::time::Duration;

use super::super::chart::{CHART_STYLE, chart_svg};
use super::super::generated::counted;
use super::super::graph::{GRAPH_STYLE, MachineGraph, ModelGraph, machine_svg};
use super::html::{NOTHING_LEFT, badge, column, element, fold, pairs, table, text, wide};
use super::{Coverage, Covered, Entry, Group, Report, Standing};
use crate::synth::Answer;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
/// Nothing is loaded from anywhere.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";
/// Statuses of answers that are not as wished, or not all that was asked for.
const UNLIKE: &str = "unlike";
const INCOMPLETE: &str = "incomplete";
/// Machines, and sequences, that are open when the page is.
const OPEN_MACHINES: usize = 4;
const OPEN_ENTRIES: usize = 1;
/// The longest sequence that is open when the page is.
const OPEN_STEPS: usize = 100;

/// Writes the page.
pub fn page(report: &Report) -> String {
    let title = text(&report.title);
    let mut body = header(report);
    body.push_str("<main>\n");
    body.push_str(&answers(report));
    body.push_str(&report.coverage.as_ref().map(coverage).unwrap_or_default());
    body.push_str(&models(&report.models));
    body.push_str(&sequences(&report.groups));
    body.push_str("</main>\n");
    let style = format!("{STYLE}\n.graph {{\n{GRAPH_STYLE}}}\n.chart {{\n{CHART_STYLE}}}\n");
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} · Tracewright report</title>\n<style>\n{style}</style>\n</head>\n<body>\n{body}\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

fn header(report: &Report) -> String {
    let took = seconds(report.took);
    let own = [("time", took.as_str()), ("version", env!("CARGO_PKG_VERSION"))];
    let facts = report.facts.iter().map(|(name, said)| (*name, said.as_str())).chain(own);
    let link = |(id, name): (&str, &str)| format!("<a href=\"#{id}\">{name}</a>\n");
    let parts = [("answers", "Answers"), ("coverage", "Coverage"), ("model", "Model"), ("sequences", "Sequences")];
    let is_there = |(id, _): &(&str, &str)| match *id {
        "answers" => has_answers(report),
        "coverage" => report.coverage.is_some(),
        _ => true,
    };
    let links: String = parts.into_iter().filter(is_there).map(link).collect();
    format!(
        "<a class=\"skip\" href=\"#sequences\">Skip to the sequences</a>\n\
         <header>\n<p class=\"kind\">Tracewright report</p>\n<h1>{}</h1>\n{}\n{}</header>\n\
         <div class=\"tools\">\n<nav aria-label=\"parts of this page\">\n{links}</nav>\n{}</div>\n\
         <noscript><p class=\"note\">Without JavaScript the filter does nothing, and what is folded stays empty.</p></noscript>\n",
        text(&report.title),
        element("p", "summary", &report.summary),
        pairs("facts", facts),
        filter(report)
    )
}

/// What is typed here leaves what contains it; the statuses are those that the page has.
fn filter(report: &Report) -> String {
    let mut known: Vec<&str> = report.groups.iter().flat_map(Group::statuses).collect();
    known.extend(report.coverage.iter().flat_map(|coverage| &coverage.items).map(|item| item.status.as_str()));
    known.sort_unstable();
    known.dedup();
    let option = |status: &&str| {
        let said = if *status == UNLIKE { "not as wished" } else { status };
        format!("<option value=\"{}\">{}</option>", text(status), text(said))
    };
    let options: String = known.iter().map(option).collect();
    format!(
        "<form id=\"search\" role=\"search\">\n<label for=\"filter\">Filter</label>\n\
         <input id=\"filter\" type=\"search\" autocomplete=\"off\" placeholder=\"name, event, state, data\">\n\
         <select id=\"status\" aria-label=\"answer or status\"><option value=\"\">all</option>{options}</select>\n\
         <output id=\"shown\" for=\"filter status\"></output>\n\
         <button type=\"button\" id=\"unfold\">Open shown</button>\n\
         <button type=\"button\" id=\"foldall\">Close all</button>\n</form>\n"
    )
}

fn has_answers(report: &Report) -> bool {
    report.groups.iter().any(|group| group.answer.is_some())
}

/// One line for each purpose.
fn answers(report: &Report) -> String {
    if !has_answers(report) {
        return String::new();
    }
    let names = report.groups.iter().map(|group| group.name.as_str());
    let reasons: Vec<String> = report.groups.iter().map(Group::why).collect();
    let rows = report.groups.iter().enumerate().map(|(number, group)| answer_row(number, group));
    format!(
        "<section id=\"answers\">\n<h2>Answers</h2>\n{NOTHING_LEFT}<table class=\"list\"><caption>Purposes</caption>\n\
         <thead><tr>{}<th scope=\"col\">answer</th><th scope=\"col\">sequences</th><th scope=\"col\">shortest</th>{}\
         <th scope=\"col\">time</th></tr></thead>\n<tbody>\n{}</tbody></table>\n</section>\n",
        column("purpose", names),
        column("why", reasons.iter().map(String::as_str)),
        rows.collect::<String>()
    )
}

/// A purpose with its answer. It is listed as long as something of its group is shown.
fn answer_row(number: usize, group: &Group) -> String {
    let meeting = || group.entries.iter().filter(|entry| entry.outside.is_none());
    let shortest = meeting().map(Entry::steps).min().map(|steps| counted(steps, "step")).unwrap_or_default();
    let sequences = match (meeting().count(), group.entries.len()) {
        (meeting, all) if meeting < all => format!("{meeting}, {} outside", all - meeting),
        (_, all) => all.to_string(),
    };
    let took = group.made.map(|made| seconds(made.took)).unwrap_or_default();
    format!(
        "<tr data-status=\"{}\" data-group=\"p{number}\"><td><a href=\"#p{number}\">{}</a></td><td>{}</td>\
         <td data-label=\"sequences\">{sequences}</td><td data-label=\"shortest\">{shortest}</td><td>{}</td>\
         <td data-label=\"time\">{took}</td></tr>\n",
        text(&group.statuses().join(" ")),
        text(&group.name),
        group.badges(),
        text(&group.why())
    )
}

fn coverage(coverage: &Coverage) -> String {
    let Coverage { items, covered, impossible, open } = coverage;
    let counts = [("items", items.len()), ("covered", *covered), ("impossible", *impossible), ("open", *open)];
    let count =
        |(name, count): (&str, usize)| format!("<div><dt>{name}</dt><dd data-count=\"{name}\">{count}</dd></div>\n");
    let counts: String = counts.into_iter().map(count).collect();
    let share = |(name, count): (&str, usize)| match count {
        0 => String::new(),
        count => format!("<span class=\"{name}\" style=\"flex-grow: {count}\"></span>"),
    };
    let shares: String =
        [("covered", *covered), ("impossible", *impossible), ("open", *open)].into_iter().map(share).collect();
    let mut out = format!(
        "<section id=\"coverage\">\n<h2>Coverage</h2>\n<dl class=\"counts\">\n{counts}</dl>\n\
         <div class=\"share\" aria-hidden=\"true\">{shares}</div>\n"
    );
    if items.is_empty() {
        out.push_str("<p class=\"note\">There is nothing to cover.</p>\n</section>\n");
        return out;
    }
    out.push_str(&format!(
        "{NOTHING_LEFT}<table class=\"list\"><caption>Items</caption>\n<thead><tr>{}<th scope=\"col\">status</th>{}</tr></thead>\n\
         <tbody>\n",
        column("item", items.iter().map(|item| item.name.as_str())),
        column("where, or why not", items.iter().map(|item| item.why.as_str()))
    ));
    out.extend(items.iter().map(item_row));
    out.push_str("</tbody></table>\n</section>\n");
    out
}

/// An item, with a link to the step that covers it.
fn item_row(item: &Covered) -> String {
    let why = match item.at {
        Some((at, 0)) => format!("<a href=\"#p0s{at}\">{}</a>", text(&item.why)),
        Some((at, step)) => format!("<a href=\"#p0s{at}t{step}\">{}</a>", text(&item.why)),
        None => text(&item.why),
    };
    format!(
        "<tr data-status=\"{}\"><td>{}</td><td>{}</td><td>{why}</td></tr>\n",
        text(&item.status),
        text(&item.name),
        badge(&item.status)
    )
}

fn models(models: &[ModelGraph]) -> String {
    let has_runs = models.iter().any(|model| model.runs > 0);
    let looks = [
        (has_runs, "passed", "passed by a sequence"),
        (has_runs, "missed", "passed by none"),
        (models.iter().any(ModelGraph::has_impossible), "impossible", "impossible"),
        (true, "initial", "initial"),
    ];
    let mut out = format!("<section id=\"model\">\n<h2>Model</h2>\n{}", legend(&looks));
    let mut drawn = 0;
    for model in models {
        out.push_str(&format!("<h3>{}</h3>\n<div class=\"machines\">\n", text(&model.name)));
        for machine in &model.machines {
            out.push_str(&machine_part(machine, model.runs, drawn < OPEN_MACHINES));
            drawn += 1;
        }
        out.push_str("</div>\n");
    }
    out.push_str("</section>\n");
    out
}

/// What looks mean, as far as they are there: class, and what it says.
fn legend(looks: &[(bool, &str, &str)]) -> String {
    let keys = looks.iter().filter(|(is_there, ..)| *is_there);
    let keys: Vec<String> = keys.map(|(_, class, said)| element("span", &format!("key {class}"), said)).collect();
    if keys.is_empty() { String::new() } else { format!("<p class=\"legend\">{}</p>\n", keys.join(" ")) }
}

fn machine_part(machine: &MachineGraph, runs: usize, is_open: bool) -> String {
    let (states, transitions) = (machine.states.len(), machine.transitions.len());
    let counts = match (machine.passed(), runs) {
        (_, 0) => format!("{}, {}", counted(states, "state"), counted(transitions, "transition")),
        ((of_states, of_transitions), _) => format!(
            "{of_states} of {} and {of_transitions} of {} passed",
            counted(states, "state"),
            counted(transitions, "transition")
        ),
    };
    let counts = match machine.impossible() {
        (0, 0) => counts,
        (of_states, of_transitions) => format!("{counts}, {} impossible", of_states + of_transitions),
    };
    let summary = format!("{} {}", element("span", "name", &machine.name), element("span", "quiet", &counts));
    let drawing = match machine_svg(machine) {
        Some(drawing) => wide(&format!("graph of {}", machine.name), &drawing),
        None => "<p class=\"note\">This machine is too large to be drawn.</p>\n".to_owned(),
    };
    let mut rows = vec![["transition", "from", "to", "sequences"].map(str::to_owned).to_vec()];
    for transition in &machine.transitions {
        let ends = [transition.source, transition.target].map(|state| machine.states[state].name.clone());
        let passed = match transition.is_impossible {
            true => "impossible".to_owned(),
            false => transition.passed.map(|passed| passed.to_string()).unwrap_or_default(),
        };
        rows.push([vec![transition.name.clone()], ends.to_vec(), vec![passed]].concat());
    }
    let listed = table(&format!("Transitions of {}", machine.name), &rows, None);
    let listed = format!(
        "<details class=\"listed\"><summary>as a table</summary>\n{}</details>\n",
        wide("transitions", &listed)
    );
    fold("class=\"machine\"", &summary, is_open, &[drawing, listed])
}

fn sequences(groups: &[Group]) -> String {
    let mut entries = groups.iter().flat_map(|group| &group.entries);
    let has_marks = entries.any(|entry| entry.chart.rows.iter().any(|row| row.is_marked));
    let marks = legend(&[(has_marks, "marked", "in a chart: what the purpose is about")]);
    let mut out = format!("<section id=\"sequences\">\n<h2>Sequences</h2>\n{marks}{NOTHING_LEFT}");
    let mut opened = 0;
    for (number, group) in groups.iter().enumerate() {
        let status = match group.statuses().join(" ") {
            none if none.is_empty() => none,
            statuses => format!(" data-status=\"{}\"", text(&statuses)),
        };
        out.push_str(&format!("<section class=\"group\" id=\"p{number}\"{status}>\n{}", group_head(group)));
        for (place, entry) in group.entries.iter().enumerate() {
            let is_open = opened < OPEN_ENTRIES && entry.steps() <= OPEN_STEPS;
            opened += usize::from(is_open);
            out.push_str(&entry_part(entry, &format!("p{number}s{place}"), is_open));
        }
        out.push_str("</section>\n");
    }
    out.push_str("</section>\n");
    out
}

/// The answer to a purpose, what is to be said about it, and how the purpose is written.
fn group_head(group: &Group) -> String {
    let mut out = format!("<div class=\"head\">\n<h3>{} {}</h3>\n", text(&group.name), group.badges());
    out.push_str(&pairs("said", group.said.iter().map(|(kind, said)| (*kind, said.as_str()))));
    if !group.written.is_empty() {
        out.push_str(&format!("<pre class=\"written\">{}</pre>\n", text(&group.written)));
    }
    out.push_str("</div>\n");
    out
}

fn entry_part(entry: &Entry, id: &str, is_open: bool) -> String {
    let remarks: Vec<String> = entry.remarks.iter().map(|remark| element("span", "remark", remark)).collect();
    let outside = entry.outside.map(|said| format!("{} ", element("span", "badge outside", said))).unwrap_or_default();
    let summary = format!("{} {outside}{}", element("span", "name", &entry.title), remarks.join(" · "));
    let steps = match entry.steps() {
        0 => "<p class=\"note\">There are no steps.</p>\n".to_owned(),
        _ => wide("steps", &table("Steps", &entry.rows, Some(&format!("{id}t")))),
    };
    let chart = wide("sequence chart", &chart_svg(&entry.chart));
    fold(&format!("class=\"entry\" id=\"{id}\""), &summary, is_open, &[steps, chart])
}

impl Entry {
    /// How many steps it has: its rows without the header.
    fn steps(&self) -> usize {
        self.rows.len().saturating_sub(1)
    }
}

impl Group {
    /// Whether a limit ended the search, and not all that was asked for was found.
    pub fn is_incomplete(&self) -> bool {
        self.standing == Standing::Open && self.answer.as_deref() == Some(Answer::Found.text())
    }

    /// What the filter knows it by: its answer, and how that stands to the wish.
    fn statuses(&self) -> Vec<&str> {
        let unlike = (self.standing == Standing::Unlike).then_some(UNLIKE);
        let incomplete = self.is_incomplete().then_some(INCOMPLETE);
        self.answer.as_deref().into_iter().chain(unlike).chain(incomplete).collect()
    }

    /// The same for people.
    fn badges(&self) -> String {
        let shown = |status: &str| match status {
            UNLIKE => element("span", UNLIKE, "not as wished"),
            status => badge(status),
        };
        self.statuses().into_iter().map(shown).collect::<Vec<_>>().join(" ")
    }

    /// The first of what is to be said that is a reason.
    fn why(&self) -> String {
        let why = self.said.iter().find(|(kind, _)| *kind != "wish" && *kind != "bound");
        why.map(|(kind, said)| format!("{kind}: {said}")).unwrap_or_default()
    }
}

fn seconds(took: Duration) -> String {
    format!("{:.2} s", took.as_secs_f64())
}
