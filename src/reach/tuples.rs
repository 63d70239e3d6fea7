//! Tuples of transitions that follow each other.

/// All sequences of so many transitions in which each begins where the one before ends, in order; transitions are given by
/// the states they leave and enter. None if there are more than `most`, or were on the way.
pub fn tuples(transitions: &[(u32, u32)], length: usize, most: usize) -> Option<Vec<Vec<usize>>> {
    let mut tuples: Vec<Vec<usize>> = vec![vec![]];
    for _ in 0..length {
        let follows = |tuple: &Vec<usize>, next: usize| {
            tuple.last().is_none_or(|last| transitions[*last].1 == transitions[next].0)
        };
        tuples = (tuples.iter())
            .flat_map(|tuple| {
                (0..transitions.len()).filter(|next| follows(tuple, *next)).map(move |next| (tuple, next))
            })
            .map(|(tuple, next)| tuple.iter().copied().chain([next]).collect())
            .take(most + 1)
            .collect();
        if tuples.len() > most {
            return None;
        }
    }
    Some(tuples)
}
