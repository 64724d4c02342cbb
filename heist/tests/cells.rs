//! The memory of tasks: what is kept for the next ones, and what is not.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::RefCell;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use heist::runtime::{Builder, Handle, Runtime};
use heist::task::JoinHandle;

/// Knows how many bytes are in use.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static LIVE: AtomicIsize = AtomicIsize::new(0);

#[allow(unsafe_code, reason = "an allocator is an unsafe trait")]
// SAFETY: every call goes to `System` with the arguments it came with.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size() as isize, Relaxed);
        // SAFETY: the caller's promises are those that `System` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size() as isize, Relaxed);
        // SAFETY: as above; `pointer` came from `System`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// The tests of this file run one after the other: one counts what all of the process has.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn runtime() -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(2)
        .build()
        .unwrap()
}

/// The depot's bound, and room for what is not about tasks.
const LITTLE: isize = (512 + 128) * 1024;

#[test]
fn what_was_running_leaves_little_behind() {
    let _alone = alone();
    drop(runtime());
    let before = LIVE.load(Relaxed);

    // Many at once: beyond the bound their memory goes back.
    let many = runtime();
    for _ in 0..20_000 {
        many.spawn(std::future::pending::<()>());
    }
    assert!(LIVE.load(Relaxed) - before > 2_000_000);
    drop(many);
    let left = LIVE.load(Relaxed) - before;
    assert!(left < LITTLE, "{left} bytes");

    // Many threads, one after the other, that freed tasks: what they kept goes back when they end.
    for _ in 0..100 {
        let runtime = runtime();
        // Detached, so that it is the workers that free them.
        let ended = Arc::new(AtomicUsize::new(0));
        for _ in 0..200 {
            let ended = ended.clone();
            drop(runtime.spawn(async move { ended.fetch_add(1, Relaxed) }));
        }
        while ended.load(Relaxed) < 200 {
            thread::yield_now();
        }
        let spawner = {
            let handle = runtime.handle().clone();
            thread::spawn(move || handle.spawn(async {}))
        };
        runtime.block_on(spawner.join().unwrap()).unwrap();
    }
    let left = LIVE.load(Relaxed) - before;
    assert!(left < LITTLE, "{left} bytes");
}

/// While tasks come and go; not where there are none, nor when the runtime is no more.
#[test]
fn the_memory_of_large_tasks_is_kept_for_a_while() {
    const SIZE: usize = 20_000;
    const MANY: u8 = 200;
    const ALL: isize = SIZE as isize * MANY as isize;
    let _alone = alone();
    drop(runtime());
    let before = LIVE.load(Relaxed);
    let used = || LIVE.load(Relaxed) - before;
    let runtime = runtime();
    let burst = || {
        let tasks: Vec<_> = (0..MANY).map(|_| runtime.spawn(carry::<SIZE>(1))).collect();
        // The threads of other tests that end give back what they kept.
        assert!(used() > ALL - ALL / 4);
        for task in tasks {
            runtime.block_on(task).unwrap();
        }
    };
    for _ in 0..3 {
        burst();
        let most = ALL + ALL / 4;
        assert!(used() < most, "{} bytes for {ALL}", used());
        if !cfg!(heist_no_cell_pool) {
            assert!(used() > ALL / 2, "{} bytes are kept", used());
        }
    }
    let start = Instant::now();
    while used() > LITTLE {
        assert!(start.elapsed() < Duration::from_secs(60), "{}", used());
        thread::sleep(Duration::from_millis(10));
    }
    burst();
    drop(runtime);
    assert!(used() < LITTLE, "{} bytes", used());
}

/// Who shuts a runtime down need not wait until its tasks have ended.
#[test]
fn what_ends_after_its_runtime_was_left_leaves_little_behind() {
    const SIZE: usize = 20_000;
    let _alone = alone();
    drop(runtime());
    let before = LIVE.load(Relaxed);
    let used = || LIVE.load(Relaxed) - before;
    for _ in 0..20 {
        let runtime = runtime();
        for _ in 0..100 {
            drop(runtime.spawn(async {
                let bytes = [1; SIZE];
                std::future::pending::<()>().await;
                std::hint::black_box(&bytes);
            }));
        }
        assert!(used() > SIZE as isize * 75);
        runtime.shutdown_background();
        let start = Instant::now();
        while used() > LITTLE {
            assert!(start.elapsed() < Duration::from_secs(60), "{}", used());
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Carries bytes across an await, and finds them unchanged.
async fn carry<const N: usize>(fill: u8) -> usize {
    let bytes = [fill; N];
    heist::task::yield_now().await;
    assert!(
        std::hint::black_box(&bytes)
            .iter()
            .all(|byte| *byte == fill)
    );
    if fill % 8 == 7 {
        // A panic without the hook's words.
        std::panic::resume_unwind(Box::new(N));
    }
    N
}

async fn joined<const N: usize>(task: JoinHandle<usize>, fill: u8) {
    match task.await {
        Ok(size) => assert_eq!(size, N),
        Err(error) => {
            assert_eq!(fill % 8, 7);
            assert_eq!(error.into_panic().downcast_ref::<usize>(), Some(&N));
        }
    }
}

#[test]
fn tasks_of_all_sizes_have_their_memory_for_themselves() {
    let _alone = alone();
    let runtime = runtime();
    macro_rules! sizes {
        ($($n:literal)*) => {
            for _ in 0..20 {
                $(
                    let tasks: Vec<_> = (0..50).map(|fill| (runtime.spawn(carry::<$n>(fill)), fill)).collect();
                    // Half of them end with nobody to take their output.
                    for (task, fill) in tasks.into_iter().step_by(2) {
                        runtime.block_on(joined::<$n>(task, fill));
                    }
                )*
            }
        };
    }
    sizes!(0 1 7 8 9 15 16 17 64 100 128 255 256 400 511 512 600 700 800 850 890 900 910 920 1000 1024 1100 5000 30000);
}

#[test]
fn tasks_are_aligned() {
    #[repr(align(64))]
    struct Wide(u8);

    async fn address<T: Send>(value: T) -> usize {
        heist::task::yield_now().await;
        (&raw const value).addr()
    }

    let _alone = alone();
    let runtime = runtime();
    for _ in 0..200 {
        let narrow = runtime.spawn(address(1_u64));
        let wide = runtime.spawn(address(Wide(1)));
        let sixteen = runtime.spawn(address(1_u128));
        assert_eq!(runtime.block_on(narrow).unwrap() % align_of::<u64>(), 0);
        assert_eq!(runtime.block_on(wide).unwrap() % align_of::<Wide>(), 0);
        assert_eq!(runtime.block_on(sixteen).unwrap() % align_of::<u128>(), 0);
    }
    assert_eq!(Wide(1).0, 1);
}

/// Has a task until its thread ends, and spawns another one then.
struct AtTheEnd(JoinHandle<()>, Handle);

impl Drop for AtTheEnd {
    fn drop(&mut self) {
        assert!(self.0.is_finished());
        drop(self.1.spawn(async {}));
    }
}

#[test]
fn a_thread_that_ends_frees_and_spawns() {
    thread_local! {
        static LAST: RefCell<Option<AtTheEnd>> = const { RefCell::new(None) };
    }

    let _alone = alone();
    let runtime = runtime();
    for _ in 0..50 {
        let handle = runtime.handle().clone();
        let ended = thread::spawn(move || {
            // Known to the thread before any cell is: its destructor comes after the cells'.
            LAST.with(|last| assert!(last.borrow().is_none()));
            let task = handle.spawn(async {});
            while !task.is_finished() {
                thread::yield_now();
            }
            LAST.with(|last| *last.borrow_mut() = Some(AtTheEnd(task, handle.clone())));
        });
        ended.join().unwrap();
    }
}
