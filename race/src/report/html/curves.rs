//! Small plots with a curve for each side: delays by percentile, cost as load grows.

use super::super::table::nanos;
use super::super::{Contest, Delays, Report, SHARES};
use super::svg::{Anchor, Canvas, LogScale};

const WIDTH: f64 = 336.0;
const HEIGHT: f64 = 210.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = WIDTH - 14.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = HEIGHT - 28.0;
const CLASSES: [&str; 2] = ["base", "rival"];

/// Two curves over named places on the x axis; values are nanoseconds.
struct Plot {
    title: String,
    /// Share of the width, and what is written below it.
    ticks: Vec<(f64, String)>,
    /// Share of the width, value, and what pointing at it says.
    curves: [Vec<(f64, f64, String)>; 2],
    with_dots: bool,
}

impl Plot {
    fn draw(&self) -> String {
        let values = self.curves.iter().flatten().map(|point| point.1);
        let y = LogScale::around(&values.collect::<Vec<_>>(), (BOTTOM, TOP));
        let x = |share: f64| LEFT + (RIGHT - LEFT) * share;
        let mut canvas = Canvas::new(WIDTH, HEIGHT);
        canvas.text((0.0, 14.0), Anchor::Start, "title", &self.title);
        let decades = y.decades();
        let every = decades.len().div_ceil(6);
        for decade in decades.into_iter().step_by(every) {
            canvas.line((LEFT, y.at(decade)), (RIGHT, y.at(decade)), "grid");
            let at = (LEFT - 8.0, y.at(decade) + 4.0);
            canvas.text(at, Anchor::End, "tick", &round_nanos(decade));
        }
        for (share, label) in &self.ticks {
            let at = (x(*share), BOTTOM + 18.0);
            canvas.text(at, Anchor::Middle, "tick", label);
        }
        for (curve, class) in self.curves.iter().zip(CLASSES) {
            let place = |point: &(f64, f64, String)| (x(point.0), y.at(point.1));
            let points: Vec<(f64, f64)> = curve.iter().map(place).collect();
            canvas.curve(&points, class);
            let radius = if self.with_dots { 4.0 } else { 2.0 };
            for (at, (_, _, title)) in points.iter().zip(curve) {
                canvas.titled(title, |canvas| canvas.dot(*at, radius, class));
            }
        }
        canvas.finish(&self.title)
    }
}

/// Without decimals.
fn round_nanos(value: f64) -> String {
    match value {
        v if v < 1e3 => format!("{v:.0} ns"),
        v if v < 1e6 => format!("{:.0} µs", v / 1e3),
        v if v < 1e9 => format!("{:.0} ms", v / 1e6),
        v => format!("{:.0} s", v / 1e9),
    }
}

/// The delay at each share of the events; each further nine takes as much room.
pub(super) fn delays(delays: &Delays) -> String {
    const NINES: f64 = 4.0;
    let place = |share: f64| (-(1.0 - share).log10()).min(NINES) / NINES;
    let ticks = [
        (0.5, "50 %"),
        (0.9, "90"),
        (0.99, "99"),
        (0.999, "99.9"),
        (1.0, "max"),
    ];
    let curve = |lane: usize| {
        let lane = &delays.lanes[lane];
        let point = |(&share, &value): (&f64, &f64)| {
            let percent = share * 100.0;
            let title = format!("{}: {percent} % within {}", lane.side, nanos(value));
            (place(share), value.max(100.0), title)
        };
        SHARES.iter().zip(&lane.nanos).skip(1).map(point).collect()
    };
    Plot {
        title: delays.name.clone(),
        ticks: ticks
            .map(|(share, name)| (place(share), name.to_owned()))
            .to_vec(),
        curves: [curve(0), curve(1)],
        with_dots: false,
    }
    .draw()
}

/// What is written below the axis, and each side's value.
type Point = (String, [f64; 2]);

/// Points that are evenly spaced.
fn growth(title: &str, sides: [&str; 2], points: &[Point]) -> Option<String> {
    if points.len() < 2 {
        return None;
    }
    let share = |i: usize| (i as f64 + 0.25) / (points.len() as f64 - 0.5);
    let curve = |side: usize| {
        let point = |(i, (label, values)): (usize, &Point)| {
            let title = format!("{} at {label}: {}", sides[side], nanos(values[side]));
            (share(i), values[side], title)
        };
        points.iter().enumerate().map(point).collect()
    };
    let tick = |(i, (label, _)): (usize, &Point)| (share(i), label.clone());
    let plot = Plot {
        title: title.to_owned(),
        ticks: points.iter().enumerate().map(tick).collect(),
        curves: [curve(0), curve(1)],
        with_dots: true,
    };
    Some(plot.draw())
}

/// Everything that has a load to grow.
pub(super) fn growths(report: &Report) -> Vec<String> {
    let sides = [&report.conditions.base, &report.conditions.rival].map(String::as_str);
    let mut plots = Vec::new();
    for (name, points) in sweeps(&report.sweeps) {
        plots.extend(growth(&format!("{name} by workers"), sides, &points));
    }
    plots.extend(growth("tcp_echo by connections", sides, &echo(report)));
    for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
        let point = |delays: &Delays| {
            let load = delays.name.strip_prefix("bimodal_")?;
            let values = [0, 1].map(|lane| delays.lanes[lane].at(share));
            Some((format!("{load} %"), values))
        };
        let points: Vec<_> = report.delays.iter().filter_map(point).collect();
        plots.extend(growth(&format!("bimodal {name} by load"), sides, &points));
    }
    plots
}

fn medians(contest: &Contest) -> [f64; 2] {
    [contest.base(), contest.rival()].map(|lane| lane.spread().median)
}

/// `ping_pong @4` and its like, by workload.
fn sweeps(contests: &[Contest]) -> Vec<(&str, Vec<Point>)> {
    let mut all: Vec<(&str, Vec<_>)> = Vec::new();
    for contest in contests {
        let (name, setting) = contest.name.split_once(" @").unwrap_or((&contest.name, ""));
        let point = (setting.to_owned(), medians(contest));
        match all.iter_mut().find(|(known, _)| *known == name) {
            Some((_, points)) => points.push(point),
            None => all.push((name, vec![point])),
        }
    }
    all
}

fn echo(report: &Report) -> Vec<Point> {
    let point = |contest: &Contest| {
        let connections = contest.name.strip_prefix("tcp_echo_")?;
        Some((connections.to_owned(), medians(contest)))
    };
    let mut points: Vec<_> = report.contests.iter().filter_map(point).collect();
    let many = report.probes.iter();
    let mut many = many.filter(|probe| probe.name == "tcp_echo_10000.us_per_op");
    points.extend(many.next().map(|probe| {
        let values = [probe.base, probe.rival].map(|micros| micros * 1e3);
        ("10000".to_owned(), values)
    }));
    points
}
