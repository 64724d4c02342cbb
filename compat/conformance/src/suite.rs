//! A registry package and the tests it carries.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::options::matches;
use crate::{Result, cargo};

/// The packages that can be run: name, version, features switched on. The versions are fixed, as the
/// committed baselines are of these.
const SUITES: [(&str, &str, &[&str]); 3] = [
    ("tokio", "=1.54.1", &["full", "test-util"]),
    ("tokio-stream", "=0.1.19", &["default", "full"]),
    ("tokio-util", "=0.7.20", &["full"]),
];

/// heist's strategies but the default, by the names that `HEIST_SCHEDULER` knows.
pub(crate) const SCHEDULERS: [&str; 4] = ["round_robin", "sharded", "global_queue", "classes"];

/// One test file.
pub(crate) struct TestFile {
    pub(crate) name: String,
    pub(crate) path: String,
}

/// One dependency of the package, as its manifest states it.
struct Dependency {
    name: String,
    rename: Option<String>,
    req: String,
    features: Vec<String>,
    default_features: bool,
    target: Option<String>,
    dev: bool,
}

/// A package of the registry, its test files and what they need to be built.
pub(crate) struct Suite {
    /// The package's name.
    pub(crate) name: String,
    /// The version cargo found.
    pub(crate) version: String,
    /// Whether both sides are built with `--cfg tokio_unstable`.
    pub(crate) unstable: bool,
    /// The strategy that the tests are run with, if it is not the default.
    pub(crate) scheduler: Option<&'static str>,
    /// The files, in the order of their names.
    pub(crate) files: Vec<TestFile>,
    edition: String,
    homepage: String,
    features: BTreeSet<String>,
    enabled: BTreeSet<String>,
    asked: &'static [&'static str],
    dependencies: Vec<Dependency>,
}

impl Suite {
    /// Lets cargo fetch the package and tell what is in it.
    pub(crate) fn find(name: &str, unstable: bool, work: &Path) -> Result<Self> {
        let (_, req, asked) = SUITES
            .into_iter()
            .find(|(known, ..)| *known == name)
            .ok_or_else(|| format!("no suite `{name}`"))?;

        let probe = work.join(format!("{name}-probe"));
        let manifest = format!(
            "[package]\nname = \"probe\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\
             [workspace]\n[dependencies]\n{name} = \"{req}\"\n"
        );
        cargo::write_project(&probe, &manifest)?;
        let metadata = cargo::metadata(&probe, unstable)?;
        let package = packages(&metadata)
            .find(|package| package["name"] == name)
            .ok_or_else(|| format!("cargo does not know the package {name}"))?;

        let all = &package["features"];
        let enabled = closure(all, asked);
        let dependencies = package["dependencies"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|dependency| is_wanted(dependency, &enabled))
            .map(Dependency::from_metadata)
            .collect();
        let mut files: Vec<_> = package["targets"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|target| target["kind"][0] == "test")
            .map(|target| TestFile {
                name: text(&target["name"]),
                path: text(&target["src_path"]),
            })
            .collect();
        files.sort_by(|a, b| a.name.cmp(&b.name));

        Ok(Self {
            name: name.to_owned(),
            version: text(&package["version"]),
            unstable,
            scheduler: None,
            files,
            edition: text(&package["edition"]),
            homepage: text(&package["homepage"]),
            features: all
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, _)| name.clone())
                .collect(),
            enabled,
            asked,
            dependencies,
        })
    }

    /// The name the expectations and logs go by.
    pub(crate) fn run_label(&self) -> String {
        match self.scheduler {
            None => self.label(),
            Some(scheduler) => format!("{}-{scheduler}", self.label()),
        }
    }

    /// Whether a test file is about the runtime, and so about its strategy.
    pub(crate) fn is_about_runtime(&self, file: &str) -> bool {
        self.name == "tokio"
            && ["rt_*", "task_*", "join_*"]
                .iter()
                .any(|p| matches(p, file))
    }

    /// The name that builds and baselines go by.
    pub(crate) fn label(&self) -> String {
        let suffix = if self.unstable { "-unstable" } else { "" };
        format!("{}{suffix}", self.name)
    }

    /// Where it is noted what passes with Tokio.
    pub(crate) fn baseline_path(&self, here: &Path) -> PathBuf {
        here.join("baseline").join(format!("{}.txt", self.label()))
    }

    /// The first line there: what the notes are about.
    pub(crate) fn baseline_key(&self) -> String {
        format!(
            "# {} {}: what passes with Tokio",
            self.label(),
            self.version
        )
    }

    /// The manifest of a project that has the package's test files as its own, with the
    /// dependencies and the feature names that they are written for.
    pub(crate) fn manifest(&self, shim: Option<&Path>, bundles: &[String]) -> String {
        let mut toml = format!(
            "[package]\nname = \"under-test\"\nversion = \"0.0.0\"\nedition = \"{}\"\n\
             # There are tests that read their own manifest.\nhomepage = \"{}\"\n\
             autotests = false\n\n[workspace]\n\n\
             [lib]\nname = \"under_test\"\ntest = false\ndoctest = false\n\n\
             [profile.dev]\ndebug = 0\nincremental = false\n\n",
            self.edition, self.homepage
        );

        // The files ask `cfg(feature = …)` of the package they are built in: this one.
        toml.push_str("[features]\n");
        for name in self.features.iter().filter(|name| *name != "default") {
            let _ = writeln!(toml, "{name} = []");
        }
        let enabled = self
            .enabled
            .iter()
            .filter(|name| self.features.contains(*name));
        let enabled: Vec<_> = enabled.filter(|name| *name != "default").cloned().collect();
        let _ = writeln!(toml, "default = {}\n", list(&enabled));

        let asked: Vec<_> = self.asked.iter().map(|name| (*name).to_owned()).collect();
        let _ = writeln!(
            toml,
            "[dependencies.{}]\nversion = \"={}\"\nfeatures = {}\n",
            self.name,
            self.version,
            list(&asked)
        );
        for dependency in &self.dependencies {
            dependency.write(&mut toml);
        }

        for file in &self.files {
            let _ = writeln!(
                toml,
                "[[test]]\nname = \"{}\"\npath = {}\n",
                file.name,
                Value::from(file.path.as_str())
            );
        }
        for bundle in bundles {
            let _ = writeln!(
                toml,
                "[[test]]\nname = \"{bundle}\"\npath = \"bundles/{bundle}.rs\"\n"
            );
        }
        if let Some(shim) = shim {
            let path = Value::from(shim.to_string_lossy());
            let _ = writeln!(toml, "[patch.crates-io]\ntokio = {{ path = {path} }}");
        }
        toml
    }
}

impl Dependency {
    fn from_metadata(value: &Value) -> Self {
        Self {
            name: text(&value["name"]),
            rename: value["rename"].as_str().map(str::to_owned),
            req: text(&value["req"]),
            features: value["features"]
                .as_array()
                .into_iter()
                .flatten()
                .map(text)
                .collect(),
            default_features: value["uses_default_features"] != false,
            target: value["target"].as_str().map(str::to_owned),
            dev: value["kind"] == "dev",
        }
    }

    fn write(&self, toml: &mut String) {
        let target = self
            .target
            .as_ref()
            .map_or(String::new(), |cfg| format!("target.'{cfg}'."));
        let kind = if self.dev {
            "dev-dependencies"
        } else {
            "dependencies"
        };
        let key = self.rename.as_ref().unwrap_or(&self.name);
        let _ = writeln!(
            toml,
            "[{target}{kind}.{key}]\npackage = \"{}\"\nversion = \"{}\"\nfeatures = {}\n\
             default-features = {}\n",
            self.name,
            self.req,
            list(&self.features),
            self.default_features
        );
    }
}

/// The packages of a `cargo metadata` answer.
pub(crate) fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().into_iter().flatten()
}

/// Test files may use the package's own dependencies, those that its features bring in: all but
/// Tokio's macros, which are reached through Tokio and must not be in the shim's graph.
fn is_wanted(dependency: &Value, enabled: &BTreeSet<String>) -> bool {
    let name = dependency["rename"]
        .as_str()
        .or(dependency["name"].as_str())
        .unwrap_or_default();
    match dependency["kind"].as_str() {
        Some("dev") => true,
        None if name == "tokio-macros" => false,
        None => dependency["optional"] != true || enabled.contains(&format!("dep:{name}")),
        _ => false,
    }
}

/// All that `asked` switches on: features, and optional dependencies as `dep:name`.
fn closure(features: &Value, asked: &[&str]) -> BTreeSet<String> {
    let mut enabled = BTreeSet::new();
    let mut open: Vec<String> = asked.iter().map(|name| (*name).to_owned()).collect();
    while let Some(name) = open.pop() {
        if enabled.contains(&name) {
            continue;
        }
        open.extend(features[&name].as_array().into_iter().flatten().map(text));
        // `mio/net` also switches on `mio`; `x?/y` does not.
        if let Some((dependency, _)) = name.split_once('/').filter(|(d, _)| !d.ends_with('?')) {
            open.push(dependency.to_owned());
        }
        enabled.insert(name);
    }
    enabled
}

fn list(names: &[String]) -> String {
    Value::from(names.to_vec()).to_string()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
