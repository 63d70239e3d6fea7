//! Source files and their imports.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::chart::read_chart;
use super::parse::parse_file;
use super::problem::SyntaxProblem;
use super::span::{FileId, Span};
use super::tree::{Chart, ChartSource, File, Item};
use crate::diagnostic::Diagnostic;

/// Largest file that is read.
pub const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// One source file.
#[derive(Debug)]
pub struct Source {
    /// The path as the user gave it, or as the import resolved.
    pub path: String,
    /// Its text.
    pub text: String,
    /// Its tree.
    pub tree: File,
}

/// All files of one model, the one asked for first.
#[derive(Debug, Default)]
pub struct Sources {
    files: Vec<Source>,
}

impl Sources {
    /// A single file that is already in memory.
    ///
    /// ```
    /// let (sources, errors) = tracewright_syntax::Sources::from_text("a.tw", "const N = 3");
    /// assert!(errors.is_empty());
    /// assert_eq!(sources.files().len(), 1);
    /// ```
    pub fn from_text(path: &str, text: &str) -> (Sources, Vec<Diagnostic>) {
        let mut sources = Sources::default();
        let (_, errors) = sources.add(path, text.to_owned());
        (sources, errors)
    }

    /// Adds a text, such as an argument of the command line, so that messages can point into it.
    pub fn add(&mut self, path: &str, text: String) -> (FileId, Vec<Diagnostic>) {
        let id = FileId(self.files.len() as u32);
        let (tree, errors) = parse_file(id, &text);
        self.files.push(Source { path: path.to_owned(), text, tree });
        (id, errors)
    }

    /// Adds a text that is not a file of declarations.
    pub fn add_fragment(&mut self, path: &str, text: &str) -> FileId {
        let id = FileId(self.files.len() as u32);
        self.files.push(Source { path: path.to_owned(), text: text.to_owned(), tree: File::default() });
        id
    }

    /// The file with this number.
    pub fn get(&self, id: FileId) -> &Source {
        &self.files[id.0 as usize]
    }

    /// All files in the order they were found.
    pub fn files(&self) -> &[Source] {
        &self.files
    }

    /// The text at a place.
    pub fn text(&self, span: Span) -> &str {
        self.get(span.file).text.get(span.range()).unwrap_or("")
    }

    /// Line and column, both from 1; columns count characters.
    pub fn position(&self, span: Span) -> (usize, usize) {
        let text = &self.get(span.file).text;
        let before = &text[..(span.start as usize).min(text.len())];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        (line, column)
    }
}

/// Reads a file and everything it imports. Files that cannot be read or parsed are reported, the rest goes on.
pub fn load(path: &str) -> (Sources, Vec<Diagnostic>) {
    let mut loader = Loader { sources: Sources::default(), known: vec![], errors: vec![] };
    let mut stack = vec![];
    loader.file(path, Path::new(path), Span::default(), &mut stack);
    (loader.sources, loader.errors)
}

/// Reads one file without its imports.
pub fn load_one(path: &str) -> (Sources, Vec<Diagnostic>) {
    let mut sources = Sources::default();
    let errors = match read(path, Path::new(path)) {
        Ok(text) => sources.add(path, text).1,
        Err(problem) => vec![problem.at(Span::new(sources.add_fragment(path, ""), 0, 0))],
    };
    (sources, errors)
}

struct Loader {
    sources: Sources,
    /// Files by their real path, so that one reached on two ways is read once.
    known: Vec<PathBuf>,
    errors: Vec<Diagnostic>,
}

impl Loader {
    /// Reads one file; `stack` holds the files whose imports are being followed.
    fn file(&mut self, shown: &str, path: &Path, from: Span, stack: &mut Vec<(PathBuf, String)>) {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if let Some(at) = stack.iter().position(|(open, _)| *open == real) {
            let cycle = stack[at..].iter().map(|(_, s)| s.clone()).chain([shown.to_owned()]).collect();
            self.errors.push(SyntaxProblem::ImportCycle { cycle }.at(from));
            return;
        }
        if self.known.contains(&real) {
            return;
        }
        self.known.push(real.clone());
        let text = match read(shown, path) {
            Ok(text) => text,
            Err(problem) => {
                // The first file has no place from which it is imported: the message stands at its own beginning.
                let at = if stack.is_empty() { Span::new(self.sources.add_fragment(shown, ""), 0, 0) } else { from };
                self.errors.push(problem.at(at));
                return;
            }
        };
        let (id, errors) = self.sources.add(shown, text);
        self.errors.extend(errors);
        let imports: Vec<(String, Span)> = (self.sources.get(id).tree.items.iter())
            .filter_map(|item| match item {
                Item::Import(import) => Some((import.path.clone(), import.span)),
                _ => None,
            })
            .collect();
        self.charts(id, path);
        stack.push((real, shown.to_owned()));
        for (import, span) in imports {
            let target = path.parent().unwrap_or(Path::new("")).join(&import);
            self.file(&target.to_string_lossy(), &target, span, stack);
        }
        stack.pop();
    }
}

impl Loader {
    /// Reads the files in which charts of a file are drawn, and puts what is in them into its tree.
    fn charts(&mut self, id: FileId, path: &Path) {
        let items = self.sources.get(id).tree.items.iter().enumerate();
        let drawn: Vec<(usize, ChartSource)> = items
            .filter_map(|(number, item)| match item {
                Item::Chart(Chart { source: Some(source), .. }) => Some((number, source.clone())),
                _ => None,
            })
            .collect();
        for (number, source) in drawn {
            let target = path.parent().unwrap_or(Path::new("")).join(&source.path);
            let shown = target.to_string_lossy();
            match read(&shown, &target) {
                Err(problem) => self.errors.push(problem.at(source.span)),
                Ok(text) => {
                    let file = self.sources.add_fragment(&shown, &text);
                    let (members, errors) = read_chart(file, &text);
                    self.errors.extend(errors);
                    if let Item::Chart(chart) = &mut self.sources.files[id.0 as usize].tree.items[number] {
                        chart.members = members;
                    }
                }
            }
        }
    }
}

fn read(shown: &str, path: &Path) -> Result<String, SyntaxProblem> {
    let unreadable = |e: std::io::Error| {
        // The number of the error differs between systems and helps nobody.
        let reason = e.to_string();
        let reason = reason.split(" (os error").next().unwrap_or_default().to_owned();
        SyntaxProblem::Unreadable { path: shown.to_owned(), reason }
    };
    let metadata = fs::metadata(path).map_err(unreadable)?;
    if metadata.len() > MAX_FILE_BYTES {
        return Err(SyntaxProblem::FileTooLarge { bytes: metadata.len(), limit: MAX_FILE_BYTES });
    }
    // A device has no length, and may have no end.
    let mut bytes = vec![];
    let file = fs::File::open(path).map_err(unreadable)?;
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(SyntaxProblem::FileTooLarge { bytes: bytes.len() as u64, limit: MAX_FILE_BYTES });
    }
    String::from_utf8(bytes).map_err(|e| SyntaxProblem::NotUtf8 { at: e.utf8_error().valid_up_to() })
}
