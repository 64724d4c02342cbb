//! A runtime that loses a wake would hang the race: say where, and end it.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Far longer than any round or probe takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// Ends the process when one thing takes longer than `PATIENCE`.
pub(crate) struct Watchdog {
    watched: Arc<Mutex<Watched>>,
}

struct Watched {
    what: String,
    since: Instant,
}

impl Watchdog {
    pub(crate) fn start() -> Self {
        let watched = Arc::new(Mutex::new(Watched {
            what: "starting".to_owned(),
            since: Instant::now(),
        }));
        let weak = Arc::downgrade(&watched);
        thread::spawn(move || {
            while let Some(watched) = weak.upgrade() {
                let watched = watched.lock().unwrap();
                if watched.since.elapsed() > PATIENCE {
                    eprintln!(
                        "\nrace: stuck for {PATIENCE:?} in {}: giving up",
                        watched.what
                    );
                    std::process::exit(3);
                }
                drop(watched);
                thread::sleep(Duration::from_secs(1));
            }
        });
        Self { watched }
    }

    /// Says what runs from now on.
    pub(crate) fn watch(&self, workload: &str, side: &str) {
        let mut watched = self.watched.lock().unwrap();
        watched.what = format!("{workload} on {side}");
        watched.since = Instant::now();
    }
}
