//! What there is to await says, in its documentation, what is lost when the wait is given up, and shows
//! how it is used. The examples themselves are run with the other documentation tests.
#![forbid(unsafe_code)]

use std::fs;
use std::path::{Path, PathBuf};

/// What a function returns that is a future, besides `async fn`.
const FUTURES: [&str; 9] = [
    "impl Future",
    "Sleep",
    "Timeout",
    "Notified",
    "OwnedNotified",
    "TaskLocalFuture",
    "Unconstrained",
    "Coop",
    "YieldNow",
];

/// What the methods of the extension traits return that is none.
const ADAPTERS: [&str; 5] = ["Chain<", "Take<", "Lines<", "Split<", "Self"];

/// A function that is awaited, and what stands above it.
struct Awaited {
    place: String,
    name: String,
    docs: String,
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// From `fn` to the body.
fn signature(lines: &[&str]) -> String {
    let text = lines.iter().take(12).copied().collect::<Vec<_>>().join(" ");
    let end = text.find(['{', ';']).unwrap_or(text.len());
    text[..end].to_owned()
}

fn returned(signature: &str) -> &str {
    let output = signature.rsplit_once("->").map_or("", |(_, output)| output);
    output.split(" where").next().unwrap_or_default().trim()
}

/// The name, if the line begins a function that is to be awaited.
fn awaited(lines: &[&str], in_extension_trait: bool) -> Option<String> {
    let line = lines[0].trim_start();
    let name = |rest: &str| -> Option<String> {
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))?;
        Some(rest[..end].to_owned())
    };
    if let Some(rest) = line.strip_prefix("pub async fn ") {
        return name(rest);
    }
    let signature = signature(lines);
    let output = returned(&signature);
    if let Some(rest) = line.strip_prefix("pub fn ") {
        let is_future = FUTURES.iter().any(|future| {
            let rest = output.strip_prefix(future);
            rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
        });
        return is_future.then(|| name(rest)).flatten();
    }
    let rest = line.strip_prefix("fn ").filter(|_| in_extension_trait)?;
    let is_adapter =
        output.is_empty() || ADAPTERS.iter().any(|adapter| output.starts_with(adapter));
    (!is_adapter).then(|| name(rest)).flatten()
}

/// The documentation and the attributes that end right above `line`.
fn docs_above(lines: &[&str], line: usize) -> String {
    let is_part = |line: &str| {
        let line = line.trim_start();
        ["///", "#[", "//", ")]", "reason"]
            .iter()
            .any(|start| line.starts_with(start))
    };
    let above = lines[..line].iter().rev().take_while(|line| is_part(line));
    above.copied().collect::<Vec<_>>().join("\n")
}

fn all_awaited() -> Vec<Awaited> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut all = Vec::new();
    for file in files {
        let place = file.strip_prefix(&root).unwrap().display().to_string();
        // Nothing in the engine is public.
        if place.starts_with("engine") || place.starts_with("loom") || place.contains("test") {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        let lines: Vec<_> = text.lines().collect();
        let is_extension = place.starts_with("io/ext/") && place.ends_with("_ext.rs");
        for number in 0..lines.len() {
            let Some(name) = awaited(&lines[number..], is_extension) else {
                continue;
            };
            let docs = docs_above(&lines, number);
            if !docs.contains("doc(hidden)") {
                let place = format!("{place}:{}", number + 1);
                all.push(Awaited { place, name, docs });
            }
        }
    }
    all
}

#[test]
fn what_is_awaited_has_an_example_and_says_what_cancelling_costs() {
    let all = all_awaited();
    assert!(all.len() > 150, "only {} functions were found", all.len());
    let mut gaps = String::new();
    for Awaited { place, name, docs } in &all {
        // Nobody presses Ctrl-C while an example is run.
        if docs.contains("no_run") && name != "ctrl_c" {
            gaps.push_str(&format!("{place}: {name}'s example does not run\n"));
        }
        if !docs.contains("```") {
            gaps.push_str(&format!("{place}: {name} has no example\n"));
        }
        if !docs.contains("# Cancel safety") {
            gaps.push_str(&format!("{place}: {name} has no `# Cancel safety`\n"));
        }
    }
    assert!(gaps.is_empty(), "\n{gaps}");
}

#[test]
fn the_scan_finds_what_it_is_to_find() {
    let find = |text: &str, in_trait| awaited(&text.lines().collect::<Vec<_>>(), in_trait);
    assert_eq!(
        find("    pub async fn recv(&mut self) {", false).as_deref(),
        Some("recv")
    );
    assert_eq!(
        find("pub fn sleep(d: Duration) -> Sleep {", false).as_deref(),
        Some("sleep")
    );
    assert_eq!(
        find(
            "pub fn timeout<F>(\n    f: F,\n) -> Timeout<F::IntoFuture>\nwhere\n{",
            false
        )
        .as_deref(),
        Some("timeout")
    );
    assert_eq!(find("pub fn len(&self) -> usize {", false), None);
    assert_eq!(find("pub fn scope(self) -> SleepScope {", false), None);
    assert_eq!(
        find("fn read(&mut self) -> Read<'_, Self>\nwhere\n{", false),
        None
    );
    assert_eq!(
        find("fn read(&mut self) -> Read<'_, Self>\nwhere\n{", true).as_deref(),
        Some("read")
    );
    assert_eq!(
        find("fn take(self, limit: u64) -> Take<Self>\n{", true),
        None
    );
}
