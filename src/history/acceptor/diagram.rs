//! Boolean functions in a canonical form: equal functions are equal numbers.
//!
//! A function tests its variables in the order of their numbers; what is tested next, and what comes out, is shared.

use rustc_hash::FxHashMap;

use super::explore::TooLarge;

/// Most different functions, and most choices between them that are remembered.
const MAX_SIZE: (usize, usize) = (1_000_000, 4_000_000);

/// A Boolean function of some [`Diagrams`].
pub(super) type Function = u32;

/// The function that is never true.
pub(super) const FALSE: Function = 0;
/// The function that is always true.
pub(super) const TRUE: Function = 1;

/// Functions that share their parts.
pub(super) struct Diagrams {
    /// The variable that is tested, and what is left if it is true and if it is not. The first two are the constants.
    tests: Vec<(u32, Function, Function)>,
    numbers: FxHashMap<(u32, Function, Function), Function>,
    chosen: FxHashMap<(Function, Function, Function), Function>,
    /// Whether there are too many functions: from then on all answers are wrong.
    is_full: bool,
}

impl Diagrams {
    pub fn new() -> Diagrams {
        let constant = (u32::MAX, 0, 0);
        let tests = vec![constant, constant];
        Diagrams { tests, numbers: FxHashMap::default(), chosen: FxHashMap::default(), is_full: false }
    }

    fn test(&mut self, variable: u32, yes: Function, no: Function) -> Function {
        if yes == no {
            return yes;
        }
        *self.numbers.entry((variable, yes, no)).or_insert_with(|| {
            self.tests.push((variable, yes, no));
            (self.tests.len() - 1) as Function
        })
    }

    /// The first variable a function tests; a number beyond all others for constants.
    pub fn first(&self, f: Function) -> u32 {
        self.tests[f as usize].0
    }

    /// What is left of a function if a variable, at most its first, is true, and if it is not.
    pub fn parts(&self, f: Function, variable: u32) -> (Function, Function) {
        let (first, yes, no) = self.tests[f as usize];
        if first == variable { (yes, no) } else { (f, f) }
    }

    /// Whether all functions so far are what they should be. To be asked before anything is concluded from one, and in every
    /// round of what goes on until nothing changes.
    pub fn fits(&self) -> Result<(), TooLarge> {
        if self.is_full { Err(TooLarge) } else { Ok(()) }
    }

    /// The function that is true if the variable is.
    pub fn variable(&mut self, variable: usize) -> Function {
        self.test(variable as u32, TRUE, FALSE)
    }

    pub fn constant(&self, truth: bool) -> Function {
        if truth { TRUE } else { FALSE }
    }

    /// The second function where the first is true, the third one elsewhere.
    pub fn choose(&mut self, f: Function, yes: Function, no: Function) -> Function {
        match (f, yes, no) {
            (TRUE, ..) => return yes,
            (FALSE, ..) => return no,
            (_, TRUE, FALSE) => return f,
            _ if yes == no => return yes,
            _ => {}
        }
        if let Some(known) = self.chosen.get(&(f, yes, no)) {
            return *known;
        }
        self.is_full |= self.tests.len() > MAX_SIZE.0 || self.chosen.len() > MAX_SIZE.1;
        if self.is_full {
            return FALSE;
        }
        let variable = self.first(f).min(self.first(yes)).min(self.first(no));
        let (f1, f0) = self.parts(f, variable);
        let (yes1, yes0) = self.parts(yes, variable);
        let (no1, no0) = self.parts(no, variable);
        let (one, other) = (self.choose(f1, yes1, no1), self.choose(f0, yes0, no0));
        let result = self.test(variable, one, other);
        self.chosen.insert((f, yes, no), result);
        result
    }

    pub fn not(&mut self, f: Function) -> Function {
        self.choose(f, FALSE, TRUE)
    }

    pub fn and(&mut self, f: Function, g: Function) -> Function {
        self.choose(f, g, FALSE)
    }

    pub fn or(&mut self, f: Function, g: Function) -> Function {
        self.choose(f, TRUE, g)
    }

    pub fn same(&mut self, f: Function, g: Function) -> Function {
        let contrary = self.not(g);
        self.choose(f, g, contrary)
    }

    /// The function with functions put in for variables, all at once; a variable without one stays.
    pub fn substituted(&mut self, f: Function, put: &[Option<Function>]) -> Function {
        self.substituting(f, put, &mut FxHashMap::default())
    }

    fn substituting(
        &mut self,
        f: Function,
        put: &[Option<Function>],
        done: &mut FxHashMap<Function, Function>,
    ) -> Function {
        if f <= TRUE {
            return f;
        }
        if let Some(known) = done.get(&f) {
            return *known;
        }
        let (variable, yes, no) = self.tests[f as usize];
        let (yes, no) = (self.substituting(yes, put, done), self.substituting(no, put, done));
        let condition = match put.get(variable as usize).copied().flatten() {
            Some(function) => function,
            None => self.variable(variable as usize),
        };
        let result = self.choose(condition, yes, no);
        done.insert(f, result);
        result
    }

    /// Whether some values of these variables make the function true.
    pub fn for_some(&mut self, f: Function, variables: &dyn Fn(usize) -> bool) -> Function {
        self.projecting(f, variables, &mut FxHashMap::default())
    }

    fn projecting(
        &mut self,
        f: Function,
        variables: &dyn Fn(usize) -> bool,
        done: &mut FxHashMap<Function, Function>,
    ) -> Function {
        if f <= TRUE {
            return f;
        }
        if let Some(known) = done.get(&f) {
            return *known;
        }
        let (variable, yes, no) = self.tests[f as usize];
        let (yes, no) = (self.projecting(yes, variables, done), self.projecting(no, variables, done));
        let result = if variables(variable as usize) { self.or(yes, no) } else { self.test(variable, yes, no) };
        done.insert(f, result);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_functions_are_equal_numbers() {
        let mut d = Diagrams::new();
        let (a, b, c) = (d.variable(0), d.variable(1), d.variable(2));
        let ab = d.and(a, b);
        let ac = d.and(a, c);
        let one = d.or(ab, ac);
        let bc = d.or(b, c);
        assert_eq!(one, d.and(a, bc));
        let not_a = d.not(a);
        assert_eq!(d.or(a, not_a), TRUE);
        let exchanged = d.substituted(ab, &[Some(c), None, Some(a)]);
        assert_eq!(exchanged, d.and(b, c));
        assert_eq!(d.for_some(ab, &|v| v == 0), b);
        assert_eq!(d.same(a, a), TRUE);
    }
}
