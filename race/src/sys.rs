//! What the kernel says about this process and the machine.

use std::process::Command;

/// What the process has used since it started, all threads together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    /// User and system time.
    pub(crate) cpu_micros: u64,
    /// Times a thread gave its core up to wait.
    pub(crate) voluntary: u64,
    /// Times the kernel took a core away from a thread.
    pub(crate) involuntary: u64,
}

impl Usage {
    #[allow(unsafe_code, reason = "getrusage has no safe wrapper in std")]
    pub(crate) fn now() -> Self {
        let mut raw = std::mem::MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: the pointer is to a live, writable `rusage`, and RUSAGE_SELF is a valid target.
        let code = unsafe { libc::getrusage(libc::RUSAGE_SELF, raw.as_mut_ptr()) };
        assert_eq!(code, 0, "getrusage cannot fail with these arguments");
        // SAFETY: `rusage` is plain integers: the zeroes it began with were already a value.
        let raw = unsafe { raw.assume_init() };
        let micros = |time: libc::timeval| time.tv_sec as u64 * 1_000_000 + time.tv_usec as u64;
        Self {
            cpu_micros: micros(raw.ru_utime) + micros(raw.ru_stime),
            voluntary: raw.ru_nvcsw as u64,
            involuntary: raw.ru_nivcsw as u64,
        }
    }

    pub(crate) fn since(self, earlier: Self) -> Self {
        Self {
            cpu_micros: self.cpu_micros - earlier.cpu_micros,
            voluntary: self.voluntary - earlier.voluntary,
            involuntary: self.involuntary - earlier.involuntary,
        }
    }

    pub(crate) fn plus(self, more: Self) -> Self {
        Self {
            cpu_micros: self.cpu_micros + more.cpu_micros,
            voluntary: self.voluntary + more.voluntary,
            involuntary: self.involuntary + more.involuntary,
        }
    }
}

/// Bytes of this process that are in memory now.
pub(crate) fn resident_bytes() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("Linux has /proc/self/statm");
    let pages: u64 = statm
        .split_whitespace()
        .nth(1)
        .and_then(|field| field.parse().ok())
        .expect("the second field of statm is the resident pages");
    pages * page_bytes()
}

#[allow(unsafe_code, reason = "sysconf has no safe wrapper in std")]
fn page_bytes() -> u64 {
    // SAFETY: sysconf reads no memory of ours and takes any name.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as u64 }
}

/// The machine's one-minute load average, or a dash where it cannot be read.
pub(crate) fn load_average() -> String {
    std::fs::read_to_string("/proc/loadavg")
        .ok()
        .and_then(|text| text.split_whitespace().next().map(String::from))
        .unwrap_or_else(|| "-".to_owned())
}

/// What `/proc/cpuinfo` calls the processor.
pub(crate) fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text
        .lines()
        .find_map(|line| line.strip_prefix("model name"));
    let name = model.and_then(|rest| rest.split_once(':'));
    name.map_or_else(|| "-".to_owned(), |(_, name)| name.trim().to_owned())
}

pub(crate) fn kernel() -> String {
    let text = std::fs::read_to_string("/proc/sys/kernel/osrelease");
    text.map_or_else(|_| "-".to_owned(), |text| text.trim().to_owned())
}

/// The commit that is checked out here, with a `+` if files differ from it.
pub(crate) fn commit() -> String {
    let git = Command::new("git")
        .args(["describe", "--always", "--dirty=+", "--exclude=*"])
        .output();
    let text = git.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    text.ok()
        .filter(|text| !text.is_empty())
        .unwrap_or_else(|| "-".to_owned())
}

/// As many descriptors as the system lets this process have.
#[allow(unsafe_code, reason = "getrlimit has no safe wrapper in std")]
pub(crate) fn raise_descriptor_limit() -> usize {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the pointer is to a live, writable `rlimit`.
    let code = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) };
    assert_eq!(code, 0, "getrlimit cannot fail with these arguments");
    limit.rlim_cur = limit.rlim_max;
    // SAFETY: the pointer is to a live `rlimit`. If it is refused, the old limit stands.
    unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &limit) };
    limit.rlim_cur as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_seen() {
        let before = Usage::now();
        let started = std::time::Instant::now();
        while started.elapsed().as_millis() < 20 {
            std::hint::spin_loop();
        }
        assert!(Usage::now().since(before).cpu_micros > 1_000);
    }

    #[test]
    fn memory_is_seen() {
        let before = resident_bytes();
        let block = std::hint::black_box(vec![1u8; 32 << 20]);
        assert!(resident_bytes() >= before + (block.len() as u64) / 2);
    }
}
