//! What the lines of a diagram mean: messages, notes and blocks as parts of a chart.

use std::collections::{BTreeMap, BTreeSet};

use super::super::build::Builder;
use super::super::problem::SyntaxProblem;
use super::super::span::{FileId, Span};
use super::super::tree::{ChartMember, ChartPart, ChartPartKind, Reading, Times};
use super::piece::{Piece, is_name};
use super::statement::member;

/// The blocks of both languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// One of its parts happens.
    Alt,
    /// Its content happens or not.
    Opt,
    /// Its content happens several times.
    Loop,
    /// Its parts happen side by side.
    Par,
    /// Its content happens instead of what follows in the block around it.
    Break,
    /// `not`, `exactly`, `among others` by its label; otherwise its content, or one of its parts.
    Group,
    /// Colours and frames: layout.
    Layout,
}

/// What the label of a group says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Nothing,
    Not,
    Read(Reading),
}

/// A block that is not closed yet.
#[derive(Debug)]
struct Block {
    kind: BlockKind,
    /// The word it was opened with.
    word: String,
    said: Said,
    times: Times,
    opened: Span,
    /// Parts that are complete.
    done: Vec<Vec<ChartPart>>,
    current: Vec<ChartPart>,
    /// What happens instead of the rest of the current part, and where that rest begins.
    breaks: Vec<(usize, Vec<ChartPart>, Span)>,
}

impl Block {
    fn new(kind: BlockKind, word: &str, opened: Span) -> Block {
        Block {
            kind,
            word: word.to_owned(),
            said: Said::Nothing,
            times: Times::Any,
            opened,
            done: vec![],
            current: vec![],
            breaks: vec![],
        }
    }
}

/// Collects what a reader finds.
#[derive(Debug)]
pub struct Assembler {
    file: FileId,
    builder: Builder,
    /// What instances are called in the diagram, with their names in the model.
    names: BTreeMap<String, String>,
    /// Lifelines in the order in which they stand in the diagram: what they are called and where that is.
    lifelines: Vec<Piece>,
    head: Vec<ChartMember>,
    /// Words in events, conditions and numbers.
    words: BTreeSet<String>,
    blocks: Vec<Block>,
}

impl Assembler {
    pub fn new(file: FileId) -> Assembler {
        Assembler {
            file,
            builder: Builder::new(file, vec![]),
            names: BTreeMap::new(),
            lifelines: vec![],
            head: vec![],
            words: BTreeSet::new(),
            blocks: vec![Block::new(BlockKind::Layout, "", Span::new(file, 0, 0))],
        }
    }

    /// Records something that has no meaning.
    pub fn problem(&mut self, problem: SyntaxProblem, span: Span) {
        self.builder.problems.push((problem, span));
    }

    /// Records something that has no meaning.
    pub fn wrong(&mut self, problem: SyntaxProblem, piece: &Piece) {
        self.problem(problem, piece.span(self.file));
    }

    /// The members of the chart, and what was wrong.
    pub fn finish(mut self, end: usize) -> (Vec<ChartMember>, Vec<(SyntaxProblem, Span)>) {
        while self.blocks.len() > 1 {
            let Block { word, opened, .. } = &self.blocks[self.blocks.len() - 1];
            let (what, opened) = (format!("this `{word}` is not closed"), *opened);
            self.problem(SyntaxProblem::BadBlock { what }, opened);
            self.close(Span::new(self.file, end, end));
        }
        let names: Vec<Piece> = self.lifelines.iter().map(|lifeline| self.instance(lifeline)).collect();
        let mut members = std::mem::take(&mut self.head);
        // `some remarks` is a remark, unless the diagram says something about `remarks`.
        members.retain(|member| match member {
            ChartMember::Some { variable, ty: None, .. } => self.words.contains(&variable.name),
            _ => true,
        });
        if let Some((first, rest)) = names.split_first() {
            let word = Piece::instead("lifeline", &first.slice(0, 0));
            let comma = rest.iter().map(|name| Piece::instead(",", &name.slice(0, 0))).collect::<Vec<_>>();
            let mut sentence = vec![&word, first];
            sentence.extend(comma.iter().zip(rest).flat_map(|(comma, name)| [comma, name]));
            members.extend(self.member(&Piece::joined(&sentence)));
        }
        self.finish_part();
        let parts = std::mem::take(&mut self.blocks[0].current);
        members.extend(parts.into_iter().map(ChartMember::Part));
        (members, self.builder.problems)
    }

    /// A comment, which may say how the chart is to be read. All of them come before anything else.
    pub fn comment(&mut self, comment: &Piece) {
        let comment = comment.trim();
        let words: Vec<&str> = comment.text().split_whitespace().collect();
        match words[..] {
            ["exactly"] | ["among", "others"] | ["global" | "local", "order"] => self.directive(&comment),
            ["some", name] | ["some", name, ":", ..] if is_name(name) => self.directive(&comment),
            ["some", name, _, ..] if name.strip_suffix(':').is_some_and(is_name) => self.directive(&comment),
            ["lifeline", name, "is"] if is_name(name) => self.wrong(SyntaxProblem::BadLifeline, &comment),
            ["lifeline", name, "is", ..] if is_name(name) => {
                let (_, instance) = comment.word().1.word().1.word();
                self.names.insert(name.to_owned(), instance.text().to_owned());
            }
            _ => {}
        }
    }

    fn directive(&mut self, sentence: &Piece) {
        let member = self.member(sentence);
        self.head.extend(member);
    }

    /// A lifeline is mentioned.
    pub fn lifeline(&mut self, name: &Piece) {
        if !is_name(name.text()) {
            self.wrong(SyntaxProblem::BadLifeline, name);
        } else if !self.lifelines.iter().any(|known| known.text() == name.text()) {
            self.lifelines.push(name.clone());
        }
    }

    /// The instance that a lifeline stands for.
    fn instance(&self, lifeline: &Piece) -> Piece {
        match self.names.get(lifeline.text()) {
            Some(name) => Piece::instead(name, lifeline),
            None => lifeline.clone(),
        }
    }

    /// One member that is drawn.
    fn drawn(&mut self, sentence: &Piece) -> Option<ChartMember> {
        let words = sentence.text().split(|c: char| !c.is_alphanumeric() && c != '_');
        self.words.extend(words.filter(|word| is_name(word)).map(str::to_owned));
        self.member(sentence)
    }

    fn member(&mut self, sentence: &Piece) -> Option<ChartMember> {
        match member(self.file, sentence) {
            Ok(member) => Some(member),
            Err(problems) => {
                self.builder.problems.extend(problems);
                None
            }
        }
    }

    /// One part of a chart, which must be of the kind that is meant.
    fn part(&mut self, sentence: &Piece, is_meant: fn(&ChartPartKind) -> bool) {
        match self.drawn(sentence) {
            Some(ChartMember::Part(part)) if is_meant(&part.kind) => self.push(part),
            Some(_) => self.wrong(SyntaxProblem::NotOneEvent, sentence),
            None => {}
        }
    }

    fn push(&mut self, part: ChartPart) {
        let at = self.around();
        self.blocks[at].current.push(part);
    }

    /// The block that what comes next belongs to: frames that are layout hold nothing themselves.
    fn around(&self) -> usize {
        self.blocks.iter().rposition(|block| block.kind != BlockKind::Layout).unwrap_or(0)
    }

    /// A message: `set(5)`, `timeout`, `x = 3`. `tau` is nothing that anybody sees.
    pub fn message(&mut self, from: &Piece, to: &Piece, label: &Piece) {
        let label = label.trim();
        let before = self.builder.problems.len();
        self.lifeline(from);
        self.lifeline(to);
        if self.builder.problems.len() > before {
            return;
        }
        if label.text() == "tau" && from.text() == to.text() {
            return;
        }
        // Words that are no event are told apart here: what the grammar would say about them helps nobody.
        let behind = label.text().trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').trim_start();
        if behind.starts_with(|c: char| c.is_alphanumeric()) {
            return self.wrong(SyntaxProblem::NotOneEvent, &label);
        }
        let (from, to) = (self.instance(from), self.instance(to));
        let arrow = Piece::instead("->", &to.slice(0, 0));
        let colon = Piece::instead(":", &label.slice(0, 0));
        let event = equation(&label).unwrap_or(label);
        let sentence = Piece::joined(&[&from, &arrow, &to, &colon, &event]);
        self.part(&sentence, |kind| matches!(kind, ChartPartKind::Message { .. }));
    }

    /// A note at some lifelines: a state, a transition, a condition, a step; otherwise a comment.
    pub fn note(&mut self, over: &[Piece], text: &Piece) {
        let text = text.trim();
        over.iter().for_each(|lifeline| self.lifeline(lifeline));
        let words: Vec<&str> = text.text().split_whitespace().collect();
        let made = |word: &str| Piece::instead(word, &text.slice(0, 0));
        let lifeline = match over {
            [only] => Some(self.instance(only)),
            _ => None,
        };
        match (words.as_slice(), lifeline) {
            (["tick"], _) => self.part(&text, |kind| *kind == ChartPartKind::Tick),
            (["tick", number], _) if number.bytes().all(|b| b.is_ascii_digit()) => {
                self.part(&Piece::instead("tick", &text), |kind| *kind == ChartPartKind::Tick);
            }
            (["any" | "..."], _) => self.part(&Piece::instead("any", &text), |kind| *kind == ChartPartKind::Any),
            (["when", ..], _) => self.part(&text, |kind| matches!(kind, ChartPartKind::When(_))),
            (["ref", ..], _) if is_use(text.text()) => self.reference(&text.word().1),
            ([first, "in", state], _) if is_name(state) && self.is_lifeline(first) => {
                let (lifeline, rest) = text.word();
                let sentence = Piece::joined(&[&self.instance(&lifeline), &rest]);
                self.part(&sentence, |kind| matches!(kind, ChartPartKind::State { .. }));
            }
            ([state], Some(lifeline)) if is_name(state) => {
                let sentence = Piece::joined(&[&lifeline, &made("in"), &text]);
                self.part(&sentence, |kind| matches!(kind, ChartPartKind::State { .. }));
            }
            (["state" | "in", state], Some(lifeline)) if is_name(state) => {
                let sentence = Piece::joined(&[&lifeline, &made("in"), &text.word().1]);
                self.part(&sentence, |kind| matches!(kind, ChartPartKind::State { .. }));
            }
            (["fires", _], Some(lifeline)) => {
                let sentence = Piece::joined(&[&lifeline, &text]);
                self.part(&sentence, |kind| matches!(kind, ChartPartKind::Fires { .. }));
            }
            _ => {
                self.condition(&text);
            }
        }
    }

    fn is_lifeline(&self, name: &str) -> bool {
        self.lifelines.iter().any(|lifeline| lifeline.text() == name)
    }

    /// Another chart.
    pub fn reference(&mut self, text: &Piece) {
        let sentence = Piece::joined(&[&Piece::instead("ref", &text.slice(0, 0)), text]);
        self.part(&sentence, |kind| matches!(kind, ChartPartKind::Ref(_)));
    }

    /// Anything may happen.
    pub fn anything(&mut self, text: &Piece) {
        self.part(&Piece::instead("any", text), |kind| *kind == ChartPartKind::Any);
    }

    /// `[x > 3]`, or `when x > 3`; says whether it is one.
    fn condition(&mut self, text: &Piece) -> bool {
        let text = text.trim();
        let inside = text.text().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let sentence = match (inside, text.word().0.text()) {
            (Some(inside), _) => {
                let when = Piece::instead("when", &text.slice(0, 0));
                Piece::joined(&[&when, &text.slice(1, 1 + inside.len())])
            }
            (None, "when") => text,
            _ => return false,
        };
        self.part(&sentence, |kind| matches!(kind, ChartPartKind::When(_)));
        true
    }

    /// A block begins.
    pub fn open(&mut self, kind: BlockKind, word: &Piece, label: &Piece) {
        let label = label.trim();
        let mut block = Block::new(kind, word.text(), word.span(self.file));
        match (kind, label.text().split_whitespace().collect::<Vec<_>>().as_slice()) {
            (BlockKind::Loop, words) => block.times = self.times(words, &label),
            (BlockKind::Group, ["not"]) => block.said = Said::Not,
            (BlockKind::Group, ["exactly"]) => block.said = Said::Read(Reading::Exactly),
            (BlockKind::Group, ["among", "others"]) => block.said = Said::Read(Reading::AmongOthers),
            _ => {}
        }
        if kind == BlockKind::Break && matches!(self.blocks[self.around()].kind, BlockKind::Loop | BlockKind::Par) {
            let what = "`break` inside of `loop` and `par`".to_owned();
            self.wrong(SyntaxProblem::NotInCharts { what }, word);
        }
        self.blocks.push(block);
        if kind != BlockKind::Layout {
            self.condition(&label);
        }
    }

    /// How often a loop happens: `3`, `2..5`, `n times`; a text says nothing about it.
    fn times(&mut self, words: &[&str], label: &Piece) -> Times {
        let count = match words {
            [.., "times"] => label.slice(0, label.text().len() - "times".len()).trim(),
            [first, ..] if first.starts_with(|c: char| c.is_ascii_digit() || c == '(') => label.clone(),
            _ => return Times::Any,
        };
        let around = |word: &str, at: usize| Piece::instead(word, &label.slice(at, at));
        let sentence = Piece::joined(&[&around("loop", 0), &count, &around("{ }", label.text().len())]);
        match self.drawn(&sentence) {
            Some(ChartMember::Part(ChartPart { kind: ChartPartKind::Loop(times, _), .. })) => times,
            Some(_) => {
                self.wrong(SyntaxProblem::NotOneEvent, label);
                Times::Any
            }
            None => Times::Any,
        }
    }

    /// The next part of a block begins: `else`, `and`, `option`.
    pub fn next(&mut self, word: &Piece, label: &Piece, of: &[BlockKind]) {
        let at = self.blocks.len() - 1;
        let fits = of.contains(&self.blocks[at].kind) && self.blocks[at].said == Said::Nothing;
        if at == 0 || !fits {
            let what = format!("`{}` stands in no block that it belongs to", word.text());
            self.wrong(SyntaxProblem::BadBlock { what }, word);
            return;
        }
        self.finish_part();
        let part = std::mem::take(&mut self.blocks[at].current);
        self.blocks[at].done.push(part);
        self.condition(label);
    }

    /// A block ends: the last one, which began with `of` if that is said.
    pub fn end(&mut self, line: &Piece, of: &str) {
        let Block { word, .. } = &self.blocks[self.blocks.len() - 1];
        let what = match self.blocks.len() {
            1 => format!("`{}` closes nothing", line.text()),
            _ if !of.is_empty() && of != word => format!("`{}` closes no `{word}`", line.text()),
            _ => return self.close(line.span(self.file)),
        };
        self.wrong(SyntaxProblem::BadBlock { what }, line);
    }

    /// Puts what happens instead of the rest beside the rest.
    fn finish_part(&mut self) {
        let at = self.blocks.len() - 1;
        let breaks = std::mem::take(&mut self.blocks[at].breaks);
        for (from, instead, span) in breaks.into_iter().rev() {
            let rest = self.blocks[at].current.split_off(from);
            let kind = ChartPartKind::Alt(vec![instead, rest]);
            let part = self.builder.chart_part(span.start as usize, kind, span.end as usize);
            self.blocks[at].current.push(part);
        }
    }

    fn close(&mut self, end: Span) {
        self.finish_part();
        let Some(mut block) = self.blocks.pop() else { return };
        block.done.push(std::mem::take(&mut block.current));
        let span = block.opened.to(end);
        let mut done = block.done;
        let kind = match (block.kind, block.said) {
            (BlockKind::Layout, _) => return,
            (BlockKind::Break, _) => {
                let at = self.around();
                let from = self.blocks[at].current.len();
                self.blocks[at].breaks.push((from, done.concat(), span));
                return;
            }
            (BlockKind::Alt, _) => ChartPartKind::Alt(done),
            (BlockKind::Par, _) => ChartPartKind::Par(done),
            (BlockKind::Opt, _) => ChartPartKind::Opt(done.concat()),
            (BlockKind::Loop, _) => ChartPartKind::Loop(block.times, done.concat()),
            (BlockKind::Group, Said::Not) => ChartPartKind::Not(done.concat()),
            (BlockKind::Group, Said::Read(reading)) => ChartPartKind::Read(reading, done.concat()),
            (BlockKind::Group, Said::Nothing) if done.len() > 1 => ChartPartKind::Alt(done),
            (BlockKind::Group, Said::Nothing) => {
                done.remove(0).into_iter().for_each(|part| self.push(part));
                return;
            }
        };
        let part = self.builder.chart_part(span.start as usize, kind, span.end as usize);
        self.push(part);
    }
}

/// `x = 3` as the event `x(3)`.
fn equation(label: &Piece) -> Option<Piece> {
    let (name, value) = label.split_once("=")?;
    let name = name.trim();
    if !is_name(name.text()) || value.text().starts_with(['=', '>']) {
        return None;
    }
    let value = value.trim();
    if value.is_empty() {
        return None;
    }
    let open = Piece::instead("(", &value.slice(0, 0));
    let close = Piece::instead(")", &value.from(value.text().len()));
    Some(Piece::joined(&[&name, &open, &value, &close]))
}

/// `ref Other`, `ref Other(3)`
fn is_use(text: &str) -> bool {
    let rest = text.strip_prefix("ref").unwrap_or_default().trim();
    let name = rest.find('(').map_or(rest, |at| rest[..at].trim_end());
    is_name(name)
}
