//! Each workload's ratio to the base as a bar that begins at 1.00, with its interval.

use super::super::Contest;
use super::super::table::{figure, nanos};
use super::svg::{Anchor, Canvas, LogScale};

const WIDTH: f64 = 1040.0;
const NAMES: f64 = 220.0;
const FIGURES: f64 = 150.0;
const ROW: f64 = 22.0;
const TOP: f64 = 26.0;
const TICKS: [f64; 8] = [0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0];

/// What a bar says at a glance.
fn verdict(contest: &Contest) -> &'static str {
    if contest.time.high < 1.0 {
        "ahead"
    } else if contest.time.low > 1.0 {
        "behind"
    } else {
        "open"
    }
}

pub(super) fn plot(contests: &[Contest]) -> String {
    let height = TOP + ROW * contests.len() as f64 + 8.0;
    let mut canvas = Canvas::new(WIDTH, height);
    let axis = LogScale::new((0.02, 4.0), (NAMES, WIDTH - FIGURES));
    for tick in TICKS {
        let x = axis.at(tick);
        let class = if tick == 1.0 { "axis" } else { "grid" };
        canvas.line((x, TOP - 6.0), (x, height - 4.0), class);
        canvas.text((x, TOP - 12.0), Anchor::Middle, "tick", &format!("{tick}"));
    }
    for (i, contest) in contests.iter().enumerate() {
        let y = TOP + ROW * (i as f64 + 0.5);
        row(&mut canvas, axis, contest, y);
    }
    canvas.finish("each workload's time as a share of the base's, with its interval")
}

fn row(canvas: &mut Canvas, axis: LogScale, contest: &Contest, y: f64) {
    let (time, cpu) = (contest.time, contest.cpu);
    let [base, rival] = [contest.base(), contest.rival()].map(|lane| lane.spread().median);
    let title = format!(
        "{}: {} {}, {} {}; time {:.3} (95 %: {:.2}–{:.2}), CPU {:.2}",
        contest.name,
        contest.base().side,
        nanos(base),
        contest.rival().side,
        nanos(rival),
        time.value,
        time.low,
        time.high,
        cpu.value,
    );
    canvas.titled(&title, |canvas| {
        canvas.text((NAMES - 12.0, y + 4.0), Anchor::End, "name", &contest.name);
        let (one, end) = (axis.at(1.0), axis.at(time.value));
        let class = format!("bar {}", verdict(contest));
        canvas.rect((one, y - 6.0), (end, y + 6.0), &class);
        let (low, high) = (axis.at(time.low), axis.at(time.high));
        canvas.line((low, y), (high, y), "interval");
        for x in [low, high] {
            canvas.line((x, y - 3.5), (x, y + 3.5), "interval");
        }
        if let Some(smol) = contest.other("smol") {
            canvas.dot((axis.at(smol.spread().median / base), y), 3.0, "smol");
        }
        canvas.diamond((axis.at(cpu.value), y), 4.0, "cpu");
        let x = WIDTH - FIGURES + 14.0;
        canvas.text(
            (x, y + 4.0),
            Anchor::Start,
            "figure",
            &format!("{:.2}", time.value),
        );
        let range = format!("{:.2}–{:.2}", time.low, time.high);
        canvas.text((x + 44.0, y + 4.0), Anchor::Start, "tick", &range);
    });
}

/// How many times the floor each runtime takes, where there is one.
pub(super) fn floors(contests: &[Contest]) -> Option<String> {
    let with_floor: Vec<(&Contest, f64)> = contests
        .iter()
        .filter_map(|contest| Some((contest, contest.other("floor")?.spread().median)))
        .collect();
    if with_floor.is_empty() {
        return None;
    }
    let height = TOP + ROW * with_floor.len() as f64 + 8.0;
    let mut canvas = Canvas::new(WIDTH, height);
    let axis = LogScale::new((0.5, 100.0), (NAMES, WIDTH - FIGURES));
    for tick in [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0] {
        let x = axis.at(tick);
        let class = if tick == 1.0 { "axis" } else { "grid" };
        canvas.line((x, TOP - 6.0), (x, height - 4.0), class);
        canvas.text((x, TOP - 12.0), Anchor::Middle, "tick", &format!("{tick}×"));
    }
    for (i, (contest, floor)) in with_floor.into_iter().enumerate() {
        let y = TOP + ROW * (i as f64 + 0.5);
        let [base, rival] = [contest.base(), contest.rival()].map(|l| l.spread().median / floor);
        let title = format!("{}: the floor is {}", contest.name, nanos(floor));
        canvas.titled(&title, |canvas| {
            canvas.text((NAMES - 12.0, y + 4.0), Anchor::End, "name", &contest.name);
            canvas.line((axis.at(base), y), (axis.at(rival), y), "interval");
            canvas.dot((axis.at(base), y), 5.0, "base");
            canvas.dot((axis.at(rival), y), 5.0, "rival");
            let text = format!("{}× / {}×", figure(base), figure(rival));
            let x = WIDTH - FIGURES + 14.0;
            canvas.text((x, y + 4.0), Anchor::Start, "figure", &text);
        });
    }
    Some(canvas.finish("time as a multiple of what the machine allows"))
}
