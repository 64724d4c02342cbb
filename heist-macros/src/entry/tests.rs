use proc_macro2::{LineColumn, TokenStream};

use super::{Entry, expand};

/// The expansion of `attribute` on `function`, as text.
fn text(entry: &Entry, attribute: &str, function: &str) -> String {
    expand(entry, attribute.parse().unwrap(), function.parse().unwrap()).to_string()
}

/// The errors of an expansion: what they say, and what they point at.
fn errors(entry: &Entry, attribute: &str, function: &str) -> Vec<(String, String)> {
    // One text for both, so that a span's line says which of them it is in.
    let source = format!("{attribute}\n{function}");
    let tokens: TokenStream = source.parse().unwrap();
    let (args, item): (Vec<_>, Vec<_>) =
        tokens.into_iter().partition(|t| t.span().start().line == 1);
    let expansion = expand(
        entry,
        args.into_iter().collect(),
        item.into_iter().collect(),
    );
    let file = syn::parse2::<syn::File>(expansion).expect("an error must leave items that parse");
    let pointed_at = |from: LineColumn, to: LineColumn| {
        let line = source.lines().nth(from.line - 1).unwrap();
        let end = if to.line == from.line {
            to.column
        } else {
            line.len()
        };
        line.chars()
            .skip(from.column)
            .take(end - from.column)
            .collect::<String>()
    };
    file.items
        .into_iter()
        .filter_map(|item| match item {
            syn::Item::Macro(item) if item.mac.path.is_ident_last("compile_error") => {
                let span = item.mac.path.segments.last().unwrap().ident.span();
                let message = syn::parse2::<syn::LitStr>(item.mac.tokens).unwrap().value();
                Some((message, pointed_at(span.start(), span.end())))
            }
            _ => None,
        })
        .collect()
}

trait LastIdent {
    fn is_ident_last(&self, name: &str) -> bool;
}

impl LastIdent for syn::Path {
    fn is_ident_last(&self, name: &str) -> bool {
        self.segments.last().is_some_and(|s| s.ident == name)
    }
}

#[track_caller]
fn one_error(entry: &Entry, attribute: &str, function: &str) -> (String, String) {
    let mut errors = errors(entry, attribute, function);
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors.remove(0)
}

#[track_caller]
fn assert_error(attribute: &str, says: &str, at: &str) {
    let (message, place) = one_error(&Entry::main("heist"), attribute, "async fn f() {}");
    assert!(message.contains(says), "{message}");
    assert_eq!(place, at, "{message}");
}

#[test]
fn main_takes_many_workers_and_test_one_thread() {
    let main = text(&Entry::main("heist"), "", "async fn main() {}");
    assert!(main.contains("heist :: runtime :: Builder :: new_multi_thread ()"));
    assert!(!main.contains(":: test"));
    let test = text(&Entry::test("heist"), "", "async fn t() {}");
    assert!(test.contains("heist :: runtime :: Builder :: new_current_thread ()"));
    assert!(test.contains("# [:: core :: prelude :: v1 :: test] fn t ()"));
}

#[test]
fn the_twins_name_tokio() {
    for entry in [Entry::main("tokio"), Entry::test("tokio")] {
        let text = text(&entry, "", "async fn f() {}");
        assert!(text.contains("tokio :: runtime") && !text.contains("heist"));
    }
}

#[test]
fn each_argument_reaches_the_builder() {
    let text = text(
        &Entry::test("heist"),
        r#"flavor = "local", start_paused = true, unhandled_panic = "shutdown_runtime", name = "n", crate = "a::b""#,
        "async fn f() {}",
    );
    for part in [
        "a :: b :: runtime :: Builder :: new_current_thread () . enable_all ()",
        ". start_paused (true)",
        ". unhandled_panic (a :: b :: runtime :: UnhandledPanic :: ShutdownRuntime)",
        r#". name ("n")"#,
        ". build_local (:: core :: default :: Default :: default ())",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let text = super::tests::text(
        &Entry::main("heist"),
        "worker_threads = 3,",
        "async fn f() {}",
    );
    assert!(text.contains(". worker_threads (3usize)"));
}

#[test]
fn a_scheduler_is_one_of_ours_or_a_path() {
    for (scheduler, given) in [
        ("sharded", ". scheduler (k :: scheduler :: Sharded :: new)"),
        (
            "work_stealing",
            ". scheduler (k :: scheduler :: WorkStealing)",
        ),
        ("crate::Mine::new", ". scheduler (crate :: Mine :: new)"),
    ] {
        let arguments = format!(r#"scheduler = "{scheduler}", crate = "k""#);
        let text = super::tests::text(&Entry::main("heist"), &arguments, "async fn f() {}");
        assert!(text.contains(given), "{given} in {text}");
    }
}

#[test]
fn the_rest_of_the_function_stays() {
    let text = text(
        &Entry::main("heist"),
        "",
        "#[doc = \"d\"] pub(crate) async unsafe fn f<'a, T: 'a>(t: &'a T) -> u8 where T: Copy { #![allow(x)] let u = ~ ; 1 }",
    );
    assert!(
        text.starts_with(
            "# [doc = \"d\"] # [allow (x)] pub (crate) unsafe fn f < 'a , T : 'a > (t : & 'a T) -> u8 where T : Copy {"
        ),
        "{text}"
    );
    // The body is not parsed, only moved.
    assert!(text.contains("let u = ~ ; 1 }"), "{text}");
}

#[test]
fn the_output_is_named_only_where_it_can_be() {
    let named = |output: &str| {
        text(
            &Entry::main("heist"),
            "",
            &format!("async fn f() -> {output} {{}}"),
        )
        .contains("None")
    };
    assert!(named("Result<(), E>"));
    assert!(named("Vec<implicit::T>"));
    assert!(!named("!"));
    assert!(!named("impl Sized"));
    assert!(!named("Result<(u8, Box<impl Sized>), E>"));
    assert!(!named("Box<dyn Fn(u8) -> [impl Sized; 2]>"));
}

#[test]
fn wrong_arguments_are_named_and_pointed_at() {
    assert_error("flavor = 1", "must be a string", "1");
    assert_error(r#"flavor = "no""#, "no runtime flavor `no`", r#""no""#);
    assert_error(
        r#"flavor = "basic_scheduler""#,
        "it is called `current_thread`",
        r#""basic_scheduler""#,
    );
    assert_error("worker_threads = 0", "above 0", "0");
    assert_error(r#"worker_threads = "2""#, "above 0", r#""2""#);
    assert_error("start_paused = 1", "`true` or `false`", "1");
    assert_error(r#"scheduler = "x""#, "no scheduler `x`", r#""x""#);
    assert_error("scheduler", "`scheduler` needs a value", "scheduler");
    assert_error(
        r#"unhandled_panic = "x""#,
        "`ignore` and `shutdown_runtime`",
        r#""x""#,
    );
    assert_error(
        r#"crate = "a b""#,
        "must be a path, which \"a b\" is not",
        r#""a b""#,
    );
    assert_error("core_threads = 1", "`worker_threads`", "core_threads");
    assert_error("color = 1", "there is no argument `color`", "color");
    assert_error("flavor", "`flavor` needs a value", "flavor");
    assert_error(
        "multi_thread",
        "#[heist::main(flavor = \"multi_thread\")]",
        "multi_thread",
    );
    assert_error("name = N", "`name` must be a literal", "N");
    assert_error("flavor(x)", "expected `flavor = …`", "(");
    assert_error("7", "expected the name of an argument", "7");
    assert_error(r#"name = "a", name = "b""#, "given twice", "name");
}

#[test]
fn what_a_flavor_cannot_do_is_said_at_the_argument() {
    assert_error(
        r#"flavor = "local", worker_threads = 2"#,
        "needs the `multi_thread` runtime",
        "2",
    );
    assert_error(
        r#"flavor = "current_thread", scheduler = "sharded""#,
        "needs the `multi_thread` runtime",
        r#""sharded""#,
    );
    assert_error(
        "start_paused = true",
        "needs the `current_thread` runtime",
        "true",
    );
    assert_error(
        r#"unhandled_panic = "ignore""#,
        "needs the `current_thread` runtime",
        r#""ignore""#,
    );
}

#[test]
fn all_wrong_arguments_are_reported_at_once() {
    let errors = errors(
        &Entry::main("heist"),
        "flavor = 1, worker_threads = 0, x",
        "async fn f() {}",
    );
    assert_eq!(errors.len(), 3, "{errors:?}");
}

#[test]
fn wrong_functions_are_told_why() {
    let (message, place) = one_error(&Entry::main("heist"), "", "pub fn f() {}");
    assert_eq!(
        (&*message, &*place),
        ("`#[heist::main]` needs an `async fn`", "fn")
    );
    let (message, place) = one_error(&Entry::main("heist"), "", "async fn main(a: u8, b: u8) {}");
    assert_eq!(message, "`main` cannot take arguments");
    assert!(place.starts_with('a'));
    // Any other function may.
    assert!(errors(&Entry::main("heist"), "", "async fn f(a: u8) {}").is_empty());
}

#[test]
fn a_second_test_attribute_is_refused() {
    for attribute in [
        "#[test]",
        "#[::core::prelude::v1::test]",
        "#[std::prelude::rust_2021::test]",
    ] {
        let function = format!("{attribute}\nasync fn f() {{}}");
        let (message, _) = one_error(&Entry::test("heist"), "", &function);
        assert!(message.contains("a test twice"), "{message}");
    }
    for attribute in [
        "#[should_panic]",
        "#[test(a)]",
        "#[other::test]",
        "#[::test]",
    ] {
        let function = format!("{attribute}\nasync fn f() {{}}");
        assert!(errors(&Entry::test("heist"), "", &function).is_empty());
    }
}

#[test]
fn what_is_not_a_function_comes_back_with_an_error() {
    let text = text(&Entry::main("heist"), "", "struct S;");
    assert!(text.starts_with("struct S ;") && text.contains("compile_error"));
}
