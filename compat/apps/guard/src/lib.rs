//! Sees that a test binary has no Tokio in it but heist.
//!
//! Cargo only warns when it drops a patch, and the program then runs, on the real Tokio. So each
//! test binary asks [`assert_no_other_tokio`].

use std::any::type_name;
use std::fs;
use std::path::Path;

/// Panics unless `tokio` is heist in this binary, in all of it, and in the whole lock file.
pub fn assert_no_other_tokio() {
    // What this crate links.
    let name = type_name::<tokio::net::TcpStream>();
    assert!(
        name.starts_with("heist::"),
        "tokio::net::TcpStream is {name}"
    );

    // What anything in this binary links: the registry's Tokio would leave the paths of its files
    // in the panics it may raise. (Written backwards here, so as not to be found.)
    let program = fs::read(std::env::current_exe().expect("a program has a path"))
        .expect("a program can be read");
    let trace = b".1-oikot/".iter().rev().copied().collect::<Vec<_>>();
    assert!(
        !program.windows(trace.len()).any(|window| window == trace),
        "the registry's Tokio is in this binary"
    );

    // What cargo resolved.
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
    let lock = fs::read_to_string(lock).expect("the workspace has a lock file");
    let tokios: Vec<&str> = lock
        .split("[[package]]")
        .filter(|package| package.contains("\nname = \"tokio\"\n"))
        .collect();
    assert_eq!(tokios.len(), 1, "more than one Tokio: {tokios:?}");
    assert!(
        !tokios[0].contains("\nsource = "),
        "not the shim: {}",
        tokios[0]
    );
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    /// An operator's variable, which the program itself never reads.
    #[test]
    fn the_environment_says_how_many_workers() {
        const VARIABLE: &str = "TOKIO_WORKER_THREADS";
        // Not what it would be without.
        let workers = std::thread::available_parallelism().unwrap().get() + 1;
        if std::env::var(VARIABLE).is_ok_and(|value| value == workers.to_string()) {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            assert_eq!(runtime.metrics().num_workers(), workers);
            return;
        }
        let again = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "tests::the_environment_says_how_many_workers"])
            .env(VARIABLE, workers.to_string())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&again.stdout);
        assert!(
            again.status.success() && said.contains("1 passed"),
            "{said}"
        );
    }
}
