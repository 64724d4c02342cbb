//! Both sides run everything once: a workload that hangs or panics is found here, not in a race.

use crate::side::Side;

#[test]
fn both_sides_list_the_same() {
    let (tokio, heist) = (Side::tokio(), Side::heist());
    let names = |side: &Side| -> Vec<_> { (side.workloads)().iter().map(|w| w.name).collect() };
    assert_eq!(names(&tokio), names(&heist));
    let names = |side: &Side| -> Vec<_> { (side.probes)().iter().map(|p| p.name).collect() };
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

fn run_each_twice(side: &Side) {
    for workload in (side.workloads)() {
        eprintln!("{} on {}", workload.name, side.name());
        let mut round = (workload.prepare)(2);
        round();
        round();
    }
}
