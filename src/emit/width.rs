//! How wide a table may be. Without a terminal there is no limit: what is written to a file is complete.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Tables have a margin on the left.
const MARGIN: usize = 4;
/// No column is made narrower.
const LEAST: usize = 8;

static WIDTH: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Keeps the tables of this process to a number of columns. For whoever writes to a terminal.
pub fn keep_to_width(columns: usize) {
    WIDTH.store(columns, Ordering::Relaxed);
}

/// Makes the widest columns narrower until a line fits, as far as that is possible.
pub(super) fn fit(widths: &mut [usize]) {
    fit_to(widths, WIDTH.load(Ordering::Relaxed));
}

fn fit_to(widths: &mut [usize], width: usize) {
    let between = 2 * widths.len().saturating_sub(1);
    let room = width.saturating_sub(MARGIN + between);
    while widths.iter().sum::<usize>() > room {
        match widths.iter_mut().max_by_key(|width| **width) {
            Some(widest) if *widest > LEAST => *widest -= 1,
            _ => break,
        }
    }
}

/// A cell that is at most so wide; what is cut off is told by `…`.
pub(super) fn cut(cell: &str, width: usize) -> String {
    if cell.chars().count() <= width {
        return cell.to_owned();
    }
    cell.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_columns_give_way() {
        let mut widths = [4, 60, 30, 6];
        fit_to(&mut widths, 60);
        assert_eq!((widths, widths.iter().sum::<usize>()), ([4, 20, 20, 6], 50));
        let mut narrow = [4, 9, 20];
        fit_to(&mut narrow, 10);
        assert_eq!(narrow, [4, 8, 8]);
        let mut free = [4, 600];
        fit_to(&mut free, usize::MAX);
        assert_eq!(free, [4, 600]);
    }

    #[test]
    fn what_is_cut_says_so() {
        assert_eq!(cut("lamp=true", 9), "lamp=true");
        assert_eq!(cut("lamp=true", 5), "lamp…");
    }
}
