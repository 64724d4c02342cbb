//! The committed list of where heist's API is not Tokio's, and why.
//!
//! One a line: `path: reason`, or `impl Trait for path: reason`. A reason holds for what is below the
//! path too.

use std::collections::BTreeMap;
use std::path::Path;

use crate::Result;

/// Reasons by path.
pub(crate) struct Deviations(BTreeMap<String, String>);

impl Deviations {
    /// Reads the list; a line without a reason, or a second one for the same path, is an error.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path)?;
        Self::parse(&text).map_err(|problem| format!("{}: {problem}", path.display()).into())
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut all = BTreeMap::new();
        for line in text.lines().map(str::trim) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (path, reason) = line
                .split_once(": ")
                .ok_or_else(|| format!("`{line}` has no reason"))?;
            let reason = reason.trim().to_owned();
            if all.insert(path.to_owned(), reason).is_some() {
                return Err(format!("`{path}` is named twice"));
            }
        }
        Ok(Self(all))
    }

    /// The line that a fact falls under.
    pub(crate) fn covering(&self, fact: &str) -> Option<&str> {
        let named = fact.split('\t').next().unwrap_or_default();
        let mut path = named.rsplit_once(" for ").map_or(named, |(_, path)| path);
        if let Some((key, _)) = self.0.get_key_value(named) {
            return Some(key);
        }
        loop {
            if let Some((key, _)) = self.0.get_key_value(path) {
                return Some(key);
            }
            path = path.rsplit_once("::")?.0;
        }
    }

    /// All paths with a line.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The reason on a path's line.
    pub(crate) fn reason(&self, path: &str) -> &str {
        self.0.get(path).map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::Deviations;

    #[test]
    fn a_line_covers_what_is_below() {
        let list = Deviations::parse("# note\na::B: why\nimpl X for a::C: because\n").unwrap();
        assert_eq!(list.covering("a::B::f\tmethod\t()"), Some("a::B"));
        assert_eq!(list.covering("a::B\tstruct"), Some("a::B"));
        assert_eq!(list.covering("impl Y for a::B"), Some("a::B"));
        assert_eq!(list.covering("impl X for a::C"), Some("impl X for a::C"));
        assert_eq!(list.covering("a::C\tstruct"), None);
        assert_eq!(list.covering("a::Bc\tstruct"), None);
    }

    #[test]
    fn refuses_what_explains_nothing() {
        assert!(Deviations::parse("a::B").is_err());
        assert!(Deviations::parse("a: b\na: c").is_err());
    }
}
