//! The rules of ARCHITECTURE.md that the compiler does not know.
//!
//! Each test names every place that breaks its rule, as `file:line: what and why`. The exceptions
//! are in the tables below, each with its reason; one that is no longer needed fails as well.

#[path = "tidy/source.rs"]
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use source::Source;

/// Module and height. A module names only what is lower; see [`may_name`] for the rest.
const LAYERS: &[(&str, u32)] = &[
    ("loom", 0),
    ("engine/base", 10),
    ("engine/queue", 11),
    ("engine/task", 20),
    ("engine/reactor", 30),
    ("engine/timer", 30),
    ("engine/blocking", 30),
    ("engine/driver", 40),
    ("engine/sched", 50),
    ("engine/context", 60),
    ("sync", SYNC),
];
/// Everything else in the crate: the public modules and what the root exports.
const SURFACE: u32 = 70;
/// The height of `sync` for those who name it. It itself may name up to [`SYNC_NAMES`].
const SYNC: u32 = 69;
const SYNC_NAMES: u32 = 19;

/// Upward names that are meant: file, what it names, why.
const UPWARD: &[(&str, &str, &str)] = &[];

/// Uses of `std` where the seam would do harm or does not reach: file or folder, what, why.
const BESIDE_THE_SEAM: &[(&str, &str, &str)] = &[
    (
        "engine/base/counters.rs",
        "std::sync::atomic",
        "statistics order nothing and would only add interleavings",
    ),
    (
        "engine/base/runtime_id.rs",
        "std::sync::atomic",
        "ids order nothing",
    ),
    (
        "engine/task/id.rs",
        "std::sync::atomic",
        "ids order nothing",
    ),
    (
        "engine/timer/clock.rs",
        "std::sync::atomic",
        "hints in statics, which loom does not have",
    ),
    (
        "engine/timer/stamp.rs",
        "std::sync::",
        "facts about the machine, in statics, which loom does not have",
    ),
    (
        "engine/blocking/pool.rs",
        "std::sync::Arc",
        "loom's cannot hold a dyn; nothing is synchronised through it",
    ),
    (
        "engine/sched/",
        "std::sync::",
        "the schedulers as wholes are not modelled, only their parts",
    ),
    (
        "engine/context.rs",
        "std::sync::",
        "the list of all runtimes is a static, which loom does not have",
    ),
    (
        "sync/mod.rs",
        "std::sync::Arc",
        "the public API is about this one",
    ),
    (
        "sync/mod.rs",
        "std::cell::UnsafeCell",
        "holds the user's value, which a guard lends out for longer than loom can watch",
    ),
    (
        "sync/watch/lock.rs",
        "std::sync",
        "names the guard whose auto traits its own has",
    ),
];

/// Files that hold `unsafe` for others: a macro's text is checked where it is expanded.
const UNSAFE_FOR_OTHERS: &[&str] = &["sync/guard"];

/// Mentioned in the documents and not there yet.
const PLANNED: &[&str] = &[];

/// How long a file of the engine may be, without its tests.
const ENGINE_LINES: usize = 700;

/// The documents whose paths are checked.
const DOCUMENTS: &[&str] = &[
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "README.md",
    "CHANGELOG.md",
    "docs/performance.md",
];

#[track_caller]
fn report(rule: &str, mut findings: Vec<String>) {
    findings.sort();
    findings.dedup();
    assert!(findings.is_empty(), "{rule}\n\n{}\n", findings.join("\n"));
}

/// The shipped code as one text; tests are empty lines in it.
fn shipped_text(source: &Source) -> String {
    source
        .lines()
        .flat_map(|(n, line)| [if source.is_test[n - 1] { "" } else { line }, "\n"])
        .collect()
}

fn line_at(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

// ---------------------------------------------------------------------------------------------
// Layers

/// The entry of [`LAYERS`] that `module` (`engine/task/state`) is in.
fn layer_of(module: &str) -> (&str, u32) {
    LAYERS
        .iter()
        .find(|(prefix, _)| is_in(module, prefix))
        .map_or_else(
            || (module.split('/').next().unwrap_or(module), SURFACE),
            |&(prefix, height)| (prefix, height),
        )
}

fn is_in(module: &str, prefix: &str) -> bool {
    module
        .strip_prefix(prefix)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn may_name(from: &str, to: &str) -> bool {
    let ((from, from_height), (to, to_height)) = (layer_of(from), layer_of(to));
    match from_height {
        _ if from == to => true,
        SYNC => to_height <= SYNC_NAMES,
        // The public modules know each other; siblings in the engine do not.
        SURFACE => true,
        _ => to_height < from_height,
    }
}

/// Every path in `line` that starts with `start` (`crate` or `super`), groups taken apart:
/// `crate::a::{b, c::d}` gives `a::b` and `a::c::d`. `text` is what follows on later lines too.
fn paths_after(start: &str, text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let needle = format!("{start}::");
    let mut from = 0;
    while let Some(at) = text[from..].find(&needle).map(|i| from + i) {
        from = at + needle.len();
        let before = text[..at].chars().next_back();
        // `$crate` is the root of whoever uses the macro; `xsuper` is something else.
        if before.is_some_and(|c| c == '$' || c == '_' || c.is_alphanumeric()) {
            continue;
        }
        // In `super::super::x` the second belongs to the first.
        if before == Some(':') {
            continue;
        }
        let mut paths = Vec::new();
        expand(&text[from..], String::new(), &mut paths);
        found.extend(paths.into_iter().map(|path| (at, path)));
    }
    found
}

/// Reads one use tree; returns how much of `text` it took.
fn expand(text: &str, prefix: String, paths: &mut Vec<String>) -> usize {
    let trimmed = text.trim_start();
    let mut used = text.len() - trimmed.len();
    if let Some(group) = trimmed.strip_prefix('{') {
        used += 1;
        let mut rest = group;
        loop {
            let step = expand(rest, prefix.clone(), paths);
            used += step;
            rest = &rest[step..];
            let blank = rest.len() - rest.trim_start().len();
            used += blank;
            rest = &rest[blank..];
            match rest.chars().next() {
                Some(',') => {
                    used += 1;
                    rest = &rest[1..];
                    if rest.trim_start().starts_with('}') {
                        return used + rest.len() - rest.trim_start().len() + 1;
                    }
                }
                Some('}') => return used + 1,
                _ => return used,
            }
        }
    }
    let word: String = trimmed
        .chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect();
    used += word.len();
    let path = match (prefix.as_str(), word.as_str()) {
        (_, "self") => prefix,
        ("", _) => word.clone(),
        _ => format!("{prefix}/{word}"),
    };
    let rest = &trimmed[word.len()..];
    if let Some(rest) = rest.strip_prefix("::")
        && !word.is_empty()
        && rest.starts_with(|c: char| c.is_alphabetic() || "_{ \n".contains(c))
    {
        return used + 2 + expand(rest, path, paths);
    }
    // `x as y` in a group.
    if let Some(alias) = rest.strip_prefix(" as ") {
        let name = alias
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_');
        used += 4 + name.count();
    }
    paths.push(path);
    used
}

/// What the shipped code of a file names, as module paths from the root, with line numbers.
fn named_modules(source: &Source) -> Vec<(usize, String)> {
    let Some(own) = source.module() else {
        return Vec::new();
    };
    let text = shipped_text(source);
    let line_of = |at| line_at(&text, at);
    let mut named: Vec<(usize, String)> = paths_after("crate", &text)
        .into_iter()
        .map(|(at, path)| (line_of(at), path))
        .collect();
    for (at, path) in paths_after("super", &text) {
        let mut base = own.rsplit_once('/').map_or("", |(parent, _)| parent);
        let mut rest = path.as_str();
        while let Some(further) = rest.strip_prefix("super/") {
            base = base.rsplit_once('/').map_or("", |(parent, _)| parent);
            rest = further;
        }
        let path = if base.is_empty() {
            rest.to_string()
        } else {
            format!("{base}/{rest}")
        };
        named.push((line_of(at), path));
    }
    named
}

#[test]
fn a_module_names_only_lower_layers() {
    let mut findings = Vec::new();
    let mut unused: BTreeSet<usize> = (0..UPWARD.len()).collect();
    for source in source::all() {
        let (Some(own), Some(file)) = (source.module(), source.in_heist()) else {
            continue;
        };
        // These two only declare the others.
        if own.is_empty() || own == "engine" {
            continue;
        }
        for (line, path) in named_modules(&source) {
            if may_name(own, &path) {
                continue;
            }
            let meant = UPWARD
                .iter()
                .position(|&(f, to, _)| f == file && is_in(&path, to));
            if let Some(meant) = meant {
                unused.remove(&meant);
                continue;
            }
            findings.push(format!(
                "{}:{line}: {} must not name {}: pass it in from above",
                source.path,
                layer_of(own).0,
                path.replace('/', "::"),
            ));
        }
    }
    findings.extend(unused.into_iter().map(|i| {
        format!(
            "heist/tests/tidy.rs: UPWARD has {:?}, which is not needed",
            UPWARD[i]
        )
    }));
    report(
        "A module names only lower layers (ARCHITECTURE.md, Layers).",
        findings,
    );
}

#[test]
fn the_layer_rules_themselves() {
    assert!(may_name("engine/sched/worker", "engine/task/state"));
    assert!(may_name("engine/queue/local", "engine/base/budget"));
    assert!(may_name("engine/task/run", "engine/task/state"));
    assert!(may_name("engine/driver", "engine/timer"));
    assert!(!may_name("engine/task/run", "engine/sched"));
    assert!(!may_name("engine/timer/wheel", "engine/reactor"));
    assert!(!may_name("engine/base/rng", "engine/queue"));
    assert!(!may_name("engine/context", "runtime/Handle"));
    assert!(may_name("sync/mpsc", "engine/queue/list"));
    assert!(!may_name("sync/mpsc", "engine/task"));
    assert!(!may_name("sync/mpsc", "time"));
    assert!(may_name("time/sleep", "engine/context"));
    assert!(may_name("net/tcp", "io"));
    assert!(!may_name("engine/sched", "spawn"));
}

#[test]
fn paths_are_taken_apart() {
    let paths = |start, text| -> Vec<String> {
        paths_after(start, text)
            .into_iter()
            .map(|(_, path)| path)
            .collect()
    };
    assert_eq!(paths("crate", "use crate::a::b;"), ["a/b"]);
    assert_eq!(
        paths("crate", "use crate::a::{self, b as x, c::{d,\n e,\n}, f};"),
        ["a", "a/b", "a/c/d", "a/c/e", "a/f"]
    );
    assert_eq!(
        paths(
            "crate",
            "pub(in crate::a) fn f(x: crate::b::C<crate::d::E>) {}"
        ),
        ["a", "b/C", "d/E"]
    );
    assert_eq!(paths("crate", "$crate::a::b"), [""; 0]);
    assert_eq!(
        paths("super", "super::super::a::b(super::c)"),
        ["super/a/b", "c"]
    );
    assert_eq!(
        paths("crate", "crate::loom::thread_local! {}"),
        ["loom/thread_local"]
    );
}

// ---------------------------------------------------------------------------------------------
// The seam

/// What concurrent code must take from `crate::loom`.
fn is_beside_the_seam(path: &str) -> bool {
    const FORBIDDEN: &[&str] = &[
        "sync",
        "thread",
        "thread_local",
        "cell/UnsafeCell",
        "hint/spin_loop",
    ];
    // Plain names without behaviour.
    const HARMLESS: &[&str] = &[
        "sync/atomic/Ordering",
        "thread/panicking",
        "thread/available_parallelism",
        "thread/ThreadId",
        "thread/Result",
    ];
    FORBIDDEN.iter().any(|f| is_in(path, f)) && !HARMLESS.iter().any(|h| is_in(path, h))
}

#[test]
fn the_engine_takes_its_primitives_from_the_seam() {
    let mut findings = Vec::new();
    let mut unused: BTreeSet<usize> = (0..BESIDE_THE_SEAM.len()).collect();
    for source in source::all() {
        let Some(file) = source.in_heist() else {
            continue;
        };
        if !file.starts_with("engine/") && !file.starts_with("sync/") {
            continue;
        }
        let text = shipped_text(&source);
        for start in ["std", "core", "alloc"] {
            for (at, path) in paths_after(start, &text) {
                if !is_beside_the_seam(&path) {
                    continue;
                }
                let path = format!("{start}::{}", path.replace('/', "::"));
                let meant = BESIDE_THE_SEAM.iter().position(|&(place, what, _)| {
                    file.starts_with(place) && path.starts_with(what)
                });
                if let Some(meant) = meant {
                    unused.remove(&meant);
                    continue;
                }
                let line = line_at(&text, at);
                findings.push(format!(
                    "{}:{line}: {path}: take it from crate::loom, or no model sees it",
                    source.path
                ));
            }
        }
    }
    findings.extend(unused.into_iter().map(|i| {
        format!(
            "heist/tests/tidy.rs: BESIDE_THE_SEAM has {:?}, which is not needed",
            BESIDE_THE_SEAM[i]
        )
    }));
    report(
        "Concurrent code goes through the seam (ARCHITECTURE.md, Conventions).",
        findings,
    );
}

// ---------------------------------------------------------------------------------------------
// unsafe

/// The columns at which `word` stands as a word of its own.
fn words<'a>(line: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |&at| {
            !line[..at].ends_with(is_word) && !line[at + word.len()..].starts_with(is_word)
        })
}

/// The modules with `#[allow(unsafe_code, …)]` at their `mod` line, and where else it stands.
fn unsafe_map(sources: &[Source]) -> (BTreeMap<String, String>, Vec<String>) {
    let mut map = BTreeMap::new();
    let mut elsewhere = Vec::new();
    for source in sources {
        let Some(own) = source.module() else {
            continue;
        };
        let text = shipped_text(source);
        for at in words(&text, "unsafe_code") {
            let place = format!("{}:{}", source.path, line_at(&text, at));
            let after = text[at..].split_once(']').map_or("", |(_, after)| after);
            // Skip other attributes and the visibility.
            let mut item = after.trim_start();
            while let Some(rest) = item.strip_prefix("#[") {
                item = rest
                    .split_once(']')
                    .map_or("", |(_, after)| after)
                    .trim_start();
            }
            if let Some(rest) = item.strip_prefix("pub") {
                item = rest.split_once(' ').map_or("", |(_, after)| after);
            }
            let name = item
                .strip_prefix("mod ")
                .and_then(|rest| rest.split_once(';'));
            match name {
                Some((name, _)) if own.is_empty() => map.insert(name.to_string(), place),
                Some((name, _)) => map.insert(format!("{own}/{name}"), place),
                None => {
                    elsewhere.push(format!(
                        "{place}: unsafe is allowed at the `mod` line of a module, where one finds it"
                    ));
                    None
                }
            };
        }
    }
    (map, elsewhere)
}

#[test]
fn unsafe_stays_on_its_map() {
    let sources = source::all();
    let (map, mut findings) = unsafe_map(&sources);
    let mut unused = map.clone();
    for source in &sources {
        let Some(own) = source.module() else {
            continue;
        };
        let line = source
            .shipped_lines()
            .find(|(_, line)| words(line, "unsafe").next().is_some());
        let Some((n, _)) = line else {
            continue;
        };
        let mut modules = map.keys().filter(|module| is_in(own, module)).peekable();
        if modules.peek().is_none() && !UNSAFE_FOR_OTHERS.contains(&own) {
            findings.push(format!(
                "{}:{n}: unsafe in a module that is not allowed it at its `mod` line",
                source.path
            ));
        }
        for module in modules {
            unused.remove(module);
        }
    }
    findings.extend(
        unused
            .into_iter()
            .map(|(module, place)| format!("{place}: {module} is allowed unsafe and has none")),
    );
    report(
        "`unsafe` is allowed module by module, and only where it is used.",
        findings,
    );
}

#[test]
fn every_unsafe_says_why_it_is_safe() {
    let mut findings = Vec::new();
    for source in source::all() {
        for (n, line) in source.lines() {
            for at in words(line, "unsafe") {
                let rest = line[at + "unsafe".len()..].trim_start();
                let what = if rest.starts_with('{') || rest.is_empty() {
                    "block"
                } else if rest.starts_with("impl") {
                    "impl"
                } else {
                    continue;
                };
                if !has_safety_comment(&source, n) {
                    findings.push(format!(
                        "{}:{n}: unsafe {what} without `// SAFETY:` right above",
                        source.path
                    ));
                }
            }
        }
    }
    report(
        "Every unsafe block and impl has its own SAFETY comment.",
        findings,
    );
}

/// Looks on the line itself, then upwards to where the statement begins and at the comment there.
fn has_safety_comment(source: &Source, line: usize) -> bool {
    let says = |n: usize| source.comments[n - 1].contains("SAFETY:");
    if says(line) {
        return true;
    }
    for n in (1..line).rev() {
        let code = source.code[n - 1].trim();
        if code.is_empty() {
            if source.comments[n - 1].trim().is_empty() {
                return false;
            }
            if says(n) {
                return true;
            }
            continue;
        }
        if says(n) {
            return true;
        }
        // An attribute, or an earlier part of the same statement.
        let ended = code.ends_with([';', '}']) || (code.ends_with('{') && !code.ends_with("({"));
        if ended && !code.starts_with("#[") {
            return false;
        }
    }
    false
}

// ---------------------------------------------------------------------------------------------
// Rules and their citations

/// `R1` and the like in a comment, with what stands after each.
fn rule_names(comment: &str) -> Vec<(usize, &str)> {
    let mut names = Vec::new();
    let bytes = comment.as_bytes();
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let mut i = 0;
    while i < bytes.len() {
        if !is_word(bytes[i]) {
            i += 1;
            continue;
        }
        let start = i;
        while i < bytes.len() && is_word(bytes[i]) {
            i += 1;
        }
        let word = &comment[start..i];
        let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
        let digits = &word[letters..];
        let is_rule = (1..=2).contains(&letters)
            && (1..=2).contains(&digits.len())
            && digits.bytes().all(|b| b.is_ascii_digit());
        // `L0` to `L7` are layers; `#S1` and `S1::` are not ours to read.
        let is_layer = word.len() == 2 && word.starts_with('L') && digits <= "7";
        if is_rule && !is_layer {
            names.push((start, word));
        }
    }
    names
}

/// Whether the comment defines the rule at `at`: `* R1. …`, `* R1 (…`, `* **R1** …`, `| R1 | …`.
fn defines(comment: &str, at: usize, name: &str) -> bool {
    let before = comment[..at].trim_start_matches(['/', '!', ' ']);
    let after = &comment[at + name.len()..];
    matches!(before, "* " | "- " | "* **" | "- **" | "| " | "**")
        && (after.starts_with(['.', ':', '*', ' ']))
}

#[test]
fn cited_rules_exist() {
    let sources = source::all();
    // Per module: what it defines. Per name: is it defined anywhere.
    let mut defined: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut twice = Vec::new();
    for source in &sources {
        let Some(own) = source.module() else {
            continue;
        };
        for (n, comment) in source.comments.iter().enumerate() {
            if !comment.trim_start().starts_with("//!") || source.is_test[n] {
                continue;
            }
            for (at, name) in rule_names(comment) {
                if defines(comment, at, name)
                    && !defined
                        .entry(own.to_string())
                        .or_default()
                        .insert(name.to_string())
                {
                    twice.push(format!(
                        "{}:{}: {name} is defined twice",
                        source.path,
                        n + 1
                    ));
                }
            }
        }
    }
    let mut findings = twice;
    for source in &sources {
        let Some(own) = source.module() else {
            continue;
        };
        for (n, comment) in source.comments.iter().enumerate() {
            for (_, name) in rule_names(comment) {
                if !is_defined(&defined, own, name) {
                    findings.push(format!(
                        "{}:{}: {name} is cited, but no rule of this module has that name",
                        source.path,
                        n + 1
                    ));
                }
            }
        }
    }
    report("Rules are cited by names that exist.", findings);
}

/// In the module, one around it or one inside it; from elsewhere only a letter that these do not
/// use themselves.
fn is_defined(defined: &BTreeMap<String, BTreeSet<String>>, own: &str, name: &str) -> bool {
    let near: Vec<_> = defined
        .iter()
        .filter(|(module, _)| {
            let parent = own.rsplit_once('/').map_or("", |(parent, _)| parent);
            is_in(own, module)
                || is_in(module, own)
                || (parent.contains('/') && is_in(module, parent))
        })
        .map(|(_, names)| names)
        .collect();
    if near.iter().any(|names| names.contains(name)) {
        return true;
    }
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let own_letter = near.iter().any(|names| {
        names
            .iter()
            .any(|n| n.trim_end_matches(|c: char| c.is_ascii_digit()) == letters)
    });
    !own_letter && defined.values().any(|names| names.contains(name))
}

#[test]
fn rule_names_are_recognised() {
    let names = |text| {
        rule_names(text)
            .into_iter()
            .map(|(_, n)| n)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        names("(R1, T11): B2's; not L3, u64, ABC1, R, 1, X86_64"),
        ["R1", "T11", "B2"]
    );
    let text = "//! * R1 (the chain). As R2.";
    let found: Vec<bool> = rule_names(text)
        .iter()
        .map(|&(at, n)| defines(text, at, n))
        .collect();
    assert_eq!(found, [true, false]);
}

// ---------------------------------------------------------------------------------------------
// The rest

#[test]
fn engine_files_stay_short() {
    let mut findings = Vec::new();
    for source in source::all() {
        if !source
            .in_heist()
            .is_some_and(|file| file.starts_with("engine/"))
        {
            continue;
        }
        let lines = source.shipped_lines().count();
        if lines > ENGINE_LINES {
            findings.push(format!(
                "{}:{ENGINE_LINES}: {lines} lines without tests, the limit is {ENGINE_LINES}: find the part that stands alone",
                source.path
            ));
        }
    }
    report("A file of the engine can be read in one sitting.", findings);
}

#[test]
fn nothing_is_left_for_later() {
    let mut findings = Vec::new();
    for source in source::all() {
        for (n, line) in source.lines() {
            for left in ["todo!", "unimplemented!", "#[ignore", "dbg!"] {
                let word = left.trim_end_matches('!').trim_start_matches("#[");
                if line.contains(left) && words(line, word).next().is_some() {
                    findings.push(format!("{}:{n}: {left}", source.path));
                }
            }
        }
    }
    report("No stubs, no ignored tests.", findings);
}

/// What looks like a path between backticks.
fn paths_in(document: &str) -> Vec<(usize, String)> {
    let mut paths = Vec::new();
    let mut in_block = false;
    for (n, line) in document.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        }
        if in_block {
            continue;
        }
        for word in line.split('`').skip(1).step_by(2) {
            let plain = word
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c));
            let is_file = [".rs", ".md", ".toml"]
                .iter()
                .any(|end| word.ends_with(end));
            if plain
                && !word.starts_with('/')
                && (is_file || (word.contains('/') && !word.starts_with("target/")))
            {
                paths.push((n + 1, word.to_string()));
            }
        }
    }
    paths
}

#[test]
fn documents_name_files_that_exist() {
    let root = source::root();
    let places = ["", "heist", "heist/src", "heist/src/engine"];
    let exists = |path: &str| {
        places
            .iter()
            .any(|place| root.join(place).join(path).exists())
    };
    let mut findings = Vec::new();
    for document in DOCUMENTS {
        let Ok(text) = fs::read_to_string(root.join(document)) else {
            findings.push(format!("{document}:1: is missing"));
            continue;
        };
        for (line, path) in paths_in(&text) {
            if !exists(&path) && !PLANNED.contains(&path.as_str()) {
                findings.push(format!("{document}:{line}: there is no {path}"));
            }
        }
    }
    for planned in PLANNED {
        if exists(planned) {
            findings.push(format!(
                "heist/tests/tidy.rs: PLANNED has {planned}, which is there now"
            ));
        }
    }
    report("Documents name files that exist.", findings);
}
