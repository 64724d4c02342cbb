//! Types and signatures as text.
//!
//! Two crates that mean the same must give the same text, however they write it: names come from
//! where a type was defined, what an impl calls itself is `Self`, and a type that has no public name
//! is what it can be used as.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::document::{Document, id, list, tag};

/// How to write types.
pub(crate) struct Writer<'a> {
    pub(crate) document: &'a Document,
    /// The public path of each type and trait of the crate.
    pub(crate) public: &'a BTreeMap<String, String>,
    /// The type that is `Self` here, if it is one of the crate's.
    pub(crate) this: Option<&'a Value>,
    /// Write Rust that compiles: whole paths, and lifetimes.
    pub(crate) code: bool,
}

impl Writer<'_> {
    /// A type.
    pub(crate) fn ty(&self, ty: &Value) -> String {
        if !self.code && self.this.is_some_and(|this| this == ty) {
            return "Self".to_owned();
        }
        let (kind, v) = tag(ty);
        match kind {
            "" => "()".to_owned(),
            "resolved_path" => self.path(v),
            "generic" | "primitive" => v.as_str().unwrap_or("?").to_owned(),
            "borrowed_ref" => {
                let lifetime = match v["lifetime"].as_str() {
                    Some(lifetime) if self.code => format!("{lifetime} "),
                    _ => String::new(),
                };
                format!("&{lifetime}{}{}", mutable(v), self.ty(&v["type"]))
            }
            "raw_pointer" => {
                let kind = if v["is_mutable"] == true {
                    "mut"
                } else {
                    "const"
                };
                format!("*{kind} {}", self.ty(&v["type"]))
            }
            "tuple" => {
                let parts: Vec<_> = list(v).map(|part| self.ty(part)).collect();
                format!("({})", parts.join(", "))
            }
            "slice" => format!("[{}]", self.ty(v)),
            "array" => format!(
                "[{}; {}]",
                self.ty(&v["type"]),
                v["len"].as_str().unwrap_or("?")
            ),
            "impl_trait" => format!("impl {}", self.bounds(v)),
            "dyn_trait" => {
                let traits: Vec<_> = list(&v["traits"]).map(|t| self.path(&t["trait"])).collect();
                format!("dyn {}", traits.join(" + "))
            }
            "qualified_path" => {
                let name = v["name"].as_str().unwrap_or("?");
                match v["trait"] {
                    Value::Null => format!("{}::{name}", self.ty(&v["self_type"])),
                    _ if self.code => {
                        let (this, of) = (self.ty(&v["self_type"]), self.path(&v["trait"]));
                        format!("<{this} as {of}>::{name}")
                    }
                    _ => format!("<{}>::{name}", self.ty(&v["self_type"])),
                }
            }
            "function_pointer" => format!("fn{}", self.inputs_and_output(&v["sig"])),
            other => other.to_owned(),
        }
    }

    /// A named type or trait with its arguments.
    fn path(&self, v: &Value) -> String {
        let id = id(&v["id"]);
        let written = v["path"].as_str().unwrap_or("?");
        let origin = self
            .document
            .origin(&id)
            .map_or(written.to_owned(), |(path, _)| path);
        let local = self.document.item(&id).is_some()
            || origin.starts_with(&format!("{}::", self.document.name));
        let last = |path: &str| path.rsplit("::").next().unwrap_or_default().to_owned();
        let name = match self.public.get(&id) {
            Some(public) if self.code => format!("rt::{public}"),
            Some(public) => last(public),
            // It has no name a user could write: what matters is that it is a future.
            None if local => return "impl Future".to_owned(),
            // The name alone would be `Result` with both its parameters.
            None if self.code && origin == "std::io::error::Result" => "io::Result".to_owned(),
            None => last(&origin),
        };
        format!("{name}{}", self.arguments(&v["args"]))
    }

    fn arguments(&self, args: &Value) -> String {
        let (kind, v) = tag(args);
        match kind {
            "angle_bracketed" => {
                let mut all = Vec::new();
                for arg in list(&v["args"]) {
                    match tag(arg) {
                        ("type", ty) => all.push(self.ty(ty)),
                        ("lifetime", lifetime) if self.code => {
                            all.push(lifetime.as_str().unwrap_or("'_").to_owned());
                        }
                        _ => {}
                    }
                }
                for constraint in list(&v["constraints"]) {
                    let name = constraint["name"].as_str().unwrap_or("?");
                    match tag(&constraint["binding"]) {
                        ("equality", term) => {
                            all.push(format!("{name} = {}", self.ty(&term["type"])))
                        }
                        (_, bounds) => all.push(format!("{name}: {}", self.bounds(bounds))),
                    }
                }
                if all.is_empty() {
                    String::new()
                } else {
                    format!("<{}>", all.join(", "))
                }
            }
            "parenthesized" => {
                let inputs: Vec<_> = list(&v["inputs"]).map(|ty| self.ty(ty)).collect();
                let output = match &v["output"] {
                    Value::Null => String::new(),
                    output => format!(" -> {}", self.ty(output)),
                };
                format!("({}){output}", inputs.join(", "))
            }
            _ => String::new(),
        }
    }

    /// Bounds, joined by `+`.
    pub(crate) fn bounds(&self, bounds: &Value) -> String {
        let mut all = Vec::new();
        for bound in list(bounds) {
            match tag(bound) {
                ("trait_bound", v) => {
                    let maybe = if v["modifier"] == "maybe" { "?" } else { "" };
                    all.push(format!("{maybe}{}", self.path(&v["trait"])));
                }
                ("outlives", v) => all.push(v.as_str().unwrap_or("?").to_owned()),
                _ => {}
            }
        }
        all.join(" + ")
    }

    /// The conditions on type parameters, wherever they are written, in the order of their text.
    pub(crate) fn conditions(&self, generics: &Value) -> Vec<String> {
        let mut all = Vec::new();
        for param in list(&generics["params"]) {
            if let ("type", kind) = tag(&param["kind"]) {
                if kind["is_synthetic"] != true && list(&kind["bounds"]).next().is_some() {
                    let name = param["name"].as_str().unwrap_or("?");
                    all.push(format!("{name}: {}", self.bounds(&kind["bounds"])));
                }
            }
        }
        for predicate in list(&generics["where_predicates"]) {
            if let ("bound_predicate", v) = tag(predicate) {
                all.push(format!(
                    "{}: {}",
                    self.ty(&v["type"]),
                    self.bounds(&v["bounds"])
                ));
            }
        }
        all.sort();
        all
    }

    fn inputs_and_output(&self, signature: &Value) -> String {
        let inputs: Vec<_> = list(&signature["inputs"])
            .map(|input| self.ty(&input[1]))
            .collect();
        format!(
            "({}) -> {}",
            inputs.join(", "),
            self.ty(&signature["output"])
        )
    }

    /// A function's whole signature.
    pub(crate) fn signature(&self, function: &Value) -> String {
        let header = &function["header"];
        let mut text = String::new();
        for (word, flag) in [
            ("const ", "is_const"),
            ("unsafe ", "is_unsafe"),
            ("async ", "is_async"),
        ] {
            if header[flag] == true {
                text.push_str(word);
            }
        }
        text.push_str(&self.inputs_and_output(&function["sig"]));
        let conditions = self.conditions(&function["generics"]);
        if !conditions.is_empty() {
            text.push_str(" where ");
            text.push_str(&conditions.join(", "));
        }
        text
    }
}

fn mutable(v: &Value) -> &'static str {
    if v["is_mutable"] == true { "mut " } else { "" }
}
