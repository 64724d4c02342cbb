//! Cargo: what is in a graph, and building the generated projects.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::options::Options;
use crate::suite::{Suite, TestFile, packages};
use crate::{Result, run};

/// Which runtime answers to the name `tokio`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// The shim, by a patch.
    Heist,
    /// The registry's.
    Tokio,
}

impl Side {
    /// As it stands in folder names and messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Side::Heist => "heist",
            Side::Tokio => "tokio",
        }
    }
}

/// What became of a test file.
#[derive(Clone)]
pub(crate) enum Built {
    /// It is in a test program.
    Program {
        path: PathBuf,
        /// The module it is there, if the program is made of several files.
        module: Option<String>,
    },
    /// It does not compile; the compiler's errors.
    Errors(Vec<String>),
}

/// The program that runs us, or the one on the path.
fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // Ours to set, and only then the same on both sides.
    command
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("CARGO_BUILD_JOBS");
    command
}

fn rustc(args: &[&str]) -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .args(args)
        .stderr(Stdio::inherit())
        .output()?;
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// Warnings in other people's tests are no news here.
fn rustflags(side: Side, unstable: bool) -> String {
    let mut flags = "--cap-lints=allow".to_owned();
    if unstable {
        flags.push_str(" --cfg tokio_unstable");
    }
    if side == Side::Heist {
        // For `--schedulers`, and always: so that one build serves all runs.
        flags.push_str(" --cfg heist_scheduler_from_env");
    }
    flags
}

/// Writes a project with an empty library; an unchanged manifest is left alone, and its lock too.
pub(crate) fn write_project(dir: &Path, manifest: &str) -> Result<()> {
    write_if_changed(&dir.join("Cargo.toml"), manifest)?;
    write_if_changed(&dir.join("src/lib.rs"), "")
}

fn write_if_changed(path: &Path, content: &str) -> Result<()> {
    if std::fs::read_to_string(path).ok().as_deref() != Some(content) {
        std::fs::create_dir_all(path.parent().ok_or("a file without a folder")?)?;
        std::fs::write(path, content)?;
    }
    Ok(())
}

/// `cargo metadata` of a project, for this machine's target.
pub(crate) fn metadata(dir: &Path, unstable: bool) -> Result<Value> {
    let host = rustc(&["-vV"])?;
    let host = host
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap_or_default();
    let output = cargo()
        .current_dir(dir)
        .env("RUSTFLAGS", rustflags(Side::Tokio, unstable))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--filter-platform",
            host,
        ])
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(format!("cargo metadata failed in {}", dir.display()).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Where the generated project of one side is.
pub(crate) fn project_path(suite: &Suite, side: Side, work: &Path) -> PathBuf {
    work.join(format!("{}-{}", suite.label(), side.name()))
}

/// How many files go into one program: most of the time it takes to build one alone is linking.
const BUNDLE: usize = 24;

/// How often the files that broke a bundle are taken out of it before all of it is built one by one.
const ATTEMPTS: usize = 3;

/// Builds `files` for one side. A file that does not compile stops no other.
pub(crate) fn build(
    suite: &Suite,
    side: Side,
    files: &[&TestFile],
    options: &Options,
    work: &Path,
) -> Result<BTreeMap<String, Built>> {
    let project = project_path(suite, side, work);
    let shim = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tokio")
        .canonicalize()?;
    let shim = (side == Side::Heist).then_some(shim);
    let bundles: Vec<_> = files
        .chunks(BUNDLE)
        .enumerate()
        .map(|(number, _)| format!("bundle_{number}"))
        .collect();
    write_project(&project, &suite.manifest(shim.as_deref(), &bundles))?;
    for bundle in &bundles {
        write_if_changed(&bundle_path(&project, bundle), "")?;
    }
    check_graph(&project, suite, shim.as_deref())?;

    eprintln!(
        "building {} file(s) of {} with {}",
        files.len(),
        suite.label(),
        side.name()
    );
    let cargo = Compile {
        project: &project,
        side,
        // The flags differ, and would have all of it built anew each time.
        target: work.join(format!(
            "target-{}{}",
            side.name(),
            if suite.unstable { "-unstable" } else { "" }
        )),
        unstable: suite.unstable,
        jobs: options.jobs,
    };

    // Several files in one program, as modules: what compiles there is done.
    let mut built = BTreeMap::new();
    let mut open: BTreeMap<&str, Vec<&TestFile>> = bundles
        .iter()
        .map(String::as_str)
        .zip(files.chunks(BUNDLE).map(<[_]>::to_vec))
        .collect();
    let mut alone: Vec<&TestFile> = Vec::new();
    for attempt in 0.. {
        open.retain(|_, files| files.len() > 1 || (alone.append(files), false).1);
        if open.is_empty() {
            break;
        }
        for (bundle, files) in &open {
            write_if_changed(&bundle_path(&project, bundle), &bundle_of(files))?;
        }
        let names: Vec<_> = open.keys().copied().collect();
        for (bundle, result) in cargo.run(&names)? {
            let Some(files) = open.get_mut(bundle.as_str()) else {
                continue;
            };
            match result {
                Built::Program { path, .. } => {
                    for file in std::mem::take(files) {
                        let module = Some(module_of(file));
                        let path = path.clone();
                        built.insert(file.name.clone(), Built::Program { path, module });
                    }
                }
                Built::Errors(errors) => {
                    // Those that are named in the errors are built alone, and tell more there.
                    let is_named = |file: &&TestFile| errors.iter().any(|e| e.contains(&file.path));
                    let (named, rest): (Vec<_>, Vec<_>) =
                        std::mem::take(files).into_iter().partition(is_named);
                    if named.is_empty() || attempt + 1 == ATTEMPTS {
                        alone.extend(named);
                        alone.extend(rest);
                    } else {
                        alone.extend(named);
                        *files = rest;
                    }
                }
            }
        }
    }
    if !alone.is_empty() {
        let names: Vec<_> = alone.iter().map(|file| file.name.as_str()).collect();
        built.extend(cargo.run(&names)?);
    }

    for (name, built) in &built {
        if let Built::Errors(errors) = built {
            let log = run::log_path(work, suite, side, name, "compile");
            std::fs::create_dir_all(log.parent().unwrap_or(work))?;
            std::fs::write(log, errors.join("\n"))?;
        }
    }
    Ok(built)
}

fn bundle_path(project: &Path, bundle: &str) -> PathBuf {
    project.join("bundles").join(format!("{bundle}.rs"))
}

fn module_of(file: &TestFile) -> String {
    format!("file_{}", file.name)
}

fn bundle_of(files: &[&TestFile]) -> String {
    let modules = files.iter().map(|file| {
        let (path, module) = (Value::from(file.path.as_str()), module_of(file));
        format!("#[path = {path}]\nmod {module};\n")
    });
    modules.collect()
}

/// One call of cargo.
struct Compile<'a> {
    project: &'a Path,
    side: Side,
    target: PathBuf,
    unstable: bool,
    jobs: usize,
}

impl Compile<'_> {
    /// Builds these test targets.
    fn run(&self, targets: &[&str]) -> Result<BTreeMap<String, Built>> {
        let mut child = cargo()
            .current_dir(self.project)
            .env("RUSTFLAGS", rustflags(self.side, self.unstable))
            .env("CARGO_TARGET_DIR", &self.target)
            .args(["build", "--keep-going", "--quiet", "--message-format=json"])
            .arg(format!("-j{}", self.jobs))
            .args(targets.iter().flat_map(|name| ["--test", name]))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;

        // Cargo's own complaints, told only when they are the whole story.
        let stderr = child.stderr.take().ok_or("no stderr")?;
        let complaints = std::thread::spawn(move || std::io::read_to_string(stderr));

        let mut built: BTreeMap<String, Built> = targets
            .iter()
            .map(|name| ((*name).to_owned(), Built::Errors(Vec::new())))
            .collect();
        let mut broken = Vec::new();
        for line in BufReader::new(child.stdout.take().ok_or("no stdout")?).lines() {
            let Ok(message) = serde_json::from_str::<Value>(&line?) else {
                continue;
            };
            let name = message["target"]["name"].as_str().unwrap_or_default();
            let slot = (message["target"]["kind"][0] == "test")
                .then(|| built.get_mut(name))
                .flatten();
            match (message["reason"].as_str(), slot) {
                (Some("compiler-artifact"), Some(slot)) => {
                    if let Some(program) = message["executable"].as_str() {
                        let (path, module) = (program.into(), None);
                        *slot = Built::Program { path, module };
                    }
                }
                (Some("compiler-message"), slot) if message["message"]["level"] == "error" => {
                    let text = message["message"]["rendered"]
                        .as_str()
                        .unwrap_or_default()
                        .to_owned();
                    match slot {
                        Some(Built::Errors(errors)) => errors.push(text),
                        _ => broken.push(text),
                    }
                }
                _ => {}
            }
        }
        child.wait()?;
        let complaints = complaints.join().map_err(|_| "lost cargo's messages")??;
        // An error outside the test files, in the shim say, fails every file: that is worth a stop.
        if built
            .values()
            .all(|b| matches!(b, Built::Errors(errors) if errors.is_empty()))
        {
            broken.push(complaints);
            return Err(format!("nothing could be built\n{}", broken.join("\n")).into());
        }
        Ok(built)
    }
}

/// A patch that does not fit is dropped with a mere warning: the run would then test Tokio against
/// itself. On the shim's side the one `tokio` must be the shim, on the other the registry's.
fn check_graph(project: &Path, suite: &Suite, shim: Option<&Path>) -> Result<()> {
    let metadata = metadata(project, suite.unstable)?;
    let nodes = metadata["resolve"]["nodes"]
        .as_array()
        .into_iter()
        .flatten();
    let used: Vec<_> = nodes.map(|node| &node["id"]).collect();
    let mut found = 0;
    for package in packages(&metadata).filter(|package| used.contains(&&package["id"])) {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
        match package["name"].as_str() {
            Some("tokio") => found += 1,
            Some("tokio-macros") if shim.is_some() => {}
            _ => continue,
        }
        let is_shim = shim.is_some_and(|shim| manifest.starts_with(shim));
        if is_shim != shim.is_some() {
            let (side, manifest) = (project.display(), manifest.display());
            return Err(format!("{side}: the wrong runtime is in the graph: {manifest}").into());
        }
    }
    if found == 1 {
        Ok(())
    } else {
        Err(format!("{found} packages are called tokio").into())
    }
}
