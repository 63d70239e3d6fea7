//! Takes times.

use std::time::{Duration, Instant};

/// The shortest of several runs, with its result: other work on the machine only makes them longer.
pub fn best_of<T>(times: usize, mut f: impl FnMut() -> T) -> (Duration, T) {
    let mut runs = (0..times.max(1)).map(|_| {
        let start = Instant::now();
        let result = f();
        (start.elapsed(), result)
    });
    let first = runs.next().expect("one run");
    runs.fold(first, |best, run| if run.0 < best.0 { run } else { best })
}
