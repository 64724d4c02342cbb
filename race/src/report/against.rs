//! Two runs side by side: what a change to heist did.
//!
//! Nanoseconds of two runs are two machines. Each run's ratio to Tokio was taken within the run, so
//! those can be compared; a difference counts when the intervals do not touch.

use super::stats::Ratio;
use super::table::{align, figure};
use super::{Contest, Report, means};

pub(crate) fn print(old: &Report, new: &Report) {
    println!(
        "\nratios to {}: {} before, {} now",
        new.conditions.base, old.conditions.commit, new.conditions.commit
    );
    let titles = ["workload", "before", "now", "change", "", "CPU", "now", ""];
    let mut rows = vec![titles.map(String::from).to_vec()];
    let (mut befores, mut nows) = (Vec::new(), Vec::new());
    for (before, now) in in_both(old, new) {
        rows.push(contest_row(before, now));
        befores.push(before.clone());
        nows.push(now.clone());
    }
    print!("{}", align(&rows));
    if let (Some((time, cpu)), Some((time_now, cpu_now))) = (means(&befores), means(&nows)) {
        println!(
            "\ngeometric mean of {}: time {time:.3} → {time_now:.3}, CPU {cpu:.3} → {cpu_now:.3}",
            nows.len()
        );
    }
    print_figures(old, new);
}

fn in_both<'a>(
    old: &'a Report,
    new: &'a Report,
) -> impl Iterator<Item = (&'a Contest, &'a Contest)> {
    let olds = old.contests.iter().chain(&old.sweeps);
    let news = new.contests.iter().chain(&new.sweeps);
    news.filter_map(move |now| {
        let before = olds.clone().find(|before| before.name == now.name)?;
        Some((before, now))
    })
}

fn contest_row(before: &Contest, now: &Contest) -> Vec<String> {
    vec![
        now.name.clone(),
        format!("{:.2}", before.time.value),
        format!("{:.2}", now.time.value),
        format!(
            "{:+.0} %",
            (now.time.value / before.time.value - 1.0) * 100.0
        ),
        verdict(before.time, now.time).to_owned(),
        format!("{:.2}", before.cpu.value),
        format!("{:.2}", now.cpu.value),
        verdict(before.cpu, now.cpu).to_owned(),
    ]
}

fn verdict(before: Ratio, now: Ratio) -> &'static str {
    if now.high < before.low {
        "better"
    } else if now.low > before.high {
        "WORSE"
    } else {
        ""
    }
}

/// Of tails and probes the figures, and nothing about what they mean.
fn print_figures(old: &Report, new: &Report) {
    let mut rows = vec![
        ["ratio to the base", "before", "now"]
            .map(String::from)
            .to_vec(),
    ];
    for now in &new.delays {
        if let Some(before) = old.delays.iter().find(|before| before.name == now.name) {
            for (label, share) in [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)] {
                let name = format!("{} {label}", now.name);
                rows.push(vec![
                    name,
                    figure(before.ratio(share)),
                    figure(now.ratio(share)),
                ]);
            }
        }
    }
    for now in &new.probes {
        if let Some(before) = old.probes.iter().find(|before| before.name == now.name) {
            let ratios = [before, now].map(|probe| figure(probe.ratio.value));
            rows.push(
                [&now.name, &ratios[0], &ratios[1]]
                    .map(String::clone)
                    .to_vec(),
            );
        }
    }
    if rows.len() > 1 {
        print!("\n{}", align(&rows));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_intervals_apart_are_a_change() {
        let ratio = |low, high| Ratio {
            value: (low + high) / 2.0,
            quiet: low,
            low,
            high,
        };
        assert_eq!(verdict(ratio(0.8, 0.9), ratio(0.5, 0.7)), "better");
        assert_eq!(verdict(ratio(0.5, 0.7), ratio(0.8, 0.9)), "WORSE");
        assert_eq!(verdict(ratio(0.5, 0.8), ratio(0.7, 0.9)), "");
    }
}
