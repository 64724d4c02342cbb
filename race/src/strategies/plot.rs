//! The table as a picture: for each load, how many times better or worse than the default each strategy is.

use std::fmt::Write;

use super::{Row, STRATEGIES};

const COLORS: [&str; 5] = ["#777777", "#2b7bba", "#3a923a", "#c8553d", "#8a5fb5"];
const BAR: f64 = 22.0;
const GROUP: f64 = BAR * 5.0 + 30.0;
/// Height of a factor of ten, and the line at which all are the same.
const DECADE: f64 = 90.0;
const SAME: f64 = 250.0;
const LEFT: f64 = 60.0;

/// A bar for each strategy and load, on a logarithmic scale: up is better than the default.
pub(super) fn svg(rows: &[Row]) -> String {
    let width = LEFT + GROUP * rows.len() as f64 + 20.0;
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = draw(&mut out, rows, width);
    out
}

fn draw(out: &mut String, rows: &[Row], width: f64) -> std::fmt::Result {
    writeln!(
        out,
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="430" font-family="sans-serif" font-size="11">"##
    )?;
    writeln!(out, r##"<rect width="100%" height="100%" fill="white"/>"##)?;
    writeln!(
        out,
        r##"<text x="10" y="18" font-size="14">Times better than work stealing (above the line) or worse (below)</text>"##
    )?;
    for (i, (name, _)) in STRATEGIES.iter().enumerate() {
        let x = LEFT + i as f64 * 120.0;
        writeln!(
            out,
            r##"<rect x="{x}" y="28" width="11" height="11" fill="{}"/><text x="{}" y="38">{name}</text>"##,
            COLORS[i],
            x + 15.0
        )?;
    }
    for factor in [0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0_f64] {
        let y = SAME - DECADE * factor.log10();
        let stroke = if factor == 1.0 { "#000000" } else { "#dddddd" };
        writeln!(
            out,
            r##"<line x1="{LEFT}" y1="{y:.1}" x2="{width}" y2="{y:.1}" stroke="{stroke}"/><text x="{}" y="{:.1}" text-anchor="end">×{factor}</text>"##,
            LEFT - 6.0,
            y + 4.0
        )?;
    }
    for (i, row) in rows.iter().enumerate() {
        let left = LEFT + 15.0 + GROUP * i as f64;
        for (strategy, color) in COLORS.iter().enumerate() {
            let gain = row.gain(strategy);
            let height = (DECADE * gain.log10()).clamp(-DECADE * 1.4, DECADE * 2.1);
            let (x, y) = (left + BAR * strategy as f64, SAME - height.max(0.0));
            writeln!(
                out,
                r##"<rect x="{x:.1}" y="{y:.1}" width="{:.1}" height="{:.1}" fill="{color}"/>"##,
                BAR - 3.0,
                height.abs().max(1.0)
            )?;
            let label = if height >= 0.0 {
                SAME - height - 3.0
            } else {
                SAME - height + 11.0
            };
            writeln!(
                out,
                r##"<text x="{:.1}" y="{label:.1}" font-size="8" text-anchor="middle">{gain:.2}</text>"##,
                x + BAR / 2.0 - 1.5
            )?;
        }
        writeln!(
            out,
            r##"<text x="{:.1}" y="415" text-anchor="middle" font-size="12">{}</text>"##,
            left + BAR * 2.5,
            row.name
        )?;
    }
    writeln!(out, "</svg>")
}
