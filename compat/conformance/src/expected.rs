//! The committed list of failures and their reasons.
//!
//! One a line: `suite/file::test reason`. `suite/file::*` says that the file does not compile.

use std::collections::BTreeMap;
use std::path::Path;

use crate::Result;

/// Reasons by `suite/file::test`.
pub(crate) type Expected = BTreeMap<String, String>;

/// Reads the list. A line without a reason, or a second one for the same test, is an error.
pub(crate) fn read(path: &Path) -> Result<Expected> {
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    parse(&text).map_err(|problem| format!("{}: {problem}", path.display()).into())
}

/// The failures of `suite` as those of `other` too, beside its own.
pub(crate) fn with_those_of(expected: &Expected, suite: &str, other: &str) -> Expected {
    let mut all = expected.clone();
    for (test, reason) in expected {
        if let Some(test) = test.strip_prefix(&format!("{suite}/")) {
            let test = format!("{other}/{test}");
            all.entry(test).or_insert_with(|| reason.clone());
        }
    }
    all
}

fn parse(text: &str) -> Result<Expected, String> {
    let mut expected = Expected::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (test, reason) = line
            .split_once(char::is_whitespace)
            .ok_or_else(|| format!("line {number}: `{line}` has no reason"))?;
        if !test.contains('/') || !test.contains("::") {
            return Err(format!(
                "line {number}: `{test}` is not of the form suite/file::test"
            ));
        }
        if expected
            .insert(test.to_owned(), reason.trim().to_owned())
            .is_some()
        {
            return Err(format!("line {number}: `{test}` is named twice"));
        }
    }
    Ok(expected)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn reads_names_and_reasons() {
        let list = parse("# a note\n\ntokio/a::b  because\ntokio/c::* not there yet\n").unwrap();
        assert_eq!(list["tokio/a::b"], "because");
        assert_eq!(list["tokio/c::*"], "not there yet");
        assert_eq!(list.len(), 2);
    }

    #[test]
    fn refuses_what_explains_nothing() {
        assert!(parse("tokio/a::b").is_err());
        assert!(parse("a::b reason").is_err());
        assert!(parse("tokio/a::b x\ntokio/a::b y").is_err());
    }
}
