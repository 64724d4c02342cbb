//! One self-contained page with plots: no script, no font, no picture from elsewhere.

mod curves;
mod ratios;
mod svg;

use super::table::{self, figure};
use super::{Compared, Report, means};
use svg::escape;

const STYLE: &str = include_str!("style.css");

pub(crate) fn render(report: &Report) -> String {
    let conditions = &report.conditions;
    let (base, rival) = (escape(&conditions.base), escape(&conditions.rival));
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{rival} against {base}</title>\n<style>\n{STYLE}</style>\n<main>\n\
         <h1>{rival} against {base}</h1>\n{}{}",
        machine(report),
        tiles(report),
    );
    if !report.contests.is_empty() {
        page += &section(
            "Time",
            &format!(
                "{rival}'s time for each workload as a share of {base}'s. A bar to the left of \
                 1 is time saved; the line is the 95 % interval. A grey bar's interval holds 1: no \
                 difference was shown."
            ),
            &(legend(&[
                ("bar ahead", "ahead"),
                ("bar open", "not shown"),
                ("bar behind", "behind"),
                ("cpu", "processor time"),
                ("smol", "smol's time"),
            ]) + &ratios::plot(&report.contests)),
        );
    }
    let sides = legend(&[("base", &base), ("rival", &rival)]);
    if let Some(plot) = ratios::floors(&report.contests) {
        let what = "Time as a multiple of the same work by hand, without a runtime: what the machine \
                    allows, measured in the same run.";
        page += &section("Distance from the floor", what, &(sides.clone() + &plot));
    }
    let delays: Vec<String> = report.delays.iter().map(curves::delays).collect();
    if !delays.is_empty() {
        let what =
            "How late, at each percentile of all events. Every further nine takes as much room.";
        page += &section("Delays", what, &(sides.clone() + &grid(&delays)));
    }
    let growths = curves::growths(report);
    if !growths.is_empty() {
        let what = "Time of one operation as workers, connections or load grow; <i>busy</i>: another \
                    process keeps one core.";
        page += &section("As load grows", what, &(sides.clone() + &grid(&growths)));
    }
    if !report.probes.is_empty() {
        let what = "Each read in processes of its own.";
        page += &section("Cost", what, &(sides + &costs(&report.probes)));
    }
    page += &section(
        "All figures",
        "",
        &format!("<pre>{}</pre>\n", escape(&table::text(report))),
    );
    page + "</main>\n</html>\n"
}

fn section(title: &str, what: &str, content: &str) -> String {
    let what = match what {
        "" => String::new(),
        what => format!("<p>{what}</p>\n"),
    };
    format!("<section>\n<h2>{title}</h2>\n{what}{content}</section>\n")
}

fn legend(entries: &[(&str, &str)]) -> String {
    let entry = |(class, name): &(&str, &str)| {
        let mark = match *class {
            bar if bar.starts_with("bar") => {
                format!(r#"<rect class="{bar}" x="1" y="3" width="12" height="8" rx="2"/>"#)
            }
            "cpu" => r#"<path class="cpu" d="M2 7L7 2L12 7L7 12Z"/>"#.to_owned(),
            dot => format!(r#"<circle class="{dot}" cx="7" cy="7" r="4.5"/>"#),
        };
        format!("<span><svg viewBox=\"0 0 14 14\">{mark}</svg>{name}</span>")
    };
    let entries: String = entries.iter().map(entry).collect();
    format!("<div class=\"legend\">{entries}</div>\n")
}

fn grid(plots: &[String]) -> String {
    let cells: String = plots
        .iter()
        .map(|plot| format!("<div>{plot}</div>"))
        .collect();
    format!("<div class=\"grid\">{cells}</div>\n")
}

fn machine(report: &Report) -> String {
    let conditions = &report.conditions;
    format!(
        "<p class=\"machine\">{} · commit {} · {} workers on {} cores · Linux {} · {} rounds · load \
         average {} before, {} after</p>\n",
        escape(&conditions.processor),
        escape(&conditions.commit),
        conditions.workers,
        conditions.cores,
        escape(&conditions.kernel),
        conditions.rounds,
        escape(&conditions.load.0),
        escape(&conditions.load.1),
    )
}

/// The run in four numbers.
fn tiles(report: &Report) -> String {
    let contests = &report.contests;
    let mut tiles = String::new();
    let mut tile = |number: String, what: &str| {
        tiles += &format!("<div><b>{number}</b><span>{what}</span></div>\n");
    };
    if let Some((time, cpu)) = means(contests) {
        tile(format!("{time:.2}"), "of the time, geometric mean");
        tile(format!("{cpu:.2}"), "of the processor time");
        let ahead = contests.iter().filter(|c| c.time.high < 1.0).count();
        let behind = contests.iter().filter(|c| c.time.low > 1.0).count();
        tile(format!("{ahead} / {behind}"), "workloads ahead / behind");
    }
    let idle = report.probes.iter();
    let mut idle = idle.filter(|probe| probe.name == "idle_1m.bytes_per_task");
    if let Some(Compared { base, rival, .. }) = idle.next() {
        tile(
            format!("{rival:.0} B"),
            &format!(
                "an idle task; {base:.0} B with {}",
                escape(&report.conditions.base)
            ),
        );
    }
    format!("<div class=\"tiles\">\n{tiles}</div>\n")
}

/// A bar for each side, as a share of the larger one.
fn costs(probes: &[Compared]) -> String {
    let bar = |class: &str, value: f64, most: f64| {
        let share = if most > 0.0 {
            value / most * 100.0
        } else {
            0.0
        };
        format!("<i class=\"{class}\" style=\"width:{share:.1}%\"></i>")
    };
    let row = |probe: &Compared| {
        let most = probe.base.max(probe.rival);
        format!(
            "<tr><th>{}</th><td class=\"bars\">{}{}</td><td>{}</td><td>{}</td><td>{:.2}</td></tr>\n",
            escape(&probe.name),
            bar("base", probe.base, most),
            bar("rival", probe.rival, most),
            figure(probe.base),
            figure(probe.rival),
            probe.ratio.value,
        )
    };
    let rows: String = probes.iter().map(row).collect();
    format!("<table>\n{rows}</table>\n")
}
