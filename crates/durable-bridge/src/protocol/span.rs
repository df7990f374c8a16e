//! [`Span`] and [`Spans`]: sets of positions.

/// The place of an event in the log: the first is 1, and there are no gaps.
pub type Position = u64;

/// The positions from `lo` to `hi`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first.
    pub lo: Position,
    /// The last, not below `lo`.
    pub hi: Position,
}

impl Span {
    /// The positions from `lo` to `hi`; `None` if there are none.
    #[must_use]
    pub fn new(lo: Position, hi: Position) -> Option<Self> {
        (lo <= hi).then_some(Self { lo, hi })
    }

    /// One position.
    #[must_use]
    pub fn one(position: Position) -> Self {
        Self { lo: position, hi: position }
    }

    /// Whether `position` is among them.
    #[must_use]
    pub fn contains(&self, position: Position) -> bool {
        (self.lo..=self.hi).contains(&position)
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.hi - self.lo + 1
    }
}

/// A set of positions, kept as ascending spans that neither overlap nor touch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spans(Vec<Span>);

impl Spans {
    /// The spans, ascending.
    pub fn iter(&self) -> impl Iterator<Item = Span> + '_ {
        self.0.iter().copied()
    }

    /// Whether there is no position.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many positions there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.iter().map(|span| span.count()).sum()
    }

    /// Whether `position` is among them.
    #[must_use]
    pub fn contains(&self, position: Position) -> bool {
        let at = self.0.partition_point(|span| span.hi < position);
        self.0.get(at).is_some_and(|span| span.lo <= position)
    }

    /// Adds the positions of a span.
    pub fn insert(&mut self, new: Span) {
        // Almost always it continues the last one.
        if let Some(last) = self.0.last_mut()
            && last.hi.checked_add(1) == Some(new.lo)
        {
            last.hi = new.hi;
            return;
        }
        let from = self.0.partition_point(|span| span.hi.saturating_add(1) < new.lo);
        let to = self.0.partition_point(|span| span.lo <= new.hi.saturating_add(1));
        let mut merged = new;
        if let Some(touched) = self.0.get(from..to)
            && let (Some(first), Some(last)) = (touched.first(), touched.last())
        {
            merged = Span { lo: first.lo.min(new.lo), hi: last.hi.max(new.hi) };
        }
        self.0.splice(from..to.max(from), [merged]);
    }

    /// What is left of `span` without these positions.
    #[must_use]
    pub fn missing_in(&self, span: Span) -> Vec<Span> {
        let mut left = Vec::new();
        let mut next = span.lo;
        for taken in self.iter().filter(|taken| taken.hi >= span.lo && taken.lo <= span.hi) {
            left.extend(taken.lo.checked_sub(1).and_then(|hi| Span::new(next, hi)));
            match taken.hi.checked_add(1) {
                Some(after) => next = after,
                None => return left,
            }
        }
        left.extend(Span::new(next, span.hi));
        left
    }

    /// The positions of `span` that are among these.
    #[must_use]
    pub fn within(&self, span: Span) -> Vec<Span> {
        self.iter().filter_map(|own| Span::new(own.lo.max(span.lo), own.hi.min(span.hi))).collect()
    }
}

impl FromIterator<Span> for Spans {
    fn from_iter<I: IntoIterator<Item = Span>>(spans: I) -> Self {
        let mut all = Self::default();
        spans.into_iter().for_each(|span| all.insert(span));
        all
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn span() -> impl Strategy<Value = Span> {
        (1_u64..60, 0_u64..12).prop_map(|(lo, more)| Span { lo, hi: lo + more })
    }

    fn positions(spans: impl IntoIterator<Item = Span>) -> BTreeSet<Position> {
        spans.into_iter().flat_map(|span| span.lo..=span.hi).collect()
    }

    proptest! {
        #[test]
        fn spans_are_the_set_of_what_was_put_in(put in vec(span(), 0..12), asked in span()) {
            let spans: Spans = put.iter().copied().collect();
            let set = positions(put);
            prop_assert_eq!(positions(spans.iter()), set.clone());
            prop_assert_eq!(spans.count() as usize, set.len());
            prop_assert!(spans.iter().zip(spans.iter().skip(1)).all(|(a, b)| a.hi + 1 < b.lo));
            let inside: BTreeSet<_> = positions([asked]);
            prop_assert_eq!(positions(spans.missing_in(asked)), &inside - &set);
            prop_assert_eq!(positions(spans.within(asked)), &inside & &set);
            prop_assert!((1..80).all(|position| spans.contains(position) == set.contains(&position)));
        }
    }
}
