//! L4. Descriptions and chosen data of random models against enumeration.
//!
//! A model has one event with some parameters: options, constructors, records, lists and sets of few values. What is said of them is
//! read again here and compared with what the interpreter takes, for all values there are.

use std::collections::{BTreeMap, BTreeSet};

use tracewright::kernel::StepSystem;
use tracewright::solve::{Solver, Z3};
use tracewright::synth::{Choice, Description, Engine, Options, Wish, answer, with_data};
use tracewright::term::Value;

use super::random::Random;
use crate::questions::asked;

/// A type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Number,
    Truth,
    Colour,
    Shape,
    Point,
    Maybe,
    MaybeColour,
    Numbers,
    Members,
}

const DECLARATIONS: &str = "type Colour = Red | Green | Blue
type Shape = Dot | Circle(r: 0..2) | Box(w: 0..1, h: Bool)
type Point = { x: 0..1, y: 0..2 }
";

impl Kind {
    const ALL: [Kind; 9] = [
        Kind::Number,
        Kind::Truth,
        Kind::Colour,
        Kind::Shape,
        Kind::Point,
        Kind::Maybe,
        Kind::MaybeColour,
        Kind::Numbers,
        Kind::Members,
    ];

    fn text(self) -> &'static str {
        match self {
            Kind::Number => "0..2",
            Kind::Truth => "Bool",
            Kind::Colour => "Colour",
            Kind::Shape => "Shape",
            Kind::Point => "Point",
            Kind::Maybe => "Option<0..2>",
            Kind::MaybeColour => "Option<Colour>",
            Kind::Numbers => "List<0..1>",
            Kind::Members => "Set<0..2>",
        }
    }

    /// A condition on a value.
    fn condition(self, x: &str, random: &mut Random, depth: usize) -> String {
        if depth > 0 && random.rarely(4) {
            let op = *random.one(&["&&", "||"]);
            return format!("({} {op} {})", self.condition(x, random, depth - 1), self.condition(x, random, depth - 1));
        }
        if random.rarely(8) {
            return random.rng.bool().to_string();
        }
        let n = random.rng.i64(0..3);
        let sub = depth.saturating_sub(1);
        match self {
            Kind::Number => match random.rng.usize(..6) {
                4 => format!("(forall q in {x}..({x} + 1): q {} {n})", random.one(&["<", ">", "!="])),
                // Nobody looks at more than one choice of data here: how many loops there are is open.
                5 if random.rarely(4) => format!("(exists q in {x}..2: q == {n})"),
                0 => format!("({x} == {n})"),
                1 => format!("({x} != {n})"),
                2 => format!("({x} < {n})"),
                _ => format!("({x} == v)"),
            },
            Kind::Truth => random.one(&[x.to_owned(), format!("!({x})")]).clone(),
            Kind::Colour => format!("({x} {} {})", random.one(&["==", "!="]), ["Red", "Green", "Blue"][n as usize]),
            Kind::Shape => format!(
                "(match {x} {{ Dot => {}, Circle(n) => {}, Box(w, h) => {} }})",
                random.rng.bool(),
                Kind::Number.condition("n", random, sub),
                match random.rng.usize(..3) {
                    0 => Kind::Truth.condition("h", random, sub),
                    1 => Kind::Number.condition("w", random, sub),
                    _ => random.rng.bool().to_string(),
                }
            ),
            Kind::Point => match random.rng.usize(..3) {
                0 => Kind::Number.condition(&format!("{x}.x"), random, sub),
                1 => Kind::Number.condition(&format!("{x}.y"), random, sub),
                _ => format!("({x}.x <= {x}.y)"),
            },
            Kind::Maybe | Kind::MaybeColour => {
                let of = if self == Kind::Maybe { Kind::Number } else { Kind::Colour };
                match random.rng.usize(..4) {
                    0 => format!("({x} == None)"),
                    1 => format!("({x} != None)"),
                    _ => format!(
                        "(match {x} {{ None => {}, Some(n) => {} }})",
                        random.rng.bool(),
                        of.condition("n", random, sub)
                    ),
                }
            }
            Kind::Numbers => match random.rng.usize(..5) {
                0 => format!("(forall e in {x}: {})", Kind::Number.condition("e", random, sub)),
                1 => format!("(exists e in {x}: {})", Kind::Number.condition("e", random, sub)),
                2 => format!("(size({x}) {} {n})", random.one(&["==", "<=", ">=", "!="])),
                3 => format!("({x} {} [{}])", random.one(&["==", "!="]), n % 2),
                _ => format!("(size({x}) > 0 && head({x}) == {})", n % 2),
            },
            Kind::Members => match random.rng.usize(..4) {
                0 => format!("({n} in {x})"),
                1 => format!("!({n} in {x})"),
                2 => format!("(size({x}) {} {n})", random.one(&["==", "<=", ">="])),
                _ => format!("(forall e in {x}: {})", Kind::Number.condition("e", random, sub)),
            },
        }
    }

    /// Values as the harness of this test knows them; of lists those that are short.
    fn values(self) -> Vec<Data> {
        let numbers = |most: i64| (0..=most).map(Data::Number).collect::<Vec<_>>();
        let words = |all: &[&str]| all.iter().map(|word| Data::Made((*word).to_owned(), vec![])).collect::<Vec<_>>();
        let some = |of: Vec<Data>| {
            let some = of.into_iter().map(|one| Data::Made("Some".to_owned(), vec![one]));
            words(&["None"]).into_iter().chain(some).collect::<Vec<_>>()
        };
        let truths = || vec![Data::Truth(false), Data::Truth(true)];
        match self {
            Kind::Number => numbers(2),
            Kind::Truth => truths(),
            Kind::Colour => words(&["Red", "Green", "Blue"]),
            Kind::Shape => {
                let circles = numbers(2).into_iter().map(|r| Data::Made("Circle".to_owned(), vec![r]));
                let boxes = numbers(1).into_iter().flat_map(|w| truths().into_iter().map(move |h| vec![w.clone(), h]));
                let boxes = boxes.map(|args| Data::Made("Box".to_owned(), args));
                words(&["Dot"]).into_iter().chain(circles).chain(boxes).collect()
            }
            Kind::Point => numbers(1)
                .into_iter()
                .flat_map(|x| numbers(2).into_iter().map(move |y| Data::Made("Point".to_owned(), vec![x.clone(), y])))
                .collect(),
            Kind::Maybe => some(numbers(2)),
            Kind::MaybeColour => some(words(&["Red", "Green", "Blue"])),
            Kind::Numbers => {
                let mut all = vec![vec![]];
                for length in 0..3 {
                    let longer =
                        |one: &Vec<Data>| numbers(1).into_iter().map(|n| [&one[..], &[n]].concat()).collect::<Vec<_>>();
                    let more: Vec<Vec<Data>> = all.iter().filter(|one| one.len() == length).flat_map(longer).collect();
                    all.extend(more);
                }
                all.into_iter().map(Data::List).collect()
            }
            Kind::Members => (0..8)
                .map(|mask: i64| Data::Set((0..3).filter(|n| mask >> n & 1 == 1).map(Data::Number).collect()))
                .collect(),
        }
    }
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Data {
    Number(i64),
    Truth(bool),
    Made(String, Vec<Data>),
    List(Vec<Data>),
    Set(BTreeSet<Data>),
}

impl Data {
    fn of(value: &Value, system: &StepSystem) -> Data {
        match value {
            Value::Int(n) => Data::Number(i64::try_from(n).expect("a small number")),
            Value::Bool(truth) => Data::Truth(*truth),
            Value::Data(ty, constructor, args) => {
                let name = system.definitions.constructor_name(*ty, *constructor).to_owned();
                Data::Made(name, args.iter().map(|arg| Data::of(arg, system)).collect())
            }
            Value::List(list) => Data::List(list.iter().map(|one| Data::of(one, system)).collect()),
            Value::Set(set) => Data::Set(set.iter().map(|one| Data::of(one, system)).collect()),
            other => panic!("{other:?} is of no kind here"),
        }
    }

    /// As the language writes it.
    fn text(&self) -> String {
        let each = |all: &mut dyn Iterator<Item = &Data>| all.map(Data::text).collect::<Vec<_>>().join(", ");
        match self {
            Data::Number(n) => n.to_string(),
            Data::Truth(truth) => truth.to_string(),
            Data::Made(name, args) if name == "Point" => format!("Point(x: {}, y: {})", args[0].text(), args[1].text()),
            Data::Made(name, args) if args.is_empty() => name.clone(),
            Data::Made(name, args) => format!("{name}({})", each(&mut args.iter())),
            Data::List(list) => format!("[{}]", each(&mut list.iter())),
            Data::Set(set) => format!("{{{}}}", each(&mut set.iter())),
        }
    }
}

/// Values by the names that descriptions give them.
type Names = BTreeMap<String, Data>;

fn named(place: &str, value: &Data, names: &mut Names) {
    names.insert(format!("{place}@1"), value.clone());
    match value {
        Data::Made(name, args) => {
            let fields: &[&str] = match name.as_str() {
                "Circle" => &["r"],
                "Box" => &["w", "h"],
                "Point" => &["x", "y"],
                "Some" => &[""],
                _ => &[],
            };
            for (field, arg) in fields.iter().zip(args) {
                match *field {
                    "" => drop(names.insert(format!("{place}.value@1"), arg.clone())),
                    field => named(&format!("{place}.{field}"), arg, names),
                }
            }
        }
        Data::List(list) => {
            names.insert(format!("size({place}@1)"), Data::Number(list.len() as i64));
            list.iter().enumerate().for_each(|(n, one)| named(&format!("{place}[{n}]"), one, names));
        }
        Data::Set(set) => drop(names.insert(format!("size({place}@1)"), Data::Number(set.len() as i64))),
        _ => {}
    }
}

/// What cannot be read here.
struct Unread;

/// Splits at a word outside of brackets.
fn split<'t>(text: &'t str, word: &str) -> Vec<&'t str> {
    let (mut out, mut depth, mut start, mut at) = (vec![], 0, 0, 0);
    while let Some(c) = text[at..].chars().next() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 && text[at..].starts_with(word) {
            out.push(&text[start..at]);
            at += word.len();
            start = at;
        } else {
            at += c.len_utf8();
        }
    }
    out.push(&text[start..]);
    out
}

fn alternatives(text: &str) -> Vec<&str> {
    split(text, " or ").into_iter().flat_map(|part| split(part, ", ")).collect()
}

/// Whether a value is what is said.
fn fits(text: &str, value: &Data, names: &Names) -> Result<bool, Unread> {
    if text == "_" {
        return Ok(true);
    }
    let size = match value {
        Data::List(list) => Some(list.len()),
        Data::Set(set) => Some(set.len()),
        _ => None,
    };
    if let Some(size) = size.filter(|_| !split(text, "element")[1..].is_empty()) {
        let (count, each) = match text.split_once(", each ") {
            Some((count, each)) => (count, each),
            None => (text, "_"),
        };
        let members: Vec<&Data> = match value {
            Data::List(list) => list.iter().collect(),
            Data::Set(set) => set.iter().collect(),
            _ => unreachable!("it has a size"),
        };
        for member in members {
            if !fits(each, member, names)? {
                return Ok(false);
            }
        }
        let words: Vec<&str> = count.split(' ').collect();
        let number = |text: &str| text.trim_end_matches(',').parse::<usize>().map_err(|_| Unread);
        return Ok(match words[..] {
            ["any", "number", ..] => true,
            ["at", "least", n, _] => size >= number(n)?,
            ["at", "most", n, _] => size <= number(n)?,
            [low, "to", high, _] => number(low)? <= size && size <= number(high)?,
            [ref some @ .., "element" | "elements"] => {
                let some: Result<Vec<usize>, Unread> =
                    some.iter().filter(|word| **word != "or").map(|word| number(word)).collect();
                some?.contains(&size)
            }
            _ => return Err(Unread),
        });
    }
    if let Some(others) = text.strip_prefix("not ") {
        for other in alternatives(others) {
            if fits_one(other, value, names)? {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    for one in alternatives(text) {
        if fits_one(one, value, names)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn fits_one(text: &str, value: &Data, names: &Names) -> Result<bool, Unread> {
    if text == "_" {
        return Ok(true);
    }
    if let Some(known) = names.get(text) {
        return Ok(known == value);
    }
    if text.contains('@') && !text.contains(['(', '[', '{']) {
        // A name of something that is not there.
        return Err(Unread);
    }
    match value {
        Data::Number(n) => {
            let number = |text: &str| text.parse::<i64>().map_err(|_| Unread);
            if let Some((low, high)) = text.split_once("..") {
                return Ok(number(low)? <= *n && *n <= number(high)?);
            }
            Ok(match text.split_once(' ') {
                Some(("<", end)) => *n < number(end)?,
                Some(("<=", end)) => *n <= number(end)?,
                Some((">", end)) => *n > number(end)?,
                Some((">=", end)) => *n >= number(end)?,
                Some(_) => return Err(Unread),
                None => number(text)? == *n,
            })
        }
        Data::Truth(truth) => match text {
            "true" | "false" => Ok(*truth == (text == "true")),
            _ => Err(Unread),
        },
        Data::Made(name, args) => {
            let Some((made, inside)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) else {
                return Ok(name == text && args.is_empty());
            };
            let parts = split(inside, ", ");
            if made != name {
                return Ok(false);
            }
            if parts.len() != args.len() {
                return Err(Unread);
            }
            for (part, arg) in parts.into_iter().zip(args) {
                let part = if name == "Point" { part.split_once(": ").ok_or(Unread)?.1 } else { part };
                if !fits(part, arg, names)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Data::List(list) => {
            let inside = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).ok_or(Unread)?;
            let mut parts = if inside.is_empty() { vec![] } else { split(inside, ", ") };
            let is_open = parts.last() == Some(&"..");
            if is_open {
                parts.pop();
            }
            if if is_open { list.len() < parts.len() } else { list.len() != parts.len() } {
                return Ok(false);
            }
            for (part, one) in parts.into_iter().zip(list) {
                if !fits(part, one, names)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Data::Set(set) => {
            let inside = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).ok_or(Unread)?;
            let parts = if inside.is_empty() { vec![] } else { split(inside, ", ") };
            let members: Vec<&Data> = set.iter().collect();
            made_of(&parts, &members, &mut vec![false; members.len()], names)
        }
    }
}

/// Whether each part can be a member, so that every member is one of them.
fn made_of(parts: &[&str], members: &[&Data], used: &mut Vec<bool>, names: &Names) -> Result<bool, Unread> {
    let Some((part, rest)) = parts.split_first() else { return Ok(used.iter().all(|used| *used)) };
    for place in 0..members.len() {
        if fits(part, members[place], names)? {
            let before = std::mem::replace(&mut used[place], true);
            if made_of(rest, members, used, names)? {
                return Ok(true);
            }
            used[place] = before;
        }
    }
    Ok(false)
}

/// Whether a relation holds.
fn holds(text: &str, names: &Names) -> Result<bool, Unread> {
    for (word, all) in [(" or ", false), (" and ", true)] {
        let parts = split(text, word);
        if parts.len() > 1 {
            for part in parts {
                if holds(part, names)? != all {
                    return Ok(!all);
                }
            }
            return Ok(all);
        }
    }
    if let Some(inside) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
        return holds(inside, names);
    }
    let constructor = |name: &str| match names.get(name) {
        Some(Data::Made(made, _)) => Ok(made.as_str()),
        _ => Err(Unread),
    };
    if let Some((name, made)) = text.split_once(" is not ") {
        return Ok(constructor(name)? != made);
    }
    if let Some((name, made)) = text.split_once(" is ").filter(|(_, made)| made.starts_with(char::is_uppercase)) {
        return Ok(constructor(name)? == made);
    }
    for (word, wanted) in [(" does not contain ", false), (" contains ", true)] {
        if let Some((name, member)) = text.split_once(word) {
            let member = Data::Number(member.parse().map_err(|_| Unread)?);
            return match names.get(name) {
                Some(Data::Set(set)) => Ok(set.contains(&member) == wanted),
                Some(Data::List(list)) => Ok(list.contains(&member) == wanted),
                _ => Err(Unread),
            };
        }
    }
    for word in [" <= ", " >= ", " == ", " != ", " < ", " > "] {
        if let [left, right] = split(text, word)[..] {
            let all = [left, right].map(|side| {
                let number = side.parse().ok().map(Data::Number);
                let made = side.starts_with(char::is_uppercase).then(|| Data::Made(side.to_owned(), vec![]));
                let truth = side.parse().ok().map(Data::Truth);
                names.get(side).cloned().or(number).or(truth).or(made)
            });
            let [Some(a), Some(b)] = all else { return Err(Unread) };
            return Ok(match word {
                " <= " => a <= b,
                " >= " => a >= b,
                " == " => a == b,
                " != " => a != b,
                " < " => a < b,
                _ => a > b,
            });
        }
    }
    Err(Unread)
}

/// Whether data is as described.
fn is_described(description: &Description, data: &[Data]) -> Result<bool, Unread> {
    let mut names = Names::new();
    for (said, value) in description.inputs.iter().zip(data) {
        named(&said.name, value, &mut names);
    }
    for (said, value) in description.inputs.iter().zip(data) {
        if !fits(&said.text, value, &names)? {
            return Ok(false);
        }
    }
    for relation in &description.relations {
        if !holds(relation, &names)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// All combinations of values.
fn tuples(kinds: &[Kind]) -> Vec<Vec<Data>> {
    kinds.iter().fold(vec![vec![]], |rows, kind| {
        let longer =
            |row: &Vec<Data>| kind.values().into_iter().map(|value| [&row[..], &[value]].concat()).collect::<Vec<_>>();
        rows.iter().flat_map(longer).collect()
    })
}

struct Asking {
    text: String,
    kinds: Vec<Kind>,
}

impl Asking {
    fn random(random: &mut Random) -> Asking {
        let kinds: Vec<Kind> = (0..random.rng.usize(1..3)).map(|_| *random.one(&Kind::ALL)).collect();
        let mut conditions: Vec<String> =
            kinds.iter().enumerate().map(|(n, kind)| kind.condition(&format!("p{n}"), random, 2)).collect();
        if kinds.len() > 1 && random.rarely(6) {
            let either: Vec<String> =
                kinds.iter().enumerate().map(|(n, kind)| kind.condition(&format!("p{n}"), random, 0)).collect();
            conditions.push(format!("({})", either.join(" || ")));
        }
        let params: Vec<String> = kinds.iter().enumerate().map(|(n, kind)| format!("p{n}: {}", kind.text())).collect();
        let names: Vec<String> = (0..kinds.len()).map(|n| format!("p{n}")).collect();
        let text = format!(
            "{DECLARATIONS}sts M {{\n  in g({})\n  var v: Int = {}\n  initial location A\n  location B\n  A -> B : go ?g({}) when {}\n}}\npurpose p for M {{ member(go) on fired }}\n",
            params.join(", "),
            random.rng.i64(0..3),
            names.join(", "),
            conditions.join(" && "),
        );
        Asking { text, kinds }
    }

    /// Compares; an error says what is wrong. What came of it: whether there was a case, and whether its description was read.
    fn compared(&self, random: &mut Random) -> Result<(bool, bool), String> {
        let asked = asked(&self.text);
        let solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
        let engine = *random.one(&[Engine::Auto, Engine::Symbolic, Engine::Unrolled]);
        let options = Options { engine, ..Options::new(&solver) };
        let answered = answer(&asked.system, &asked.lists, &asked.purpose, &options, &mut ()).expect("no disagreement");
        let system = &asked.system;
        let all = tuples(&self.kinds);
        let initial = system.initial(&[]);
        // The interpreter is asked about all values, one after the other.
        let is_taken = |data: &[Data]| {
            let values: Vec<Value> = data
                .iter()
                .zip(&system.joints[0].params)
                .map(|(one, (_, types))| value(one, &types[0], system))
                .collect();
            !system.steps(0, &initial, &values).expect("no limit").is_empty()
        };
        let taken: Vec<bool> = all.iter().map(|data| is_taken(data)).collect();
        let said = |why: String| format!("{why}\n{}", self.text);
        let [case] = &answered.cases[..] else {
            // Longer lists may be taken.
            let is_any = taken.contains(&true) && answered.answer == tracewright::synth::Answer::Impossible;
            return if is_any {
                Err(said("impossible, and some data is taken".to_owned()))
            } else {
                Ok((false, false))
            };
        };
        let mut is_read = case.description.gap.is_none();
        for (data, is_taken) in all.iter().zip(&taken).filter(|_| case.description.gap.is_none()) {
            match is_described(&case.description, data) {
                Ok(is_described) if is_described == *is_taken => {}
                Ok(is_described) => {
                    let texts: Vec<String> = data.iter().map(Data::text).collect();
                    let lines = case.description.lines();
                    return Err(said(format!("{lines:?}: {} is described: {is_described}", texts.join(", "))));
                }
                Err(Unread) => {
                    is_read = false;
                    break;
                }
            }
        }
        let inside: BTreeSet<&Vec<Data>> =
            all.iter().zip(&taken).filter(|(_, taken)| **taken).map(|(d, _)| d).collect();
        let has_lists = self.kinds.contains(&Kind::Numbers);
        // All lists up to some length are very many.
        let most = if has_lists { 0 } else { 1 };
        let choices = [Choice::Boundary, Choice::Pairwise, Choice::Random(40)]
            .into_iter()
            .chain([Choice::Exhaustive].into_iter().take(most));
        for choice in choices {
            let wish = Wish { data: choice, negative: random.rarely(2) };
            let chosen = with_data(answered.clone(), &asked, wish, &options).expect("whatever is chosen is followed");
            let mut met: BTreeSet<Vec<Data>> = BTreeSet::new();
            // What is sent and shown, then what is refused.
            let mut tests: BTreeSet<[Vec<&[Value]>; 2]> = BTreeSet::new();
            for case in &chosen.cases {
                let refused = case.origin.as_ref().and_then(|origin| origin.refused.as_ref());
                let steps = case.run.steps.iter().map(|step| &step.data[..]).collect();
                let refused = refused.map(|refused| &refused.data[..]).into_iter().collect();
                if !tests.insert([steps, refused]) {
                    return Err(said(format!("{wish:?}: {:?} comes twice", case.run)));
                }
                let origin = case.origin.as_ref().expect("where the data comes from");
                let of = |data: &[Value]| data.iter().map(|value| Data::of(value, system)).collect::<Vec<_>>();
                match (&origin.refused, case.run.steps.first()) {
                    (Some(refused), None) if is_taken(&of(&refused.data)) => {
                        return Err(said(format!("{choice:?}: {:?} is refused", refused.data)));
                    }
                    (None, Some(step)) => {
                        met.insert(of(&step.data));
                    }
                    _ => {}
                }
            }
            if met.is_empty() {
                return Err(said(format!("{wish:?}: nothing meets the purpose")));
            }
            for data in &met {
                if !is_taken(data) {
                    return Err(said(format!("{choice:?}: {data:?} is not taken")));
                }
            }
            if has_lists || case.description.gap.is_some() {
                continue;
            }
            let pairs: Vec<Vec<usize>> = match (choice, self.kinds.len()) {
                (Choice::Pairwise, 2) => vec![vec![0, 1]],
                _ => (0..self.kinds.len()).map(|place| vec![place]).collect(),
            };
            for places in pairs {
                let of = |data: &Vec<Data>| places.iter().map(|place| data[*place].clone()).collect::<Vec<_>>();
                let wanted: BTreeSet<Vec<Data>> = inside.iter().map(|data| of(data)).collect();
                let there: BTreeSet<Vec<Data>> = met.iter().map(of).collect();
                let few = |place: &usize| inside.iter().map(|data| &data[*place]).collect::<BTreeSet<_>>().len() <= 5;
                let of_constructors = |all: &BTreeSet<Vec<Data>>| -> BTreeSet<String> {
                    let name = |data: &Vec<Data>| match &data[0] {
                        Data::Made(name, _) => name.clone(),
                        Data::Truth(truth) => truth.to_string(),
                        _ => String::new(),
                    };
                    all.iter().map(name).collect()
                };
                let is_complete = match choice {
                    Choice::Exhaustive => met.iter().collect::<BTreeSet<_>>() == inside,
                    Choice::Pairwise => !places.iter().all(few) || there == wanted,
                    _ => of_constructors(&there) == of_constructors(&wanted),
                };
                if !is_complete {
                    let missing: Vec<&Vec<Data>> = wanted.difference(&there).collect();
                    return Err(said(format!("{choice:?}: parameters {places:?} lack {missing:?}")));
                }
            }
        }
        Ok((true, is_read))
    }
}

/// A value of a type.
fn value(data: &Data, ty: &tracewright::term::Type, system: &StepSystem) -> Value {
    use tracewright::term::{Definitions, Type};
    let several = |all: &mut dyn Iterator<Item = &Data>, ty: &Type| -> Vec<Value> {
        all.map(|one| value(one, ty, system)).collect()
    };
    match (data, ty) {
        (Data::Number(n), _) => Value::int(*n),
        (Data::Truth(truth), _) => Value::Bool(*truth),
        (Data::Made(name, args), Type::Option(of)) => {
            Value::Data(Definitions::OPTION, u32::from(name == "Some"), several(&mut args.iter(), of).into())
        }
        (Data::Made(name, args), Type::Data(id)) => {
            let constructors = &system.definitions.types[*id].constructors;
            let place = constructors.iter().position(|one| one.name == *name).expect("a constructor");
            let args = args.iter().zip(&constructors[place].fields).map(|(arg, (_, ty))| value(arg, ty, system));
            Value::Data(*id, place as u32, args.collect())
        }
        (Data::List(list), Type::List(of)) => Value::List(several(&mut list.iter(), of).into()),
        (Data::Set(set), Type::Set(of)) => {
            Value::Set(std::sync::Arc::new(several(&mut set.iter(), of).into_iter().collect()))
        }
        (data, ty) => panic!("{data:?} is no value of {ty:?}"),
    }
}

#[test]
fn what_is_said_and_chosen_is_what_is_taken() {
    let most = super::questions(30);
    let (mut found, mut read) = (0, 0);
    let mut wrong: Vec<String> = vec![];
    for question in 0..most {
        let seed = super::seed(52, question);
        let mut random = Random::new(seed);
        let asking = Asking::random(&mut random);
        match asking.compared(&mut random) {
            Ok((is_found, is_read)) => {
                found += u64::from(is_found);
                read += u64::from(is_read);
            }
            Err(why) => wrong.push(format!("seed {seed}: {why}")),
        }
    }
    println!("{most} models, {found} with data, {read} described in words that are read here");
    wrong.sort_by_key(String::len);
    let count = wrong.len();
    wrong.truncate(5);
    assert!(wrong.is_empty(), "{count} of {most} are wrong, the shortest are\n{}", wrong.join("\n"));
    assert!(found * 2 > most && read * 2 > found, "enough was compared");
}
