//! As much of SVG as the plots need. Colours are classes: the page's style knows light from dark.

use std::fmt::Write;

/// A drawing under construction; y grows downwards.
pub(super) struct Canvas {
    width: f64,
    height: f64,
    body: String,
}

/// Where a text is held.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Canvas {
    pub(super) fn new(width: f64, height: f64) -> Self {
        Self {
            width,
            height,
            body: String::new(),
        }
    }

    /// What is drawn in `content` shows this text when pointed at.
    pub(super) fn titled(&mut self, title: &str, content: impl FnOnce(&mut Self)) {
        self.put(format_args!("<g><title>{}</title>", escape(title)));
        content(self);
        self.put(format_args!("</g>"));
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        self.put(format_args!(
            r#"<line class="{class}" x1="{:.1}" y1="{:.1}" x2="{:.1}" y2="{:.1}"/>"#,
            from.0, from.1, to.0, to.1
        ));
    }

    /// Between two corners, in any order.
    pub(super) fn rect(&mut self, one: (f64, f64), other: (f64, f64), class: &str) {
        let (x, y) = (one.0.min(other.0), one.1.min(other.1));
        let (width, height) = ((one.0 - other.0).abs(), (one.1 - other.1).abs());
        self.put(format_args!(
            r#"<rect class="{class}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" rx="2"/>"#
        ));
    }

    pub(super) fn dot(&mut self, at: (f64, f64), radius: f64, class: &str) {
        self.put(format_args!(
            r#"<circle class="{class}" cx="{:.1}" cy="{:.1}" r="{radius:.1}"/>"#,
            at.0, at.1
        ));
    }

    pub(super) fn diamond(&mut self, at: (f64, f64), radius: f64, class: &str) {
        let (x, y) = at;
        self.put(format_args!(
            r#"<path class="{class}" d="M{:.1} {y:.1}L{x:.1} {:.1}L{:.1} {y:.1}L{x:.1} {:.1}Z"/>"#,
            x - radius,
            y - radius,
            x + radius,
            y + radius
        ));
    }

    pub(super) fn curve(&mut self, points: &[(f64, f64)], class: &str) {
        let mut path = String::new();
        for (i, (x, y)) in points.iter().enumerate() {
            let step = if i == 0 { 'M' } else { 'L' };
            write!(path, "{step}{x:.1} {y:.1}").expect("a String takes any text");
        }
        self.put(format_args!(r#"<path class="curve {class}" d="{path}"/>"#));
    }

    pub(super) fn text(&mut self, at: (f64, f64), anchor: Anchor, class: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.put(format_args!(
            r#"<text class="{class}" text-anchor="{anchor}" x="{:.1}" y="{:.1}">{}</text>"#,
            at.0,
            at.1,
            escape(text)
        ));
    }

    pub(super) fn finish(self, label: &str) -> String {
        format!(
            "<svg role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {:.0} {:.0}\">\n{}</svg>\n",
            escape(label),
            self.width,
            self.height,
            self.body
        )
    }

    fn put(&mut self, element: std::fmt::Arguments<'_>) {
        writeln!(self.body, "{element}").expect("a String takes any text");
    }
}

/// Text as it must be written in HTML and SVG.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// A logarithmic axis: values on one side, places on the other.
#[derive(Clone, Copy)]
pub(super) struct LogScale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl LogScale {
    pub(super) fn new((low, high): (f64, f64), (from, to): (f64, f64)) -> Self {
        Self {
            low: low.ln(),
            high: high.ln(),
            from,
            to,
        }
    }

    /// An axis that holds all of `values`, from a power of ten to a power of ten.
    pub(super) fn around(values: &[f64], places: (f64, f64)) -> Self {
        let (low, high) = extent(values);
        let low = 10_f64.powf(low.log10().floor());
        let high = 10_f64.powf(high.log10().ceil());
        Self::new((low, high.max(low * 10.0)), places)
    }

    /// Where a value is; what lies beyond the ends is put there.
    pub(super) fn at(&self, value: f64) -> f64 {
        let share = (value.ln() - self.low) / (self.high - self.low);
        self.from + (self.to - self.from) * share.clamp(0.0, 1.0)
    }

    /// The powers of ten on the axis.
    pub(super) fn decades(&self) -> Vec<f64> {
        let power = |ln: f64| (ln / std::f64::consts::LN_10).round() as i32;
        (power(self.low)..=power(self.high))
            .map(|power| 10_f64.powi(power))
            .collect()
    }
}

fn extent(values: &[f64]) -> (f64, f64) {
    let positive = values.iter().copied().filter(|value| *value > 0.0);
    positive.fold((f64::INFINITY, f64::MIN_POSITIVE), |(low, high), value| {
        (low.min(value), high.max(value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_maps_its_ends_and_holds_what_is_beyond() {
        let axis = LogScale::new((0.1, 10.0), (0.0, 100.0));
        let at = [0.01, 0.1, 1.0, 10.0, 99.0].map(|value| axis.at(value).round());
        assert_eq!(at, [0.0, 0.0, 50.0, 100.0, 100.0]);
    }

    #[test]
    fn an_axis_around_values_ends_at_powers_of_ten() {
        let axis = LogScale::around(&[30.0, 0.0, 4_000.0], (0.0, 1.0));
        let decades = axis.decades();
        assert_eq!(decades, [10.0, 100.0, 1_000.0, 10_000.0]);
    }

    #[test]
    fn names_cannot_break_the_page() {
        assert_eq!(escape("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;");
    }
}
