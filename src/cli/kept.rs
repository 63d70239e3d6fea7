//! `tracewright replay` on folders of kept sequences

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::rc::Rc;

use serde_json::{Map, Value as Json, json};

use super::args::ReplayArgs;
use super::counted;
use super::limits::{Bar, limits};
use super::load::{Loaded, TraceFile};
use super::outcome::{Failure, Outcome};
use super::write::replace;
use crate::confirm::Recheck;
use crate::diagnostic::Rejected;
use crate::emit::{broken_text, judged_json, kept_json, test_json, test_text};
use crate::search::Limits;
use crate::solve::{Solver, Z3};
use crate::synth::{
    About, Answer, Disagreement, ForClass, Judged, Kept, Listed, NoQuestion, Options, Test, is_kept, judge, listed,
    nearest, test_for,
};

/// What sequences ask of the models of a file; each question is put together once.
pub struct Questions {
    pub loaded: Loaded,
    known: HashMap<String, Rc<Vec<ForClass>>>,
}

impl Questions {
    pub fn new(loaded: Loaded) -> Questions {
        Questions { loaded, known: HashMap::new() }
    }

    /// What a sequence was made for.
    pub fn of(&mut self, kept: &Kept) -> Result<Rc<Vec<ForClass>>, NoQuestion> {
        let key = format!("{:?} {:?}", kept.model, kept.about);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let asked = Rc::new(kept.asked(&self.loaded.checked, &mut self.loaded.sources)?);
        self.known.insert(key, asked.clone());
        Ok(asked)
    }
}

/// What is to be said about a trace: the outcome, an object, some lines.
pub type Said = (Outcome, Json, String);

/// Reads the kept sequences of a folder, in the order of their names. Anything else in it is an error.
pub fn read_folder(folder: &str) -> Result<Vec<(String, Kept)>, Failure> {
    let io = |e: std::io::Error| Failure::Io { path: folder.to_owned(), reason: e.to_string() };
    let mut paths = vec![];
    for entry in fs::read_dir(folder).map_err(io)? {
        let entry = entry.map_err(io)?;
        // Hidden files belong to other programs.
        if !entry.file_name().to_string_lossy().starts_with('.') {
            paths.push(entry.path().display().to_string());
        }
    }
    paths.sort();
    let mut out = vec![];
    for path in paths {
        if Path::new(&path).is_dir() {
            return Err(Failure::Io { path, reason: "a folder among kept sequences".to_owned() });
        }
        let file = TraceFile::read(&path)?;
        let no_sequence = || file.without_meaning("this is no kept sequence: it needs `model` and `steps`".to_owned());
        if !is_kept(&file.json) {
            return Err(no_sequence());
        }
        match listed(&file.json).map_err(|reason| file.without_meaning(reason))?.pop() {
            Some(Listed::Sequence(kept)) => out.push((path, *kept)),
            _ => return Err(no_sequence()),
        }
    }
    if out.is_empty() {
        return Err(Failure::Io { path: folder.to_owned(), reason: "there are no kept sequences in it".to_owned() });
    }
    Ok(out)
}

/// Judges kept sequences one after the other.
pub struct Replayer<'a> {
    args: &'a ReplayArgs,
    questions: Questions,
    limits: Limits,
    bar: Bar,
}

impl<'a> Replayer<'a> {
    pub fn new(args: &'a ReplayArgs, loaded: Loaded) -> Result<Replayer<'a>, Failure> {
        let limits = limits(&args.limits, None, None)?;
        Ok(Replayer { args, questions: Questions::new(loaded), limits, bar: Bar::new(&limits) })
    }

    /// Says what became of a sequence, and mends it if that is wanted.
    pub fn replay(&mut self, path: &str, mut kept: Kept) -> Result<Said, Failure> {
        self.bar.about(path, 1, 1);
        let seed = self.args.seed;
        let solver = move || -> Box<dyn Solver> { Box::new(Z3::new(seed)) };
        let recheck = Recheck::default();
        let options =
            Options { seed, limits: self.limits, threads: super::threads(None), recheck, ..Options::new(&solver) };
        let written_model = kept.model.clone().unwrap_or_default();
        if let Some((_, reference)) = self.args.model.model.split_once('#') {
            kept.model = Some(Kept::written_model(reference, &kept.about, &self.questions.loaded.checked));
        }
        let internal = |error: Disagreement| Failure::disagreement(&error);
        let (asked, gone) = match self.questions.of(&kept) {
            Ok(asked) => (asked, None),
            Err(NoQuestion::Limit(message)) => return Err(Failure::Limit(message)),
            Err(NoQuestion::Gone(reason)) => (Rc::new(vec![]), Some(reason)),
            Err(NoQuestion::Rejected(rejected)) => (Rc::new(vec![]), Some(messages(&rejected))),
        };
        if let Some(reason) = gone {
            return self.without_question(path, kept, &reason, &options);
        }
        let judged = judge(&kept, &asked, &options, &mut self.bar).map_err(internal)?;
        let mut said = Verdict::new(path, &kept, &judged, &asked, &self.questions);
        let is_of_property = asked.iter().any(|(_, asked)| asked.purpose.is_property);
        let may_search = judged.broken.is_some() && kept.about != About::Run && kept.meets && !is_of_property;
        if may_search {
            let test = test_for(&asked, &options, &mut self.bar).map_err(internal)?;
            said.test(&test, &kept.about);
        }
        if self.args.update && judged.broken.is_some() {
            if is_of_property {
                said.stays("tests of a property are made anew by `gen`");
            } else if kept.refused.is_some() || !kept.meets {
                said.stays("a negative test is not searched for");
            } else if said.test != Some(Answer::Found) && kept.about != About::Run {
                said.stays("there is nothing to put in its place");
            } else {
                self.update(&mut said, path, (&kept, &written_model), &asked, &options)?;
            }
        }
        self.bar.clear();
        Ok(said.done())
    }

    /// Replaces a file by the nearest sequence that fits.
    fn update(
        &mut self,
        said: &mut Verdict,
        path: &str,
        (kept, model): (&Kept, &str),
        asked: &[ForClass],
        options: &Options<'_>,
    ) -> Result<(), Failure> {
        for (class, question) in asked {
            let found = nearest(question, &kept.trace, options, &mut self.bar);
            let Some(found) = found.map_err(|error| Failure::disagreement(&error))? else { continue };
            if kept.about == About::Run && found.run.steps.is_empty() {
                break;
            }
            let mut new = kept.clone();
            if let About::Purpose { class: own, .. } = &mut new.about {
                own.clone_from(class);
            }
            let json = kept_json(&new, model, &found.run, &question.system);
            replace(Path::new(path), &format!("{json:#}\n"))?;
            let steps = counted(found.run.steps.len(), "step");
            let like = match (found.same_inputs, found.same_fired) {
                (0, 0) => "it begins differently".to_owned(),
                (0, fired) => format!("the same transitions in {}", counted(fired, "step")),
                (inputs, 0) => format!("the same inputs in {}", counted(inputs, "step")),
                (inputs, fired) => {
                    let inputs = counted(inputs, "step");
                    format!("the same inputs in {inputs}, the same transitions in the next {fired}")
                }
            };
            said.updated(&steps, &like, found.run.steps.len());
            return Ok(());
        }
        said.stays("nothing was found to put in its place");
        Ok(())
    }

    /// A sequence whose purpose is gone: whether it is a run can still be said.
    fn without_question(
        &mut self,
        path: &str,
        mut kept: Kept,
        reason: &str,
        options: &Options<'_>,
    ) -> Result<Said, Failure> {
        let what = kept.about.text();
        kept.about = About::Run;
        let mut out = Map::from_iter([("trace".to_owned(), json!(path)), ("model".to_owned(), json!(kept.model))]);
        let mut text = format!("{path}: broken\n  {reason}\n");
        if let Ok(asked) = self.questions.of(&kept)
            && let Some((_, first)) = asked.first()
        {
            let judged = judge(&kept, &asked, options, &mut self.bar);
            let judged = judged.map_err(|error| Failure::disagreement(&error))?;
            let sources = &self.questions.loaded.sources;
            out.extend(judged_json(&judged, &kept, &first.system, sources));
            if let Some(broken) = &judged.broken {
                let (at, lines) = broken_text(broken, &kept, &first.system, sources);
                text = format!("{path}: broken{at}\n{lines}  {reason}\n");
            }
        } else {
            out.insert("accepted".to_owned(), json!(false));
            out.insert("step".to_owned(), json!(0));
        }
        out.insert("fits".to_owned(), json!(false));
        out.insert("reason".to_owned(), json!(reason));
        out.insert("purpose".to_owned(), json!(what));
        out.insert("meets".to_owned(), Json::Null);
        out.insert("test".to_owned(), Json::Null);
        if self.args.update {
            text.push_str("  the file stays: there is nothing to put in its place\n");
            out.insert("updated".to_owned(), json!(false));
        }
        self.bar.clear();
        Ok((Outcome::Negative, Json::Object(out), text))
    }
}

fn messages(Rejected(diagnostics): &Rejected) -> String {
    diagnostics.iter().map(|one| one.message.as_str()).collect::<Vec<_>>().join("; ")
}

/// What is said about a sequence, as it becomes known.
struct Verdict {
    outcome: Outcome,
    json: Map<String, Json>,
    text: String,
    test: Option<Answer>,
}

impl Verdict {
    fn new(path: &str, kept: &Kept, judged: &Judged, asked: &[ForClass], questions: &Questions) -> Verdict {
        let mut json = Map::from_iter([("trace".to_owned(), json!(path)), ("model".to_owned(), json!(kept.model))]);
        let what = kept.about.text();
        let (mut outcome, mut text) = (Outcome::Wished, String::new());
        if let Some((_, first)) = asked.first() {
            let sources = &questions.loaded.sources;
            json.extend(judged_json(judged, kept, &first.system, sources));
            if let Some(broken) = &judged.broken {
                let (at, lines) = broken_text(broken, kept, &first.system, sources);
                (outcome, text) = (Outcome::Negative, format!("{path}: broken{at}\n{lines}"));
            }
        }
        if let (Some(reason), None) = (&judged.unknown, &judged.broken) {
            (outcome, text) = (Outcome::Unknown, format!("{path}: unknown: {reason}\n"));
        } else if judged.broken.is_none() {
            let steps = counted(judged.run.as_ref().map_or(0, |run| run.steps.len()), "step");
            let meets = match (&what, judged.meets) {
                (Some(what), Some(true)) => format!("; meets {what}"),
                _ => String::new(),
            };
            let refused = if kept.refused.is_some() { "; what must be refused is refused" } else { "" };
            text = format!("{path}: fits, {steps}{meets}{refused}\n");
        }
        let fits = (outcome != Outcome::Unknown).then_some(outcome == Outcome::Wished);
        json.insert("fits".to_owned(), json!(fits));
        json.insert("purpose".to_owned(), json!(what));
        json.insert("meets".to_owned(), json!(judged.meets.filter(|_| kept.about != About::Run)));
        json.insert("test".to_owned(), Json::Null);
        Verdict { outcome, json, text, test: None }
    }

    /// Whether there is still a test.
    fn test(&mut self, test: &Test, about: &About) {
        self.test = Some(test.answer);
        self.json.insert("test".to_owned(), test_json(test));
        self.text.push_str(&test_text(test, &about.text().unwrap_or_default()));
        if test.answer == Answer::Unknown {
            self.outcome = Outcome::Unknown;
        }
    }

    fn updated(&mut self, steps: &str, like: &str, length: usize) {
        self.outcome = Outcome::Wished;
        self.text.push_str(&format!("  replaced: {steps}; {like}\n"));
        self.json.insert("updated".to_owned(), json!(true));
        self.json.insert("updated_length".to_owned(), json!(length));
    }

    fn stays(&mut self, why: &str) {
        self.text.push_str(&format!("  the file stays: {why}\n"));
        self.json.insert("updated".to_owned(), json!(false));
    }

    fn done(self) -> Said {
        (self.outcome, Json::Object(self.json), self.text)
    }
}
