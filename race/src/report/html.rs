//! One self-contained page with plots.

use super::Report;

pub(crate) fn render(_report: &Report) -> String {
    String::new()
}
