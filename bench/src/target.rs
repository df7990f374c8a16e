//! [`Target`]: what a figure is to reach.

#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
    AtMost(f64),
    AtLeast(f64),
}

impl Target {
    /// What is wrong with the figure of that name, if anything: it has to be measured, and reach the target.
    pub(crate) fn miss(self, name: &str, value: Option<f64>) -> Option<String> {
        let Some(value) = value else {
            return Some(format!("{name} was not measured"));
        };
        let (reached, words, bound) = match self {
            Self::AtMost(bound) => (value <= bound, "at most", bound),
            Self::AtLeast(bound) => (value >= bound, "at least", bound),
        };
        (!reached).then(|| format!("{name} is {value:.3}, to be {words} {bound}"))
    }
}
