//! All sides run everything once: a workload that hangs or panics is found here, not in a race.

use crate::contest::{self, Entry, Track};
use crate::progress::Progress;
use crate::side::Side;
use crate::sys;
use crate::watchdog::Watchdog;
use crate::workload::{Round, Workload};

#[test]
fn both_sides_list_the_same() {
    let (tokio, heist) = (Side::tokio(), Side::heist());
    let names = |side: &Side| -> Vec<_> { (side.workloads)().iter().map(|w| w.name).collect() };
    assert_eq!(names(&tokio), names(&heist));
    let names = |side: &Side| -> Vec<_> { (side.probes)().iter().map(|p| p.name).collect() };
    assert_eq!(names(&tokio), names(&heist));
    let names = |side: &Side| -> Vec<_> { (side.tails)().iter().map(|t| t.name).collect() };
    assert_eq!(names(&tokio), names(&heist));
    assert_eq!(tokio.name(), "tokio");
}

#[test]
fn names_are_unique() {
    let mut names: Vec<_> = (Side::tokio().workloads)().iter().map(|w| w.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn every_workload_runs_twice_on_tokio() {
    run_each_twice(&Side::tokio());
}

#[test]
fn every_workload_runs_twice_on_heist() {
    run_each_twice(&Side::heist());
}

#[test]
fn every_workload_of_smol_runs_twice() {
    run_each_twice(&Side::smol());
}

#[test]
fn every_floor_runs_twice() {
    run_each_twice(&Side::floor());
}

#[test]
fn every_tail_sees_its_events_on_both_sides() {
    sys::raise_descriptor_limit();
    for side in [Side::tokio(), Side::heist()] {
        for tail in (side.tails)() {
            eprintln!("{} on {}", tail.name, side.name());
            let mut round = (tail.prepare)(2);
            assert!(!round().is_empty(), "{}", tail.name);
        }
    }
}

fn run_each_twice(side: &Side) {
    sys::raise_descriptor_limit();
    for workload in (side.workloads)() {
        eprintln!("{} on {}", workload.name, side.name());
        let mut round = (workload.prepare)(2);
        round();
        round();
    }
}

#[test]
fn a_panic_is_named_and_the_others_still_run() {
    fn one_breaks() -> Vec<Workload> {
        fn workload(name: &'static str, prepare: fn(usize) -> Round) -> Workload {
            Workload {
                name,
                what: "",
                ops: 1,
                prepare,
            }
        }
        vec![
            workload("breaks", |_| Box::new(|| panic!("on purpose"))),
            workload("works", |_| Box::new(|| ())),
        ]
    }
    let breaking = || Side {
        workloads: one_breaks,
        ..Side::tokio()
    };
    let sides = [breaking(), breaking()];
    let entry = |name: &str| Entry::new(name.to_owned(), name, &sides, 2, 1);
    let mut broken = Vec::new();
    let track = &mut Track {
        watchdog: &Watchdog::start(),
        progress: &mut Progress::new(1),
        broken: &mut broken,
    };
    let contests = contest::run_all(&[entry("breaks"), entry("works")], track);
    assert_eq!(broken, ["breaks: panicked"]);
    assert_eq!(contests.len(), 1);
    assert_eq!(contests[0].name, "works");
}
