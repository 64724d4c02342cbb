//! Every figure and every sample, for whoever wants to plot or compare.

use std::fmt::Write;

use crate::duel::{Duel, Samples};
use crate::probe::Compared;
use crate::stats::{Ratio, Spread};
use crate::table::Conditions;

pub(crate) fn render(conditions: &Conditions, duels: &[Duel], probes: &[Compared]) -> String {
    let duels: Vec<String> = duels.iter().map(duel).collect();
    let probes: Vec<String> = probes.iter().map(probe).collect();
    format!(
        "{{\"base\":\"{}\",\"rival\":\"{}\",\"workers\":{},\"rounds\":{},\
         \"load_before\":\"{}\",\"load_after\":\"{}\",\n\"workloads\":[\n{}\n],\n\"probes\":[\n{}\n]}}\n",
        conditions.base,
        conditions.rival,
        conditions.workers,
        conditions.rounds,
        conditions.load.0,
        conditions.load.1,
        duels.join(",\n"),
        probes.join(",\n"),
    )
}

fn duel(duel: &Duel) -> String {
    let (base, rival) = duel.spreads();
    format!(
        "{{\"name\":\"{}\",\"ops\":{},\"time\":{},\"cpu\":{},\n \"base\":{},\n \"rival\":{}}}",
        duel.name,
        duel.ops,
        ratio(duel.time()),
        ratio(duel.cpu()),
        side(base, &duel.base, duel.ops),
        side(rival, &duel.rival, duel.ops),
    )
}

fn side(spread: Spread, samples: &Samples, ops: usize) -> String {
    format!(
        "{{\"ns_per_op\":{{\"p10\":{},\"median\":{},\"p90\":{}}},\
         \"samples\":{{\"ns_per_op\":{},\"cpu_us\":{},\"voluntary\":{},\"involuntary\":{}}}}}",
        spread.p10,
        spread.median,
        spread.p90,
        array(&samples.nanos_per_op(ops)),
        array(&samples.cpu_micros()),
        array(&samples.voluntary()),
        array(&samples.involuntary()),
    )
}

fn probe(probe: &Compared) -> String {
    format!(
        "{{\"name\":\"{}\",\"base\":{},\"rival\":{},\"ratio\":{}}}",
        probe.name,
        probe.base,
        probe.rival,
        number(probe.ratio()),
    )
}

fn ratio(ratio: Ratio) -> String {
    format!(
        "{{\"ratio\":{},\"quiet\":{},\"low\":{},\"high\":{}}}",
        number(ratio.value),
        number(ratio.quiet),
        number(ratio.low),
        number(ratio.high)
    )
}

fn array(values: &[f64]) -> String {
    let mut text = String::from("[");
    for (i, value) in values.iter().enumerate() {
        let comma = if i == 0 { "" } else { "," };
        write!(text, "{comma}{}", number(*value)).expect("a String takes any text");
    }
    text + "]"
}

/// JSON has no infinity: a ratio to nothing is null.
fn number(value: f64) -> String {
    if value.is_finite() {
        ((value * 1e4).round() / 1e4).to_string()
    } else {
        "null".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_json() {
        assert_eq!(array(&[1.0, 2.5, f64::INFINITY]), "[1,2.5,null]");
        assert_eq!(array(&[]), "[]");
    }
}
