//! How much one round is, where more than one file has to agree on it.

/// `chained_spawn`: so many chains, one after the other, each so deep.
pub(crate) const CHAINS: usize = 50;
pub(crate) const DEPTH: usize = 1_000;

/// `ping_pong`: so many times so many pairs.
pub(crate) const PING_REPEATS: usize = 20;
pub(crate) const PAIRS: usize = 1_000;

/// `spawn_many`: so many times so many tasks.
pub(crate) const SPAWN_REPEATS: usize = 3;
pub(crate) const SPAWNS: usize = 10_000;

/// `yield_many`: so many tasks, so many yields each.
pub(crate) const YIELDERS: usize = 200;
pub(crate) const YIELDS: usize = 1_000;
/// `yield_lone`.
pub(crate) const LONE_YIELDS: usize = 30_000;

/// `spawn_from_worker`: so many times so many tasks.
pub(crate) const FAN_REPEATS: usize = 25;
pub(crate) const FAN: usize = 1_000;
/// `fan_out_flat` and `fan_out_tree`.
pub(crate) const LEAVES: usize = 32_768;
/// `remote_spawn_1` and `_4`: all threads together.
pub(crate) const REMOTE_SPAWNS: usize = 12_800;

/// `request_reply_task` and `_block_on`.
pub(crate) const ASKED_BY_TASK: usize = 40_000;
pub(crate) const ASKED_BY_BLOCK_ON: usize = 1_000;

/// `mpsc_*`: all producers together.
pub(crate) const MESSAGES: usize = 100_000;
/// `ring_500`.
pub(crate) const RING: usize = 500;
pub(crate) const HOPS: usize = 100 * RING;

/// `mutex_*`, `rwlock_*`, `semaphore_*`: so many tasks, and how often each locks.
pub(crate) const LOCKERS: usize = 10;
pub(crate) const BRIEF_LOCKS: usize = 20_000;
pub(crate) const HELD_LOCKS: usize = 2_000;
pub(crate) const PERMITS: usize = 5;

/// `timeout_ready`.
pub(crate) const READY: usize = 200_000;
/// `timer_churn`: so many tasks, so many timers each.
pub(crate) const CHURNERS: usize = 8;
pub(crate) const CHURNS: usize = 4_000;

/// `spawn_blocking_seq` and `_burst`.
pub(crate) const BLOCKING_CALLS: usize = 1_000;

/// `tcp_echo_*`: the bytes of a message, and how often a connection sends one.
pub(crate) const MESSAGE_BYTES: usize = 64;
pub(crate) const fn exchanges(connections: usize) -> usize {
    match connections {
        1 => 1_000,
        50 => 30,
        _ => 2,
    }
}
