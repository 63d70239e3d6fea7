//! What is still to be shown: a formula over rule instances in a normal form, so that equal obligations are equal values.

use super::rule::Instance;
use crate::term::Value;

/// A formula over rule instances. Built by its functions only: parts are sorted, different, and nothing in them is decided.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Live<A> {
    /// Holds, or fails, whatever follows.
    Decided(bool),
    /// An instance, or its contrary.
    Rule(Instance<A>, bool),
    /// All of them.
    All(Vec<Live<A>>),
    /// One of them.
    Any(Vec<Live<A>>),
}

impl<A: Clone + Ord> Live<A> {
    /// All of the parts.
    pub fn all(parts: impl IntoIterator<Item = Live<A>>) -> Live<A> {
        Live::junction(parts, true)
    }

    /// One of the parts.
    pub fn any(parts: impl IntoIterator<Item = Live<A>>) -> Live<A> {
        Live::junction(parts, false)
    }

    fn junction(parts: impl IntoIterator<Item = Live<A>>, all: bool) -> Live<A> {
        let mut flat: Vec<Live<A>> = vec![];
        for part in parts {
            match part {
                Live::Decided(truth) if truth == all => {}
                Live::Decided(_) => return Live::Decided(!all),
                Live::All(inner) if all => flat.extend(inner),
                Live::Any(inner) if !all => flat.extend(inner),
                other => flat.push(other),
            }
        }
        flat.sort();
        flat.dedup();
        let clash = flat.iter().any(|part| matches!(part, Live::Rule(..)) && flat.binary_search(&part.not()).is_ok());
        if clash {
            return Live::Decided(!all);
        }
        // `a and (a or b)` is `a`.
        let absorbed = |part: &Live<A>| {
            let inner = match part {
                Live::Any(inner) if all => inner,
                Live::All(inner) if !all => inner,
                _ => return false,
            };
            inner.iter().any(|i| flat.binary_search(i).is_ok())
        };
        let kept: Vec<Live<A>> = flat.iter().filter(|part| !absorbed(part)).cloned().collect();
        match kept.len() {
            0 => Live::Decided(all),
            1 => kept.into_iter().next().unwrap_or(Live::Decided(all)),
            _ if all => Live::All(kept),
            _ => Live::Any(kept),
        }
    }

    /// The contrary.
    pub fn not(&self) -> Live<A> {
        match self {
            Live::Decided(truth) => Live::Decided(!truth),
            Live::Rule(instance, positive) => Live::Rule(instance.clone(), !positive),
            Live::All(parts) => Live::any(parts.iter().map(Live::not)),
            Live::Any(parts) => Live::all(parts.iter().map(Live::not)),
        }
    }

    /// The formula with every argument changed.
    pub fn map<B: Clone + Ord>(&self, f: &mut dyn FnMut(&A) -> B) -> Live<B> {
        match self {
            Live::Decided(truth) => Live::Decided(*truth),
            Live::Rule(Instance { rule, lists, args }, positive) => {
                let args = args.iter().map(f).collect();
                Live::Rule(Instance { rule: *rule, lists: lists.clone(), args }, *positive)
            }
            Live::All(parts) => Live::all(parts.iter().map(|part| part.map(f))),
            Live::Any(parts) => Live::any(parts.iter().map(|part| part.map(f))),
        }
    }

    /// Calls `f` with every argument.
    pub fn each_arg(&self, f: &mut dyn FnMut(&A)) {
        match self {
            Live::Decided(_) => {}
            Live::Rule(instance, _) => instance.args.iter().for_each(f),
            Live::All(parts) | Live::Any(parts) => parts.iter().for_each(|part| part.each_arg(f)),
        }
    }
}

impl Live<Value> {
    /// How many elements the values of all arguments have.
    pub fn elements(&self) -> usize {
        let mut count = 0;
        self.each_arg(&mut |value| count += value.elements());
        count
    }
}
