//! A crate as rustdoc's JSON has it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::Result;

/// One crate's JSON.
pub(crate) struct Document {
    /// The crate's name, as it stands in paths.
    pub(crate) name: String,
    /// The item that is the crate itself.
    pub(crate) root: String,
    items: BTreeMap<String, Value>,
    paths: BTreeMap<String, Value>,
}

impl Document {
    /// Reads what rustdoc wrote.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        let mut json: Value = serde_json::from_str(&text)?;
        let root = id(&json["root"]);
        let items = map(json["index"].take());
        let name = items[&root]["name"].as_str().unwrap_or_default().to_owned();
        Ok(Self {
            name,
            root,
            paths: map(json["paths"].take()),
            items,
        })
    }

    /// The item behind an id, if it is of this crate.
    pub(crate) fn item(&self, id: &str) -> Option<&Value> {
        self.items.get(id)
    }

    /// Where an item of any crate was defined, and what it is.
    pub(crate) fn origin(&self, id: &str) -> Option<(String, &str)> {
        let entry = self.paths.get(id)?;
        let path: Vec<_> = entry["path"]
            .as_array()?
            .iter()
            .filter_map(Value::as_str)
            .collect();
        Some((path.join("::"), entry["kind"].as_str().unwrap_or_default()))
    }

    /// All ids with a known origin.
    pub(crate) fn origins(&self) -> impl Iterator<Item = (&str, String, &str)> {
        self.paths.keys().filter_map(|id| {
            let (path, kind) = self.origin(id)?;
            Some((id.as_str(), path, kind))
        })
    }
}

/// An id, which older formats write as text and newer ones as a number.
pub(crate) fn id(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The one key of an enum, as serde writes it, and what is below.
pub(crate) fn tag(value: &Value) -> (&str, &Value) {
    match value {
        Value::Object(map) => map
            .iter()
            .next()
            .map_or(("", &Value::Null), |(key, value)| (key.as_str(), value)),
        Value::String(text) => (text, &Value::Null),
        _ => ("", &Value::Null),
    }
}

/// A JSON list, or nothing.
pub(crate) fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn map(value: Value) -> BTreeMap<String, Value> {
    match value {
        Value::Object(map) => map.into_iter().collect(),
        _ => BTreeMap::new(),
    }
}

/// Has rustdoc (of the nightly toolchain: the format is not stable) describe `packages` of the
/// project in `dir`. Hidden items are asked for too, or a visible type in a hidden module is lost.
pub(crate) fn describe(
    dir: &Path,
    target: &Path,
    packages: &[&str],
    rustflags: &str,
) -> Result<Vec<Document>> {
    let mut documents = Vec::new();
    for package in packages {
        let mut cargo = Command::new("cargo");
        // Cargo names itself, its toolchain and its flags to what it runs: us.
        for name in ["CARGO", "RUSTC", "RUSTDOC", "RUSTUP_TOOLCHAIN"] {
            cargo.env_remove(name);
        }
        let status = cargo
            .current_dir(dir)
            .env("CARGO_TARGET_DIR", target)
            .env("RUSTFLAGS", rustflags)
            .env("RUSTDOCFLAGS", rustflags)
            .args(["+nightly", "rustdoc", "--quiet", "--lib", "-p", package])
            .args(["--", "-Zunstable-options", "--output-format=json"])
            .args(["--document-hidden-items", "--cap-lints=allow"])
            .status()?;
        if !status.success() {
            return Err(format!("rustdoc failed on {package}").into());
        }
        let file = format!("{}.json", package.replace('-', "_"));
        documents.push(Document::read(&target.join("doc").join(file))?);
    }
    Ok(documents)
}

/// Where builds go: cargo's target directory, or the workspace's.
pub(crate) fn target() -> Result<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| here.join("../target"), PathBuf::from)
        .join("parity");
    std::fs::create_dir_all(&target)?;
    Ok(target.canonicalize()?)
}
