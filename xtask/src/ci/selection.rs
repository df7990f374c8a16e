//! [`Selection`]: which steps a person asks for.

use super::Step;

/// Which steps a person asks for; all of them by default.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    pub(crate) only: Vec<Step>,
    pub(crate) skip: Vec<Step>,
}

impl Selection {
    pub(super) fn chooses(&self, step: Step) -> bool {
        let wanted = self.only.is_empty() || self.only.contains(&step);
        wanted && !self.skip.contains(&step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(only: &[Step], skip: &[Step]) -> Vec<Step> {
        let selection = Selection { only: only.to_vec(), skip: skip.to_vec() };
        let mut steps = Step::ALL.to_vec();
        steps.retain(|step| selection.chooses(*step));
        steps
    }

    #[test]
    fn all_steps_are_chosen_by_default() {
        assert_eq!(chosen(&[], &[]), Step::ALL);
    }

    #[test]
    fn only_and_skip_narrow_the_choice() {
        assert_eq!(chosen(&[Step::Doc, Step::Fmt], &[]), [Step::Fmt, Step::Doc]);
        assert_eq!(chosen(&[Step::Doc, Step::Fmt], &[Step::Fmt]), [Step::Doc]);
        assert!(!chosen(&[], &[Step::Nextest]).contains(&Step::Nextest));
    }
}
