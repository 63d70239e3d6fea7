//! Files and declarations, and what all blocks have in common.

use std::ops::Range;

use super::Printer;
use super::doc::{Brackets, Doc, Gap, Hang, Line, STEP, WIDTH, width};
use super::expr::{level, quoted};
use crate::Span;
use crate::tree::*;

impl Printer<'_> {
    /// All items. A blank line stands around those of several lines.
    pub(super) fn file(&self, items: &[Item]) -> Vec<Line> {
        let mut lines: Vec<Line> = vec![];
        let mut last_is_long = false;
        for item in items {
            let mut printed = self.item(item);
            let long = printed.len() > 1;
            if let Some(first) = printed.first_mut() {
                let wanted = !lines.is_empty() && (long || last_is_long);
                first.gap = if wanted { Gap::Wanted } else { Gap::Kept };
            }
            lines.append(&mut printed);
            last_is_long = long;
        }
        lines
    }

    fn item(&self, item: &Item) -> Vec<Line> {
        let doc = match item {
            Item::Import(import) => Doc::from(format!("import {}", quoted(&import.path))),
            Item::Const(decl) => {
                self.led(Doc::from(format!("const {}{} =", decl.name.name, self.ascribed(&decl.ty))), &decl.value)
            }
            Item::Type(decl) => self.type_decl(decl),
            Item::Fun(decl) => {
                let head = Doc::from(format!("fun {}", decl.name.name)).then(self.param_list(&decl.params));
                self.led(head.then(format!(": {} =", self.ty(&decl.result))), &decl.body)
            }
            Item::Pool(pool) => self.pool(pool),
            Item::Composition(composition) => self.composition(composition),
            Item::Machine(machine) => return self.machine(machine),
            Item::System(system) => return self.system(system),
            Item::Service(service) => return self.service(service),
            Item::Purpose(purpose) => return self.purpose(purpose),
            Item::Rule(rule) => return self.rule(rule),
            Item::Chart(chart) => return self.chart(chart),
            Item::Scenario(scenario) => return self.scenario(scenario),
        };
        doc.lines(0, Gap::Kept)
    }

    fn pool(&self, pool: &Pool) -> Doc {
        let path: Vec<&str> = pool.path.iter().map(|name| name.name.as_str()).collect();
        let entry = |entry: &PoolEntry| {
            let values = self.over(&entry.values);
            match &entry.weight {
                Some(weight) => (
                    self.notes.places(entry.values.span.to(weight.span)),
                    values.then(": ").then(self.expr(weight, level::SUM)),
                ),
                None => (self.notes.places(entry.values.span), values),
            }
        };
        let head = Doc::from(format!("data {} ", path.join(".")));
        head.then(self.list(Brackets::BLOCK, pool.entries.iter().map(entry)))
    }

    fn type_decl(&self, decl: &TypeDecl) -> Doc {
        let head = format!("type {} =", decl.name.name);
        match &decl.body {
            TypeBody::Alias { base, refinement: None } => Doc::from(format!("{head} {}", self.ty(base))),
            TypeBody::Alias { base, refinement: Some(condition) } => {
                self.led(Doc::from(format!("{head} {} where", self.ty(base))), condition)
            }
            TypeBody::Record(fields) => {
                let fields = fields.iter().map(|field| self.field(field));
                Doc::from(head).then(" ").then(self.list(Brackets::BLOCK, fields))
            }
            TypeBody::Variants(variants) => self.variants(head, variants),
        }
    }

    /// Constructors on one line with bars between them, or each on its own line behind a bar.
    fn variants(&self, head: String, variants: &[Variant]) -> Doc {
        let barred = |bar: &str, variant: &Variant| {
            (self.notes.place(variant.span.start), Doc::from(bar).then(self.variant(variant)))
        };
        // A single plain constructor without a bar would be the name of a type.
        let lonely = matches!(variants, [only] if only.fields.is_empty());
        let mut flat = Doc::from(head.as_str());
        for (i, variant) in variants.iter().enumerate() {
            flat = flat.then(barred(if i == 0 && !lonely { " " } else { " | " }, variant).1);
        }
        let broken = self.chain(Doc::from(head), variants.iter().map(|v| barred("| ", v)).collect(), Hang::By(STEP));
        if flat.fits(0) && !broken.forced { flat } else { broken }
    }

    fn variant(&self, variant: &Variant) -> Doc {
        let name = Doc::from(variant.name.name.as_str());
        if variant.fields.is_empty() {
            return name;
        }
        let field = |field: &VariantField| match &field.name {
            Some(name) => (
                self.notes.places(name.span.to(field.ty.span)),
                Doc::from(format!("{}: {}", name.name, self.ty(&field.ty))),
            ),
            None => (self.notes.places(field.ty.span), Doc::from(self.ty(&field.ty))),
        };
        name.then(self.list(Brackets::ROUND, variant.fields.iter().map(field)))
    }

    /// `name: type`
    pub(super) fn field(&self, field: &Field) -> (Range<usize>, Doc) {
        (
            self.notes.places(field.name.span.to(field.ty.span)),
            Doc::from(format!("{}: {}", field.name.name, self.ty(&field.ty))),
        )
    }

    /// `: type`, if there is one.
    pub(super) fn ascribed(&self, ty: &Option<TypeExpr>) -> String {
        ty.as_ref().map_or_else(String::new, |ty| format!(": {}", self.ty(ty)))
    }

    /// Parameters in parentheses.
    fn param_list(&self, params: &[Param]) -> Doc {
        let param = |param: &Param| {
            let doc = Doc::from(format!("{}{}", param.name.name, self.ascribed(&param.ty)));
            let span = param.ty.as_ref().map_or(param.name.span, |ty| param.name.span.to(ty.span));
            match &param.default {
                Some(default) => (self.notes.places(span.to(default.span)), self.led(doc.then(" ="), default)),
                None => (self.notes.places(span), doc),
            }
        };
        self.list(Brackets::ROUND, params.iter().map(param))
    }

    /// `word name(params)`; no parentheses if there are no parameters.
    pub(super) fn head(&self, word: &str, name: &Ident, params: &[Param]) -> Doc {
        let head = Doc::from(format!("{word} {}", name.name));
        if params.is_empty() { head } else { head.then(self.param_list(params)) }
    }

    /// `Model(args)`; no parentheses if there are no arguments.
    pub(super) fn model_use(&self, model: &ModelUse) -> Doc {
        let name = Doc::from(model.name.name.as_str());
        if model.args.is_empty() { name } else { name.then(self.args(&model.args)) }
    }

    /// A head, members in braces. `span` ends with the closing brace.
    pub(super) fn block(&self, head: Doc, members: Vec<Line>, span: Span, indent: usize) -> Vec<Line> {
        let inside = self.notes.place(span.end).saturating_sub(1);
        if members.is_empty() && !self.notes.break_at(inside) {
            return head.then(" {}").lines(indent, Gap::Kept);
        }
        let mut lines = head.then(" {").lines(indent, Gap::Kept);
        lines.extend(members);
        lines.push(Line { indent, text: "}".to_owned(), gap: Gap::Never });
        lines
    }

    /// Rows with aligned cells, as far as they follow each other directly and fit into their lines.
    pub(super) fn table(&self, rows: Vec<Row>, indent: usize) -> Vec<Line> {
        let mut groups: Vec<Vec<Row>> = vec![];
        for row in rows {
            match groups.last_mut() {
                Some(group) if group.last().is_some_and(|above| self.notes.adjacent(above.span, row.span)) => {
                    group.push(row);
                }
                _ => groups.push(vec![row]),
            }
        }
        groups.iter().flat_map(|group| aligned(group, indent).unwrap_or_else(|| loose(group, indent))).collect()
    }
}

/// A member of a block that is aligned with its neighbours.
pub(super) struct Row {
    pub span: Span,
    /// The columns.
    pub cells: Vec<String>,
    /// The member on its own.
    pub alone: Doc,
}

/// The rows of a group with padded cells; none if a line would get too long.
fn aligned(group: &[Row], indent: usize) -> Option<Vec<Line>> {
    let columns = group.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|column| group.iter().filter_map(|row| row.cells.get(column)).map(|cell| width(cell)).max().unwrap_or(0))
        .collect();
    let mut lines = vec![];
    for row in group {
        let mut text = String::new();
        for (cell, width) in row.cells.iter().zip(&widths).filter(|(_, width)| **width > 0) {
            text.push_str(cell);
            text.push_str(&" ".repeat(width.saturating_sub(cell.chars().count()) + 1));
        }
        text.truncate(text.trim_end().len());
        if row.alone.forced || indent + width(&text) > WIDTH {
            return None;
        }
        lines.push(Line { indent, text, gap: Gap::Kept });
    }
    Some(lines)
}

fn loose(group: &[Row], indent: usize) -> Vec<Line> {
    group.iter().flat_map(|row| row.alone.lines(indent, Gap::Kept)).collect()
}
