//! What a crate lets its users name.
//!
//! The walk starts at the crate's root and follows re-exports, so that an item is listed under every
//! path a user can write. What is hidden from the documentation is left out.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::document::{Document, id, list, tag};
use crate::text::Writer;

/// One public item.
pub(crate) struct Item<'a> {
    /// Without the crate's name.
    pub(crate) path: String,
    pub(crate) kind: &'static str,
    /// The crate it is of, and its JSON.
    pub(crate) document: &'a Document,
    pub(crate) value: &'a Value,
    /// Of a method: the impl or the trait it is in.
    pub(crate) parent: Option<&'a Value>,
}

/// The public API of a crate.
pub(crate) struct Surface<'a> {
    pub(crate) items: Vec<Item<'a>>,
    /// Trait impls: the type's path (or its text, where the trait is ours and the type is not), the
    /// impl, and the trait's path if that is what it was found through.
    pub(crate) impls: Vec<(String, &'a Value, Option<String>)>,
    /// A public path for each type and trait of the crate.
    pub(crate) public: BTreeMap<String, String>,
    pub(crate) document: &'a Document,
}

struct Walk<'a> {
    documents: &'a [Document],
    by_origin: BTreeMap<(String, char), (&'a Document, String)>,
    surface: Surface<'a>,
    open: Vec<(String, String)>,
}

/// Walks the first of `documents`; the others are those it re-exports from.
pub(crate) fn walk(documents: &[Document]) -> Surface<'_> {
    let mut by_origin = BTreeMap::new();
    for document in documents {
        for (id, path, kind) in document.origins() {
            if document.item(id).is_some() {
                by_origin.insert((path, space(kind)), (document, id.to_owned()));
            }
        }
    }
    let main = &documents[0];
    let mut walk = Walk {
        documents,
        by_origin,
        surface: Surface {
            items: Vec::new(),
            impls: Vec::new(),
            public: BTreeMap::new(),
            document: main,
        },
        open: Vec::new(),
    };
    walk.children(main, &main.root, "", &BTreeSet::new());
    walk.surface
        .items
        .sort_by(|a, b| (&a.path, a.kind).cmp(&(&b.path, b.kind)));
    walk.surface
        .items
        .dedup_by(|a, b| a.path == b.path && a.kind == b.kind);
    walk.surface
}

/// Rust's three namespaces.
fn space(kind: &str) -> char {
    match kind {
        "function" | "constant" | "static" => 'v',
        kind if kind.contains("macro") || kind.starts_with("proc_") => 'm',
        _ => 't',
    }
}

fn is_hidden(item: &Value) -> bool {
    list(&item["attrs"]).any(|attr| attr.to_string().contains("doc(hidden)"))
}

fn is_public(item: &Value) -> bool {
    item["visibility"] == "public" && !is_hidden(item)
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}::{name}")
    }
}

type Name = (String, char);

impl<'a> Walk<'a> {
    fn emit(
        &mut self,
        path: String,
        kind: &'static str,
        document: &'a Document,
        value: &'a Value,
        parent: Option<&'a Value>,
    ) {
        self.surface.items.push(Item {
            path,
            kind,
            document,
            value,
            parent,
        });
    }

    /// The item an id stands for, in whichever of the given crates it is.
    fn resolve(&self, document: &'a Document, id: &str) -> Option<(&'a Document, String)> {
        if document.item(id).is_some() {
            return Some((document, id.to_owned()));
        }
        let (path, kind) = document.origin(id)?;
        self.by_origin.get(&(path, space(kind))).cloned()
    }

    /// The members of a module, except the names already `taken`: what a glob brings in yields to
    /// what its module names itself.
    fn children(
        &mut self,
        document: &'a Document,
        module: &str,
        path: &str,
        taken: &BTreeSet<Name>,
    ) {
        let key = (format!("{}#{module}", document.name), path.to_owned());
        if self.open.contains(&key) {
            return;
        }
        self.open.push(key);
        let (kind, inner) = document
            .item(module)
            .map_or(("", &Value::Null), |m| tag(&m["inner"]));
        let members = if kind == "enum" {
            &inner["variants"]
        } else {
            &inner["items"]
        };
        let mut own = taken.clone();
        let mut todo = Vec::new();
        for child in list(members).map(id) {
            let Some(item) = document.item(&child) else {
                continue;
            };
            if kind != "enum" && !is_public(item) {
                continue;
            }
            let name = self.introduced(document, item);
            if name.as_ref().is_some_and(|name| taken.contains(name)) {
                continue;
            }
            own.extend(name);
            todo.push(child);
        }
        for child in todo {
            self.item(document, &child, path, None, &own);
        }
        self.open.pop();
    }

    /// The name and namespace that an item adds to its module; nothing for a glob.
    fn introduced(&self, document: &Document, item: &Value) -> Option<Name> {
        let (kind, inner) = tag(&item["inner"]);
        if kind != "use" {
            return Some((item["name"].as_str()?.to_owned(), space(kind)));
        }
        if inner["is_glob"] == true {
            return None;
        }
        let kind = document
            .origin(&id(&inner["id"]))
            .map_or('t', |(_, kind)| space(kind));
        Some((inner["name"].as_str()?.to_owned(), kind))
    }

    fn item(
        &mut self,
        document: &'a Document,
        key: &str,
        path: &str,
        name: Option<&str>,
        taken: &BTreeSet<Name>,
    ) {
        let Some(item) = document.item(key) else {
            return;
        };
        let (kind, inner) = tag(&item["inner"]);
        if kind == "use" {
            let target = self.resolve(document, &id(&inner["id"]));
            let name = name.or(inner["name"].as_str());
            match target {
                Some((document, key)) if inner["is_glob"] == true => {
                    self.children(document, &key, path, taken)
                }
                Some((document, key)) => self.item(document, &key, path, name, &BTreeSet::new()),
                // Of a crate whose JSON we do not have: std.
                None => self.emit(
                    join(path, name.unwrap_or("*")),
                    "foreign",
                    document,
                    item,
                    None,
                ),
            }
            return;
        }
        let Some(name) = name.or(item["name"].as_str()) else {
            return;
        };
        let full = join(path, name);
        match kind {
            "module" => {
                self.emit(full.clone(), "mod", document, item, None);
                self.children(document, key, &full, &BTreeSet::new());
            }
            "struct" | "enum" | "union" => {
                let kind = if kind == "enum" { "enum" } else { "struct" };
                self.name_it(document, key, &full);
                self.emit(full.clone(), kind, document, item, None);
                for variant in list(&inner["variants"])
                    .filter_map(|v| document.item(&id(v)))
                    .filter(|v| !is_hidden(v))
                {
                    let name = variant["name"].as_str().unwrap_or_default();
                    self.emit(join(&full, name), "variant", document, variant, None);
                }
                let fields = match tag(&inner["kind"]) {
                    ("plain", plain) => &plain["fields"],
                    (_, tuple) => tuple,
                };
                for field in list(fields)
                    .filter_map(|f| document.item(&id(f)))
                    .filter(|f| is_public(f))
                {
                    let name = field["name"].as_str().unwrap_or_default();
                    self.emit(join(&full, name), "field", document, field, Some(item));
                }
                for i in list(&inner["impls"]) {
                    self.implementation(document, &id(i), &full);
                }
            }
            "trait" => {
                self.name_it(document, key, &full);
                self.emit(full.clone(), "trait", document, item, None);
                for member in list(&inner["items"])
                    .filter_map(|m| document.item(&id(m)))
                    .filter(|m| !is_hidden(m))
                {
                    let kind = match tag(&member["inner"]).0 {
                        "function" => "trait fn",
                        _ => "trait item",
                    };
                    let name = member["name"].as_str().unwrap_or_default();
                    self.emit(join(&full, name), kind, document, member, Some(item));
                }
                for i in list(&inner["implementations"]).filter_map(|i| document.item(&id(i))) {
                    let i = &i["inner"]["impl"];
                    let own = id(&i["for"]["resolved_path"]["id"]);
                    if i["is_synthetic"] != true && document.item(&own).is_none() {
                        self.surface
                            .impls
                            .push((String::new(), i, Some(full.clone())));
                    }
                }
            }
            "primitive" | "extern_crate" => {}
            _ => {
                let kind = match (kind, inner["kind"].as_str()) {
                    ("function", _) => "fn",
                    ("constant", _) => "const",
                    ("static", _) => "static",
                    ("type_alias", _) => "type",
                    ("proc_macro", Some("attr")) => "attribute",
                    _ => "macro",
                };
                if kind == "type" {
                    self.name_it(document, key, &full);
                }
                self.emit(full, kind, document, item, None);
            }
        }
    }

    /// The shortest path is the name; of equals, the first.
    fn name_it(&mut self, document: &Document, key: &str, path: &str) {
        if document.name != self.documents[0].name {
            return;
        }
        let depth = |path: &str| path.matches("::").count();
        let known = self
            .surface
            .public
            .entry(key.to_owned())
            .or_insert_with(|| path.to_owned());
        if depth(path) < depth(known) {
            *known = path.to_owned();
        }
    }

    fn implementation(&mut self, document: &'a Document, key: &str, full: &str) {
        let Some(item) = document.item(key) else {
            return;
        };
        let i = &item["inner"]["impl"];
        if i["is_synthetic"] == true || !i["blanket_impl"].is_null() {
            return;
        }
        if !i["trait"].is_null() {
            self.surface.impls.push((full.to_owned(), i, None));
            return;
        }
        for member in list(&i["items"])
            .filter_map(|m| document.item(&id(m)))
            .filter(|m| is_public(m))
        {
            let kind = match tag(&member["inner"]).0 {
                "function" => "method",
                _ => "const",
            };
            let name = member["name"].as_str().unwrap_or_default();
            self.emit(join(full, name), kind, document, member, Some(i));
        }
    }
}

/// Those that say nothing (the compiler makes them, or the table of auto traits has them).
const UNLISTED: [&str; 8] = [
    "Drop",
    "StructuralPartialEq",
    "TrivialClone",
    "Send",
    "Sync",
    "Unpin",
    "UnwindSafe",
    "RefUnwindSafe",
];

impl Surface<'_> {
    /// One fact a line: `path<TAB>kind<TAB>signature`, and `impl Trait for path`.
    pub(crate) fn facts(&self) -> BTreeSet<String> {
        let mut facts = BTreeSet::new();
        for item in &self.items {
            let this = item.parent.map(|parent| &parent["for"]);
            let writer = Writer {
                document: item.document,
                public: &self.public,
                this,
                code: false,
            };
            let (path, kind) = (&item.path, item.kind);
            let (inner_kind, inner) = tag(&item.value["inner"]);
            let detail = match inner_kind {
                "function" => writer.signature(inner),
                "struct_field" => writer.ty(inner),
                "assoc_const" => writer.ty(&inner["type"]),
                "constant" => writer.ty(&inner["type"]),
                _ => String::new(),
            };
            facts.insert(format!("{path}\t{kind}\t{detail}").trim_end().to_owned());
        }
        for (path, i, through) in &self.impls {
            let writer = Writer {
                document: self.document,
                public: &self.public,
                this: None,
                code: false,
            };
            let of = writer.ty(&serde_json::json!({ "resolved_path": i["trait"] }));
            let bare = of.split('<').next().unwrap_or_default();
            if UNLISTED.contains(&bare) {
                continue;
            }
            let path = match through {
                Some(_) => writer.ty(&i["for"]),
                None => path.clone(),
            };
            facts.insert(format!("impl {of} for {path}"));
        }
        facts
    }
}
