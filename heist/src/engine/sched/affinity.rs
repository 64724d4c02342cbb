//! Threads and the cores they run on.

/// Has this thread run on one core only: the `index`th, counted round, of those that it may use. False if the
/// system does not let it, or cannot.
#[cfg(target_os = "linux")]
pub(crate) fn pin(index: usize) -> bool {
    let size = size_of::<libc::cpu_set_t>();
    // SAFETY: a set of bits, for which all zeros are valid.
    let mut allowed: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a set of the size given; 0 is this thread.
    if unsafe { libc::sched_getaffinity(0, size, &raw mut allowed) } != 0 {
        return false;
    }
    // SAFETY: the numbers are within the set.
    let is_allowed = |cpu: &usize| unsafe { libc::CPU_ISSET(*cpu, &allowed) };
    let cpus: Vec<usize> = (0..8 * size).filter(is_allowed).collect();
    if cpus.is_empty() {
        return false;
    }
    // SAFETY: as above.
    let mut chosen: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the number is within the set.
    unsafe { libc::CPU_SET(cpus[index % cpus.len()], &mut chosen) };
    // SAFETY: the pointer is to a set of the size given; 0 is this thread.
    unsafe { libc::sched_setaffinity(0, size, &raw const chosen) == 0 }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn pin(_index: usize) -> bool {
    false
}

/// The number of the core that this thread is on, at this moment.
#[cfg(target_os = "linux")]
pub(crate) fn processor() -> Option<usize> {
    // SAFETY: it takes nothing, and has no conditions.
    usize::try_from(unsafe { libc::sched_getcpu() }).ok()
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn processor() -> Option<usize> {
    None
}

#[cfg(all(test, not(heist_loom), target_os = "linux"))]
mod tests {
    #[test]
    fn a_pinned_thread_is_on_its_core() {
        let pinned = std::thread::spawn(|| {
            let before = std::thread::available_parallelism().unwrap().get();
            assert!(super::pin(before + 1));
            let processor = super::processor();
            assert!(processor.is_some());
            std::thread::yield_now();
            assert_eq!(super::processor(), processor);
            std::thread::available_parallelism().unwrap().get()
        });
        assert_eq!(pinned.join().unwrap(), 1);
    }
}
