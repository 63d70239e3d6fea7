//! Test code that `gen` and `cover` print or write.

use std::path::Path;

use super::args::{Format, SearchArgs};
use super::outcome::Failure;
use crate::emit::{Form, TestLanguage, rendered};
use crate::search::Limit;
use crate::synth::Script;

/// What is wanted: languages, and a template with its name.
pub struct Wanted {
    languages: Vec<TestLanguage>,
    template: Option<(String, String)>,
}

/// Name and text of a file, and whether one that is there is replaced.
pub type TestFile = (String, String, bool);

/// Says that limits left tests less strict than they could be, and whether there are such tests.
pub fn say_what_is_cut<'s>(scripts: impl IntoIterator<Item = &'s Script>) -> bool {
    let cut: Vec<Limit> = scripts.into_iter().filter_map(|script| script.cut).collect();
    if let Some(limit) = cut.first() {
        let tests = if cut.len() == 1 { "1 test is".to_owned() } else { format!("{} tests are", cut.len()) };
        super::warn(&format!("note: {tests} inconclusive about whatever is not as planned: {limit}\n"));
    }
    !cut.is_empty()
}

impl Wanted {
    /// What the arguments ask for. A template is read before anything is searched for.
    pub fn of(args: &SearchArgs) -> Result<Wanted, Failure> {
        let mut languages: Vec<TestLanguage> = vec![];
        for language in args.format.iter().filter_map(|format| format.language()) {
            if !languages.contains(&language) {
                languages.push(language);
            }
        }
        let template = match &args.template {
            None => None,
            Some(path) => {
                let text = std::fs::read_to_string(path)
                    .map_err(|e| Failure::Io { path: path.clone(), reason: e.to_string() })?;
                crate::emit::check_template(path, &text).map_err(Failure::Template)?;
                Some((path.clone(), text))
            }
        };
        Ok(Wanted { languages, template })
    }

    /// Whether there is anything to do.
    pub fn is_any(&self) -> bool {
        !self.languages.is_empty() || self.template.is_some()
    }

    /// Standard output takes the tests of one model only.
    pub fn check_models(&self, mut models: Vec<&str>, out: Option<&String>) -> Result<(), Failure> {
        models.sort_unstable();
        models.dedup();
        match models.len() > 1 && out.is_none() && self.is_any() {
            true => Err(Failure::Usage(format!(
                "tests of several models ({}) do not go into one file: name one, `FILE#{}`, or give --out DIR",
                models.join(", "),
                models[0]
            ))),
            false => Ok(()),
        }
    }

    /// The files for a directory: name, text, and whether they are replaced. An adapter that is there is left as it is.
    pub fn files(&self, forms: &[Form]) -> Result<Vec<TestFile>, Failure> {
        let mut files = vec![];
        if let Some((path, text)) = &self.template {
            for form in forms {
                let name = template_file(path, forms.len() > 1, &form.model);
                files.push((name, rendered(path, text, form).map_err(Failure::Template)?, true));
            }
        }
        for (language, form) in self.languages.iter().flat_map(|one| forms.iter().map(move |form| (one, form))) {
            let made = language.files(form);
            files.push((made.tests.0, made.tests.1, true));
            files.extend(made.adapter.map(|(name, text)| (name, text, false)));
        }
        Ok(files)
    }

    /// The tests in one language, for standard output.
    pub fn printed(format: Format, forms: &[Form]) -> Option<String> {
        let language = format.language()?;
        Some(forms.iter().map(|form| language.files(form).tests.1).collect())
    }

    /// What a template makes of the tests, for standard output.
    pub fn by_template(&self, forms: &[Form]) -> Result<Option<String>, Failure> {
        let Some((path, text)) = &self.template else { return Ok(None) };
        let made = forms.iter().map(|form| rendered(path, text, form)).collect::<Result<String, _>>();
        made.map(Some).map_err(Failure::Template)
    }
}

/// The name of what a template makes: its own without `.j2`, `.jinja` or `.jinja2`, with the model before it if there are several.
fn template_file(path: &str, several: bool, model: &str) -> String {
    let name =
        Path::new(path).file_name().map_or_else(|| "tests".to_owned(), |name| name.to_string_lossy().into_owned());
    let plain =
        [".j2", ".jinja", ".jinja2"].iter().find_map(|end| name.strip_suffix(end)).filter(|name| !name.is_empty());
    let name = plain.map_or_else(|| format!("{name}.txt"), str::to_owned);
    if several { format!("{model}-{name}") } else { name }
}
