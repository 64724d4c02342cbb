//! The tests that need no nightly: Rust in which every path of Tokio is written down once, as
//! `rt::…`. With `use heist as rt` it compiles, or something is missing.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value;

use crate::document::{list, tag};
use crate::text::Writer;
use crate::walk::{Item, Surface};

/// Each nameable item in a `use`; each method, constant and field in a function that has the type
/// parameters of Tokio's and their bounds, so that ours may not ask for more.
pub(crate) fn names(surface: &Surface<'_>, is_there: impl Fn(&str) -> bool) -> String {
    let mut text = String::from(
        "// Written by compat/parity from Tokio's documentation: every public path once. `rt` is heist.\n\n",
    );
    let mut number = 0;
    for item in surface.items.iter().filter(|item| is_there(&item.path)) {
        let path = &item.path;
        match item.kind {
            "field" | "method" | "trait fn" | "trait item" => {}
            "const" if item.parent.is_some() => {}
            _ => {
                number += 1;
                let _ = writeln!(text, "use rt::{path} as N{number};");
            }
        }
    }
    text.push('\n');
    for item in surface
        .items
        .iter()
        .filter(|item| item.parent.is_some() && is_there(&item.path))
    {
        number += 1;
        let _ = write!(text, "fn n{number}");
        member(surface, item, &mut text);
    }
    text
}

fn member(surface: &Surface<'_>, item: &Item<'_>, text: &mut String) {
    let Some(parent) = item.parent else { return };
    let writer = Writer {
        document: item.document,
        public: &surface.public,
        this: None,
        code: true,
    };
    let name = item.value["name"].as_str().unwrap_or_default();
    let owner = item.path.rsplit_once("::").map_or("", |(owner, _)| owner);
    let (kind, inner) = tag(&item.value["inner"]);

    let mut generics = Generics::default();
    let this = match item.kind {
        "trait fn" | "trait item" => {
            // Its type parameters, if it had any, would stand here.
            generics
                .conditions
                .insert(format!("This: ?Sized + rt::{owner}"));
            generics.names.push("This".to_owned());
            format!("<This as rt::{owner}>")
        }
        "field" => {
            let parent_generics = &tag(&parent["inner"]).1["generics"];
            generics.add(parent_generics, &writer);
            format!("rt::{owner}{}", generics.arguments())
        }
        _ => {
            generics.add(&parent["generics"], &writer);
            format!("<{}>", writer.ty(&parent["for"]))
        }
    };
    if item.kind == "field" {
        let _ = writeln!(
            text,
            "{}(this: &{this}){} {{ let _ = &this.{name}; }}",
            generics.declared(),
            generics.conditions()
        );
        return;
    }
    if kind == "assoc_type" {
        let _ = writeln!(
            text,
            "{}(_: {this}::{name}) where {this}::{name}: Sized {{}}",
            generics.declared()
        );
        return;
    }

    let mut own = Generics::default();
    own.add(&inner["generics"], &writer);
    let turbofish = match own.types.is_empty() {
        true => String::new(),
        false => format!("::<{}>", own.types.join(", ")),
    };
    generics.merge(own);
    // Types that have no name but `impl Trait` can be inferred only from an argument.
    let mut arguments = Vec::new();
    let mut synthetic = false;
    if kind == "function" {
        for (number, input) in list(&inner["sig"]["inputs"]).enumerate() {
            let ty = &input[1];
            if tag(ty).0 == "impl_trait" {
                synthetic = true;
                let name = format!("A{number}");
                generics.conditions.insert(format!(
                    "{name}: {}",
                    writer.ty(ty).trim_start_matches("impl ")
                ));
                generics.names.push(name.clone());
                arguments.push(format!("a{number}: {name}"));
            } else {
                arguments.push(format!("a{number}"));
            }
        }
    }
    let body = if synthetic {
        let values: Vec<_> = (0..arguments.len()).map(|n| format!("a{n}")).collect();
        format!(
            "|{}| {this}::{name}({})",
            arguments.join(", "),
            values.join(", ")
        )
    } else {
        format!("{this}::{name}{turbofish}")
    };
    let fix = |text: String| text.replace("Self", "This");
    let _ = writeln!(
        text,
        "{}(){} {{ let _ = {body}; }}",
        generics.declared(),
        fix(generics.conditions())
    );
}

#[derive(Default)]
struct Generics {
    /// Lifetimes first, then types.
    names: Vec<String>,
    types: Vec<String>,
    conditions: BTreeSet<String>,
}

impl Generics {
    fn add(&mut self, generics: &Value, writer: &Writer<'_>) {
        for param in list(&generics["params"]) {
            let name = param["name"].as_str().unwrap_or("?").to_owned();
            let (kind, v) = tag(&param["kind"]);
            if kind == "type" && v["is_synthetic"] != true {
                self.types.push(name.clone());
                self.names.push(name);
            } else if kind == "lifetime" {
                self.names.push(name);
            }
        }
        self.conditions.extend(writer.conditions(generics));
    }

    fn merge(&mut self, other: Self) {
        self.names.extend(other.names);
        self.conditions.extend(other.conditions);
    }

    fn declared(&self) -> String {
        let mut names = self.names.clone();
        names.sort_by_key(|name| !name.starts_with('\''));
        if names.is_empty() {
            String::new()
        } else {
            format!("<{}>", names.join(", "))
        }
    }

    fn arguments(&self) -> String {
        self.declared()
    }

    fn conditions(&self) -> String {
        let mut all: Vec<_> = self.conditions.iter().cloned().collect();
        // A method's signature implies these, a path does not.
        let (lifetimes, types): (Vec<_>, Vec<_>) =
            self.names.iter().partition(|name| name.starts_with('\''));
        for ty in types {
            all.extend(lifetimes.iter().map(|lifetime| format!("{ty}: {lifetime}")));
        }
        if all.is_empty() {
            String::new()
        } else {
            format!(" where {}", all.join(", "))
        }
    }
}

/// Stand-ins for a type parameter: with all auto traits, and with one missing.
const STAND_INS: [&str; 4] = ["Plain", "NotSync", "NotSend", "NotUnpin"];

/// One line for each public type, as often as it takes to see how its parameters matter.
pub(crate) fn types(surface: &Surface<'_>, is_there: impl Fn(&str) -> bool) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for item in &surface.items {
        if !matches!(item.kind, "struct" | "enum") || !is_there(&item.path) {
            continue;
        }
        let generics = &tag(&item.value["inner"]).1["generics"];
        let params: Vec<_> = list(&generics["params"])
            .map(|param| tag(&param["kind"]).0)
            .collect();
        let count = params.iter().filter(|kind| **kind == "type").count();
        // Each parameter in turn is the odd one; the rest are plain.
        let mut choices = vec![vec!["Plain"; count]];
        for odd in 0..count {
            for stand_in in &STAND_INS[1..] {
                let mut choice = vec!["Plain"; count];
                choice[odd] = stand_in;
                choices.push(choice);
            }
        }
        for choice in choices {
            let mut types = choice.into_iter();
            let arguments: Vec<_> = params
                .iter()
                .map(|kind| {
                    if *kind == "type" {
                        types.next().unwrap_or("Plain")
                    } else {
                        "'static"
                    }
                })
                .collect();
            let arguments = if arguments.is_empty() {
                String::new()
            } else {
                format!("<{}>", arguments.join(", "))
            };
            let line = format!("rt::{}{arguments}", item.path);
            if seen.insert(line.clone()) {
                all.push(line);
            }
        }
    }
    all
}
