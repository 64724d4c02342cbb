//! The sources as text, taken apart just enough: code, comments, and what is a test.

use std::fs;
use std::path::{Path, PathBuf};

/// One `.rs` file. Line `n` of the file is `n - 1` in each of the vectors.
#[derive(Debug)]
pub(crate) struct Source {
    /// From the repository's root, with `/`.
    pub(crate) path: String,
    /// The lines without comments and without what stands in strings; columns stay.
    pub(crate) code: Vec<String>,
    /// The text of comments.
    pub(crate) comments: Vec<String>,
    /// Lines that exist in tests only.
    pub(crate) is_test: Vec<bool>,
}

impl Source {
    pub(crate) fn parse(path: String, text: &str) -> Self {
        let (code, comments) = split(text);
        let whole_file = is_test_file(&path);
        let is_test = if whole_file {
            vec![true; code.len()]
        } else {
            test_lines(&code)
        };
        Self {
            path,
            code,
            comments,
            is_test,
        }
    }

    /// The lines of code with their numbers.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.code
            .iter()
            .enumerate()
            .map(|(i, line)| (i + 1, line.as_str()))
    }

    /// As [`lines`](Self::lines), without tests.
    pub(crate) fn shipped_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.lines().filter(|(n, _)| !self.is_test[n - 1])
    }

    /// The path inside `heist/src`, if it is there.
    pub(crate) fn in_heist(&self) -> Option<&str> {
        self.path.strip_prefix("heist/src/")
    }

    /// The module the file is, as `engine/task/state`; the root is empty.
    pub(crate) fn module(&self) -> Option<&str> {
        let path = self.in_heist()?.strip_suffix(".rs")?;
        Some(match path {
            "lib" => "",
            _ => path.strip_suffix("/mod").unwrap_or(path),
        })
    }
}

/// The repository's root.
pub(crate) fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().expect("heist/ is in it").to_path_buf()
}

/// All Rust files of the workspace, in order.
pub(crate) fn all() -> Vec<Source> {
    let root = root();
    let mut files = Vec::new();
    for package in ["heist", "heist-macros", "race"] {
        walk(&root.join(package), &mut files);
    }
    files.sort();
    let sources: Vec<Source> = files
        .into_iter()
        .map(|file| {
            let text = fs::read_to_string(&file).expect("a readable source");
            let path = file.strip_prefix(&root).expect("below the root");
            Source::parse(path.to_string_lossy().replace('\\', "/"), &text)
        })
        .collect();
    assert!(
        sources.iter().any(|s| s.path == "heist/src/lib.rs"),
        "the walk does not find the sources"
    );
    sources
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            if path.file_name().is_none_or(|name| name != "target") {
                walk(&path, files);
            }
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}

fn is_test_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    path.contains("/tests/")
        || matches!(
            name,
            "tests.rs" | "loom_tests.rs" | "test_support.rs" | "testing.rs"
        )
}

/// Marks what `#[cfg(test)]` or `#[cfg(all(test, …))]` is put on, up to its closing brace or
/// semicolon.
fn test_lines(code: &[String]) -> Vec<bool> {
    let mut is_test = vec![false; code.len()];
    let mut line = 0;
    while line < code.len() {
        let trimmed = code[line].trim_start();
        let gated = trimmed.starts_with("#[cfg(test)]") || trimmed.starts_with("#[cfg(all(test,");
        if !gated {
            line += 1;
            continue;
        }
        let attribute = code[line].len() - trimmed.len() + trimmed.find(']').map_or(0, |i| i + 1);
        let (mut depth, mut end) = (0, code.len() - 1);
        'item: for (n, text) in code.iter().enumerate().skip(line) {
            let from = if n == line { attribute } else { 0 };
            for c in text[from..].chars() {
                match c {
                    '{' | '(' | '[' => depth += 1,
                    '}' | ')' | ']' => depth -= 1,
                    _ => {}
                }
                if depth == 0 && (c == '}' || c == ';') {
                    end = n;
                    break 'item;
                }
            }
        }
        is_test[line..=end].fill(true);
        line = end + 1;
    }
    is_test
}

/// Code and comments, line by line. Knows nested comments, strings, raw strings and characters.
fn split(text: &str) -> (Vec<String>, Vec<String>) {
    let chars: Vec<char> = text.chars().collect();
    let (mut code, mut comments) = (String::new(), String::new());
    // Each character goes to one of the two, and a blank of the same width to the other.
    let mut put = |c: char, to_code: bool, to_comments: bool| {
        let blank = if c == '\n' { '\n' } else { ' ' };
        code.push(if to_code { c } else { blank });
        comments.push(if to_comments { c } else { blank });
    };
    let mut i = 0;
    while i < chars.len() {
        let (c, next) = (chars[i], chars.get(i + 1).copied());
        let in_word = i > 0 && (chars[i - 1].is_alphanumeric() || chars[i - 1] == '_');
        if c == '/' && next == Some('/') {
            while i < chars.len() && chars[i] != '\n' {
                put(chars[i], false, true);
                i += 1;
            }
        } else if c == '/' && next == Some('*') {
            let mut depth = 0;
            while i < chars.len() {
                let pair = (chars[i], chars.get(i + 1).copied());
                let step = match pair {
                    ('/', Some('*')) => {
                        depth += 1;
                        2
                    }
                    ('*', Some('/')) => {
                        depth -= 1;
                        2
                    }
                    _ => 1,
                };
                for &c in &chars[i..i + step] {
                    put(c, false, true);
                }
                i += step;
                if depth == 0 {
                    break;
                }
            }
        } else if let Some(hashes) = (!in_word).then(|| raw_string(&chars[i..])).flatten() {
            let close: Vec<char> = std::iter::once('"')
                .chain(std::iter::repeat_n('#', hashes))
                .collect();
            while chars[i] != '"' {
                put(chars[i], true, false);
                i += 1;
            }
            put('"', true, false);
            i += 1;
            while i < chars.len() && !chars[i..].starts_with(&close) {
                put(chars[i], false, false);
                i += 1;
            }
            for _ in 0..close.len().min(chars.len() - i) {
                put(chars[i], true, false);
                i += 1;
            }
        } else if c == '"' {
            put(c, true, false);
            i += 1;
            while i < chars.len() && chars[i] != '"' {
                let step = if chars[i] == '\\' { 2 } else { 1 };
                for &c in chars[i..].iter().take(step) {
                    put(c, false, false);
                }
                i += step;
            }
            if i < chars.len() {
                put('"', true, false);
                i += 1;
            }
        } else if c == '\'' && is_char_literal(&chars[i..]) {
            put(c, true, false);
            i += 1;
            while i < chars.len() && chars[i] != '\'' {
                let step = if chars[i] == '\\' { 2 } else { 1 };
                for &c in chars[i..].iter().take(step) {
                    put(c, false, false);
                }
                i += step;
            }
            if i < chars.len() {
                put('\'', true, false);
                i += 1;
            }
        } else {
            put(c, true, false);
            i += 1;
        }
    }
    let lines = |text: String| text.split('\n').map(str::to_string).collect::<Vec<_>>();
    (lines(code), lines(comments))
}

/// `r"`, `br#"` and the like: how many `#`.
fn raw_string(chars: &[char]) -> Option<usize> {
    let prefix = match chars {
        ['r', ..] => 1,
        ['b' | 'c', 'r', ..] => 2,
        _ => return None,
    };
    let hashes = chars[prefix..].iter().take_while(|&&c| c == '#').count();
    (chars.get(prefix + hashes) == Some(&'"')).then_some(hashes)
}

/// `'x'` or `'\n'`, and not the lifetime `'x`.
fn is_char_literal(chars: &[char]) -> bool {
    chars.get(1) == Some(&'\\') || chars.get(2) == Some(&'\'')
}

#[cfg(test)]
mod self_tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_not_code() {
        let (code, comments) = split(
            "let a = \"unsafe // \\\" no\"; // unsafe\nr#\"a \" unsafe\"#; '\"'; 'a: /* x /* y */ unsafe */ b",
        );
        assert!(!code.iter().any(|line| line.contains("unsafe")), "{code:?}");
        assert!(code[1].contains("'a:") && code[1].ends_with(" b"));
        assert!(comments[0].contains("// unsafe") && !comments[0].contains("no"));
        assert!(comments[1].contains("unsafe"));
    }

    #[test]
    fn tests_are_found() {
        let text = "fn a() {}\n#[cfg(all(test, not(x)))]\nmod tests {\n fn b() { { } }\n}\nfn c() {}\n#[cfg(test)]\nmod far;\nfn d() {}";
        let source = Source::parse("heist/src/x.rs".into(), text);
        assert_eq!(
            source.is_test,
            [false, true, true, true, true, false, true, true, false]
        );
    }
}
