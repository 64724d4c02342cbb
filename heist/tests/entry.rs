//! `#[heist::main]` and `#[heist::test]` on the real runtime. What they refuse is tested in
//! heist-macros.
#![forbid(unsafe_code)]

use std::time::Duration;

use heist::runtime::{Handle, RuntimeFlavor};

fn flavor() -> RuntimeFlavor {
    Handle::current().runtime_flavor()
}

#[heist::test]
async fn a_test_has_one_thread() {
    assert_eq!(flavor(), RuntimeFlavor::CurrentThread);
    assert_eq!(heist::spawn(async { 6 }).await.unwrap(), 6);
}

#[heist::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_test_with_workers() {
    assert_eq!(flavor(), RuntimeFlavor::MultiThread);
    assert_eq!(Handle::current().metrics().num_workers(), 3);
}

#[heist::test(flavor = "multi_thread", worker_threads = 2, scheduler = "sharded")]
async fn a_test_with_shards() {
    let worker = heist::scheduler::spawn_on(1, async { heist::scheduler::current_worker() });
    assert_eq!(worker.await.unwrap(), Some(1));
}

/// A strategy by its path.
fn pinned_shards(workers: usize) -> heist::scheduler::Sharded {
    heist::scheduler::Sharded::new(workers).pin_to_cores(true)
}

#[heist::main(scheduler = "self::pinned_shards", worker_threads = 2)]
async fn on_own_scheduler() -> Option<usize> {
    heist::scheduler::spawn_on(1, async { heist::scheduler::current_worker() })
        .await
        .unwrap()
}

#[test]
fn an_entry_with_a_scheduler_by_its_path() {
    assert_eq!(on_own_scheduler(), Some(1));
}

#[heist::test(start_paused = true)]
async fn a_paused_clock() {
    let began = heist::time::Instant::now();
    heist::time::sleep(Duration::from_secs(86_400)).await;
    assert!(began.elapsed() >= Duration::from_secs(86_400));
}

#[heist::test]
async fn a_test_may_fail_by_its_result() -> Result<(), Box<dyn std::error::Error>> {
    let six: u32 = "6".parse()?;
    assert_eq!(six, 6);
    Ok(())
}

#[heist::test]
#[should_panic(expected = "as it should")]
async fn other_attributes_stay() {
    panic!("as it should");
}

#[heist::main(worker_threads = 1)]
async fn sum(numbers: &[u32], first: u32) -> Option<u32> {
    #![allow(clippy::needless_question_mark, reason = "an inner attribute")]
    let mut sum = first;
    for &n in numbers {
        if n == 0 {
            return None;
        }
        sum += heist::spawn(async move { n }).await.ok()?;
    }
    Some(sum)
}

struct Adder(u32);

impl Adder {
    #[heist::main(flavor = "current_thread")]
    async fn add<T>(&self, n: T) -> u32
    where
        T: Into<u32> + Copy,
    {
        self.0 + n.into()
    }
}

#[heist::main(flavor = "current_thread", crate = "::heist")]
async fn hidden_type() -> impl Iterator<Item = u8> {
    [1, 2].into_iter()
}

#[test]
fn any_function_can_be_an_entry() {
    assert_eq!(sum(&[1, 2, 3], 4), Some(10));
    assert_eq!(sum(&[1, 0], 4), None);
    assert_eq!(Adder(1).add(2u8), 3);
    assert_eq!(hidden_type().sum::<u8>(), 3);
}
