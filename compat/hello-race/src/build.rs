//! Builds the two programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::{Error, Side};

const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// Builds one side for the race, and sees that it links the Tokio it should.
pub(crate) fn warm(side: Side) -> Result<PathBuf, Error> {
    let target = target(side, "race");
    cargo(side, &target, true)?;
    let program = target.join("release/hello");
    // A Tokio from the registry leaves its paths in the panics it may raise.
    let real = contains(&fs::read(&program)?, b"/tokio-1.");
    if real != (side == Side::Tokio) {
        return Err(format!("{} links the wrong Tokio", program.display()).into());
    }
    Ok(program)
}

/// Seconds that a build from nothing takes; the sources are fetched before.
pub(crate) fn cold(side: Side, release: bool) -> Result<f64, Error> {
    eprintln!(
        "cold build, {}, {}",
        if release { "release" } else { "dev" },
        side.name()
    );
    let manifest = manifest(side);
    check(
        Command::new("cargo")
            .args(["fetch", "--quiet", "--locked", "--manifest-path"])
            .arg(&manifest),
    )?;
    let target = target(side, "cold");
    if target.exists() {
        fs::remove_dir_all(&target)?;
    }
    let began = Instant::now();
    cargo(side, &target, release)?;
    let took = began.elapsed().as_secs_f64();
    fs::remove_dir_all(&target)?;
    Ok(took)
}

fn cargo(side: Side, target: &Path, release: bool) -> Result<(), Error> {
    let mut command = Command::new("cargo");
    command
        .args(["build", "--quiet", "--locked", "--manifest-path"])
        .arg(manifest(side));
    command
        .env("CARGO_TARGET_DIR", target)
        .env("CARGO_INCREMENTAL", "0");
    if release {
        command.arg("--release");
    }
    check(&mut command)
}

fn check(command: &mut Command) -> Result<(), Error> {
    let status = command.status()?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{command:?}: {status}").into())
    }
}

fn manifest(side: Side) -> PathBuf {
    Path::new(HERE).join(format!("on-{}/Cargo.toml", side.name()))
}

/// Beside this program, wherever cargo was told to put it.
fn target(side: Side, what: &str) -> PathBuf {
    let own = std::env::current_exe().expect("a program has a path");
    let profile = own.parent().expect("it is in a directory");
    profile.join(format!("hello-{what}-{}", side.name()))
}

fn contains(whole: &[u8], part: &[u8]) -> bool {
    whole.windows(part.len()).any(|window| window == part)
}
