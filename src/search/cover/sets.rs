//! Sets of items, each stored once and known by a number.

use rustc_hash::FxHashMap;

/// A set of items, as bits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ItemSet(Vec<u64>);

impl ItemSet {
    /// Items up to a number.
    pub fn first(count: usize) -> ItemSet {
        (0..count).collect()
    }

    /// Adds an item.
    pub fn insert(&mut self, item: usize) {
        let word = item / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (item % 64);
    }

    /// Whether an item is in it.
    pub fn contains(&self, item: usize) -> bool {
        self.0.get(item / 64).is_some_and(|word| word & (1 << (item % 64)) != 0)
    }

    /// Whether all items of another set are in it.
    pub fn includes(&self, other: &ItemSet) -> bool {
        other.0.iter().enumerate().all(|(at, word)| word & !self.0.get(at).copied().unwrap_or(0) == 0)
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// How many items are in it.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The items in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let bits = |(at, word): (usize, &u64)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(at * 64 + bit)
            })
        };
        self.0.iter().enumerate().flat_map(bits)
    }

    /// Items of either set.
    pub fn union(&self, other: &ItemSet) -> ItemSet {
        let (long, short) = if self.0.len() >= other.0.len() { (self, other) } else { (other, self) };
        let mut words = long.0.clone();
        words.iter_mut().zip(&short.0).for_each(|(word, more)| *word |= more);
        ItemSet(words)
    }

    /// Items of this set that are not in the other.
    pub fn minus(&self, other: &ItemSet) -> ItemSet {
        let mut words = self.0.clone();
        words.iter_mut().zip(&other.0).for_each(|(word, less)| *word &= !less);
        ItemSet(words).trimmed()
    }

    /// Items of both sets.
    pub fn intersection(&self, other: &ItemSet) -> ItemSet {
        ItemSet(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect()).trimmed()
    }

    /// Equal sets are equal values: no zero words at the end.
    fn trimmed(mut self) -> ItemSet {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }
}

impl FromIterator<usize> for ItemSet {
    fn from_iter<I: IntoIterator<Item = usize>>(items: I) -> ItemSet {
        let mut set = ItemSet::default();
        items.into_iter().for_each(|item| set.insert(item));
        set
    }
}

/// The number of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SetId(pub u32);

impl SetId {
    /// The empty set.
    pub const EMPTY: SetId = SetId(0);
}

/// Sets with their numbers, and unions that were asked for.
#[derive(Debug)]
pub struct Sets {
    list: Vec<ItemSet>,
    numbers: FxHashMap<ItemSet, SetId>,
    unions: FxHashMap<(SetId, SetId), SetId>,
}

impl Default for Sets {
    fn default() -> Sets {
        let mut sets = Sets { list: vec![], numbers: FxHashMap::default(), unions: FxHashMap::default() };
        sets.number(ItemSet::default());
        sets
    }
}

impl Sets {
    /// The number of a set.
    pub fn number(&mut self, set: ItemSet) -> SetId {
        let next = SetId(self.list.len() as u32);
        let list = &mut self.list;
        *self.numbers.entry(set).or_insert_with_key(|set| {
            list.push(set.clone());
            next
        })
    }

    /// The set with a number.
    pub fn get(&self, id: SetId) -> &ItemSet {
        &self.list[id.0 as usize]
    }

    /// How many sets there are; the empty one is always there.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The union of two sets.
    pub fn union(&mut self, a: SetId, b: SetId) -> SetId {
        if b == SetId::EMPTY || a == b {
            return a;
        }
        if let Some(known) = self.unions.get(&(a, b)) {
            return *known;
        }
        let union = self.number(self.get(a).union(self.get(b)));
        self.unions.insert((a, b), union);
        union
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_what_they_contain() {
        let set: ItemSet = [3, 70, 3].into_iter().collect();
        assert_eq!((set.len(), set.iter().collect::<Vec<_>>()), (2, vec![3, 70]));
        assert!(set.contains(70) && !set.contains(4) && !set.contains(500));
        assert_eq!(set.minus(&[70].into_iter().collect()), [3].into_iter().collect());
        assert_eq!(set.intersection(&ItemSet::first(64)), [3].into_iter().collect());
        assert!(set.includes(&[3].into_iter().collect()) && !ItemSet::first(64).includes(&set));
        assert_eq!(ItemSet::first(64).union(&set), (0..64).chain([70]).collect());
        let mut sets = Sets::default();
        let (a, b) = (sets.number(ItemSet::first(2)), sets.number(set));
        let both = sets.union(a, b);
        assert_eq!(sets.get(both).iter().collect::<Vec<_>>(), [0, 1, 3, 70]);
        assert_eq!((sets.union(b, a), sets.union(both, a), sets.union(a, SetId::EMPTY)), (both, both, a));
    }
}
