//! The table.

use std::fmt;

use crate::Side;

/// Every figure, in the order in which it was first seen.
#[derive(Debug, Default)]
pub(crate) struct Rows(Vec<Row>);

#[derive(Debug)]
struct Row {
    name: String,
    unit: &'static str,
    more_is_better: bool,
    /// Round by round, one list a side.
    figures: [Vec<f64>; 2],
}

impl Rows {
    pub(crate) fn add(
        &mut self,
        side: Side,
        name: &str,
        unit: &'static str,
        more_is_better: bool,
        figure: f64,
    ) {
        let place = self
            .0
            .iter()
            .position(|row| row.name == name)
            .unwrap_or_else(|| {
                self.0.push(Row {
                    name: name.to_owned(),
                    unit,
                    more_is_better,
                    figures: [const { Vec::new() }; 2],
                });
                self.0.len() - 1
            });
        self.0[place].figures[side as usize].push(figure);
    }
}

impl fmt::Display for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| what | unit | tokio | heist | heist / tokio | rounds | good is |"
        )?;
        writeln!(f, "|---|---|---|---|---|---|---|")?;
        for row in &self.0 {
            let [tokio, heist] = &row.figures;
            let ratios: Vec<f64> = heist.iter().zip(tokio).map(|(h, t)| h / t).collect();
            if ratios.iter().any(|ratio| !ratio.is_finite()) {
                // By nothing, there is no ratio.
                let (name, unit, rounds) = (&row.name, row.unit, ratios.len());
                let (tokio, heist) = (Figure(median(tokio)), Figure(median(heist)));
                writeln!(
                    f,
                    "| {name} | {unit} | {tokio} | {heist} | – | {rounds} | less |"
                )?;
                continue;
            }
            let (low, high) = ratios
                .iter()
                .fold((f64::INFINITY, 0.0_f64), |(low, high), &r| {
                    (low.min(r), high.max(r))
                });
            writeln!(
                f,
                "| {} | {} | {} | {} | **{:.2}** ({low:.2}–{high:.2}) | {} | {} |",
                row.name,
                row.unit,
                Figure(median(tokio)),
                Figure(median(heist)),
                median(&ratios),
                ratios.len(),
                if row.more_is_better { "more" } else { "less" },
            )?;
        }
        Ok(())
    }
}

/// Three digits that count.
struct Figure(f64);

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = match self.0 {
            n if n < 10.0 => 2,
            n if n < 100.0 => 1,
            _ => 0,
        };
        write!(f, "{:.decimals$}", self.0)
    }
}

fn median(figures: &[f64]) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 0 => f64::midpoint(sorted[n / 2 - 1], sorted[n / 2]),
        n => sorted[n / 2],
    }
}
