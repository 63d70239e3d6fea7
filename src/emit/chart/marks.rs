//! What of a run its purpose is about: lists that a constraint looks at in a step that changes what is left to show.

use crate::history::{Known, Purpose};
use crate::kernel::{Lists, Run, StepSystem};
use crate::term::{LimitKind, Value};

/// The lists that matter, for each step.
pub type Marks = Vec<Vec<usize>>;

/// Runs every constraint over a run. Where one cannot be followed nothing is marked for it: marks decide nothing.
pub fn marks(
    run: &Run,
    system: &StepSystem,
    lists: &Lists,
    purpose: &Purpose,
    class: Option<usize>,
    open: &[Value],
) -> Marks {
    let all: Vec<usize> = (0..purpose.constraints.len()).collect();
    let monitor = purpose.monitor(&all, class);
    let known = Known { monitor: &monitor, definitions: &lists.names.definitions, open };
    let mut marks = vec![vec![]; run.steps.len()];
    for formula in &monitor.start {
        let mut of_one = vec![vec![]; run.steps.len()];
        let mut follow = || -> Result<(), LimitKind> {
            let mut live = known.start_of(formula)?;
            let mut before = &run.initial;
            for (number, step) in run.steps.iter().enumerate() {
                let observed = lists.observe(system, before, step, number + 1);
                let mut reads = vec![];
                let next = known.advance_reading(&live, &observed, &mut reads)?;
                if next != live {
                    of_one[number] = reads;
                }
                (live, before) = (next, &step.next);
            }
            Ok(())
        };
        if follow().is_ok() {
            for (marks, more) in marks.iter_mut().zip(of_one) {
                marks.extend(more);
            }
        }
    }
    marks
}
