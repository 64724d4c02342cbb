//! Short work behind long work. A plain thread spawns tasks at random times, whatever became of
//! those before: 99.5 % work for 1 µs, 0.5 % for 500 µs. The delay is from the time at which the task
//! was due to its end.

use std::time::{Duration, Instant};

use super::{Notes, Tail, TailRound, multi_thread};
use crate::busy::busy;
use crate::latch::Latch;

pub(super) const TAILS: &[Tail] = &[
    Tail {
        name: "bimodal_30",
        what: "99.5 % of tasks take 1 µs, 0.5 % take 500 µs: 30 % of what the cores can do",
        prepare: |workers| bimodal(workers, 0.30),
    },
    Tail {
        name: "bimodal_60",
        what: "the same at 60 %",
        prepare: |workers| bimodal(workers, 0.60),
    },
    Tail {
        name: "bimodal_80",
        what: "the same at 80 %",
        prepare: |workers| bimodal(workers, 0.80),
    },
];

const SHORT: Duration = Duration::from_micros(1);
const LONG: Duration = Duration::from_micros(500);
const SHARE_OF_LONG: f64 = 0.005;
const LENGTH: Duration = Duration::from_millis(250);

/// The spawning thread sleeps so long at a time.
const PAUSE: Duration = Duration::from_micros(50);

struct Arrival {
    due: Duration,
    work: Duration,
}

fn bimodal(workers: usize, load: f64) -> TailRound {
    let runtime = multi_thread(workers);
    let latch = Latch::new();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let arrivals = plan(load * workers.min(cores) as f64);
    Box::new(move || {
        latch.arm(arrivals.len());
        let notes = Notes::new(arrivals.len());
        let start = Instant::now();
        for (i, &Arrival { due, work }) in arrivals.iter().enumerate() {
            while start.elapsed() < due {
                std::thread::sleep(PAUSE);
            }
            let (latch, notes) = (latch.clone(), notes.clone());
            runtime.spawn(async move {
                busy(work);
                notes.note(i, start.elapsed() - due);
                latch.count_down();
            });
        }
        latch.wait();
        notes.read()
    })
}

/// The same for everybody: exponential pauses, so that on average `cores` are busy.
fn plan(cores: f64) -> Vec<Arrival> {
    let mean = SHORT.mul_f64(1.0 - SHARE_OF_LONG) + LONG.mul_f64(SHARE_OF_LONG);
    let pause = mean.div_f64(cores);
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    // xorshift: in (0, 1].
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 11) + 1) as f64 / (1_u64 << 53) as f64
    };
    let mut arrivals = Vec::new();
    let mut due = Duration::ZERO;
    while due < LENGTH {
        due += pause.mul_f64(-random().ln());
        let is_long = random() <= SHARE_OF_LONG;
        let work = if is_long { LONG } else { SHORT };
        arrivals.push(Arrival { due, work });
    }
    arrivals
}
