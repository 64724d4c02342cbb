//! The arguments of the entry attributes: parsed, checked one by one, then against each other.

use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Lit, Path, Token};

use crate::entry::Entry;

/// All names, in the order the documentation lists them.
const NAMES: &str = "`flavor`, `worker_threads`, `scheduler`, `start_paused`, `unhandled_panic`, `name` and `crate`";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flavor {
    MultiThread,
    CurrentThread,
    Local,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnhandledPanic {
    Ignore,
    ShutdownRuntime,
}

/// What the attribute asks for. The default is what an attribute without arguments asks for.
#[derive(Default)]
pub(crate) struct Args {
    pub(crate) flavor: Option<Flavor>,
    pub(crate) worker_threads: Option<usize>,
    pub(crate) scheduler: Option<Path>,
    pub(crate) start_paused: Option<bool>,
    pub(crate) unhandled_panic: Option<UnhandledPanic>,
    pub(crate) name: Option<String>,
    pub(crate) crate_path: Option<Path>,
}

/// One argument as written. The `=` and the value are optional here, so that what is missing can
/// be named.
struct Arg {
    name: Ident,
    value: Option<Lit>,
}

impl Parse for Arg {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        // `crate` is a keyword.
        let name = Ident::parse_any(input).map_err(|e| {
            syn::Error::new(
                e.span(),
                format!("expected the name of an argument: {NAMES}"),
            )
        })?;
        if !input.peek(Token![=]) {
            if !input.is_empty() && !input.peek(Token![,]) {
                return Err(input.error(format!("expected `{name} = …`")));
            }
            return Ok(Self { name, value: None });
        }
        input.parse::<Token![=]>()?;
        let value = input.parse::<Lit>().map_err(|e| {
            syn::Error::new(e.span(), format!("the value of `{name}` must be a literal"))
        })?;
        Ok(Self {
            name,
            value: Some(value),
        })
    }
}

impl Args {
    pub(crate) fn parse(entry: &Entry, tokens: proc_macro2::TokenStream) -> syn::Result<Self> {
        use syn::parse::Parser;
        let list =
            syn::punctuated::Punctuated::<Arg, Token![,]>::parse_terminated.parse2(tokens)?;

        let mut args = Self::default();
        // Where the value of each argument stands, for what is only wrong in company.
        let mut spans = Spans::default();
        let mut errors = Errors(None);
        for arg in &list {
            if let Err(error) = args.take(entry, arg, &mut spans) {
                errors.add(error);
            }
        }
        if errors.0.is_none() {
            args.check_together(entry, &spans, &mut errors);
        }
        match errors.0 {
            None => Ok(args),
            Some(error) => Err(error),
        }
    }

    fn take(&mut self, entry: &Entry, arg: &Arg, spans: &mut Spans) -> syn::Result<()> {
        let name = arg.name.to_string();
        let Some(value) = &arg.value else {
            return Err(syn::Error::new(
                arg.name.span(),
                without_value(entry, &name),
            ));
        };
        let span = value.span();
        match name.as_str() {
            "flavor" => set(&mut self.flavor, arg, flavor(&string(value, &name)?, span)?),
            "worker_threads" => {
                spans.worker_threads = Some(span);
                set(
                    &mut self.worker_threads,
                    arg,
                    positive_integer(value, &name)?,
                )
            }
            "scheduler" => {
                spans.scheduler = Some(span);
                let path = scheduler(&string(value, &name)?, span)?;
                set(&mut self.scheduler, arg, respanned(path, span))
            }
            "start_paused" => {
                spans.start_paused = Some(span);
                let Lit::Bool(flag) = value else {
                    return Err(syn::Error::new(
                        span,
                        "the value of `start_paused` must be `true` or `false`",
                    ));
                };
                set(&mut self.start_paused, arg, flag.value)
            }
            "unhandled_panic" => {
                spans.unhandled_panic = Some(span);
                set(
                    &mut self.unhandled_panic,
                    arg,
                    unhandled_panic(&string(value, &name)?, span)?,
                )
            }
            "name" => set(&mut self.name, arg, string(value, &name)?),
            "crate" => {
                let path = string(value, &name)?;
                let Ok(parsed) = syn::parse_str::<Path>(&path) else {
                    return Err(syn::Error::new(
                        span,
                        format!("the value of `crate` must be a path, which \"{path}\" is not"),
                    ));
                };
                set(&mut self.crate_path, arg, respanned(parsed, span))
            }
            "core_threads" => Err(syn::Error::new(
                arg.name.span(),
                "there is no argument `core_threads`: its name is `worker_threads`",
            )),
            _ => Err(syn::Error::new(
                arg.name.span(),
                format!("there is no argument `{name}`; there are {NAMES}"),
            )),
        }
    }

    /// What only one of the schedulers can do.
    fn check_together(&self, entry: &Entry, spans: &Spans, errors: &mut Errors) {
        let attribute = entry.attribute();
        let threaded = self.flavor.unwrap_or(entry.default_flavor()) == Flavor::MultiThread;
        let mut needs = |span: Option<Span>, name: &str, wanted: &str| {
            if let Some(span) = span {
                errors.add(syn::Error::new(
                    span,
                    format!(
                        "`{name}` needs the `{wanted}` runtime: \
                         `#[{attribute}(flavor = \"{wanted}\", …)]`"
                    ),
                ));
            }
        };
        if threaded {
            needs(spans.start_paused, "start_paused", "current_thread");
            needs(spans.unhandled_panic, "unhandled_panic", "current_thread");
        } else {
            needs(spans.worker_threads, "worker_threads", "multi_thread");
            needs(spans.scheduler, "scheduler", "multi_thread");
        }
    }
}

#[derive(Default)]
struct Spans {
    worker_threads: Option<Span>,
    scheduler: Option<Span>,
    start_paused: Option<Span>,
    unhandled_panic: Option<Span>,
}

/// All that is wrong at once, rather than one error a build.
struct Errors(Option<syn::Error>);

impl Errors {
    fn add(&mut self, error: syn::Error) {
        match &mut self.0 {
            None => self.0 = Some(error),
            Some(first) => first.combine(error),
        }
    }
}

fn set<T>(slot: &mut Option<T>, arg: &Arg, value: T) -> syn::Result<()> {
    if slot.replace(value).is_some() {
        return Err(syn::Error::new(
            arg.name.span(),
            format!("`{}` is given twice", arg.name),
        ));
    }
    Ok(())
}

fn without_value(entry: &Entry, name: &str) -> String {
    let attribute = entry.attribute();
    match name {
        "multi_thread" | "threaded_scheduler" => {
            format!("the scheduler is chosen by `#[{attribute}(flavor = \"multi_thread\")]`")
        }
        "current_thread" | "basic_scheduler" | "single_thread" | "single_threaded" => {
            format!("the scheduler is chosen by `#[{attribute}(flavor = \"current_thread\")]`")
        }
        "local" => format!("the scheduler is chosen by `#[{attribute}(flavor = \"local\")]`"),
        "flavor" | "worker_threads" | "scheduler" | "start_paused" | "unhandled_panic" | "name"
        | "crate" => format!("`{name}` needs a value: `{name} = …`"),
        _ => format!("there is no argument `{name}`; there are {NAMES}"),
    }
}

fn string(value: &Lit, name: &str) -> syn::Result<String> {
    match value {
        Lit::Str(string) => Ok(string.value()),
        _ => Err(syn::Error::new(
            value.span(),
            format!("the value of `{name}` must be a string"),
        )),
    }
}

fn positive_integer(value: &Lit, name: &str) -> syn::Result<usize> {
    let wrong = || {
        syn::Error::new(
            value.span(),
            format!("the value of `{name}` must be an integer above 0"),
        )
    };
    match value {
        Lit::Int(integer) => match integer.base10_parse::<usize>() {
            Ok(n) if n > 0 => Ok(n),
            _ => Err(wrong()),
        },
        _ => Err(wrong()),
    }
}

fn flavor(value: &str, span: Span) -> syn::Result<Flavor> {
    let hint = match value {
        "multi_thread" => return Ok(Flavor::MultiThread),
        "current_thread" => return Ok(Flavor::CurrentThread),
        "local" => return Ok(Flavor::Local),
        "threaded_scheduler" => "; it is called `multi_thread`",
        "single_thread" | "single_threaded" | "basic_scheduler" => {
            "; it is called `current_thread`"
        }
        _ => "; there are `multi_thread`, `current_thread` and `local`",
    };
    Err(syn::Error::new(
        span,
        format!("there is no runtime flavor `{value}`{hint}"),
    ))
}

/// What is given to `Builder::scheduler`: a path below the crate's `scheduler` module if it is one word, else
/// the path as it is.
fn scheduler(value: &str, span: Span) -> syn::Result<Path> {
    let path = match value {
        "work_stealing" => "WorkStealing",
        "round_robin" => "RoundRobin::new",
        "sharded" => "Sharded::new",
        "global_queue" => "GlobalQueue::new",
        "classes" => "Classes::new",
        _ => "",
    };
    if !path.is_empty() {
        return syn::parse_str(&format!("__crate::scheduler::{path}"));
    }
    match syn::parse_str::<Path>(value) {
        Ok(path) if path.segments.len() > 1 => Ok(path),
        _ => Err(syn::Error::new(
            span,
            format!(
                "there is no scheduler `{value}`; there are `work_stealing`, `round_robin`, `sharded`, \
                 `global_queue` and `classes`, and paths such as `crate::Mine::new`"
            ),
        )),
    }
}

fn unhandled_panic(value: &str, span: Span) -> syn::Result<UnhandledPanic> {
    match value {
        "ignore" => Ok(UnhandledPanic::Ignore),
        "shutdown_runtime" => Ok(UnhandledPanic::ShutdownRuntime),
        _ => Err(syn::Error::new(
            span,
            format!(
                "an unhandled panic cannot be answered with `{value}`; \
                 there are `ignore` and `shutdown_runtime`"
            ),
        )),
    }
}

/// The path as if it had been written at `span`, for errors and for `$crate`-like resolution.
fn respanned(path: Path, span: Span) -> Path {
    use quote::ToTokens;
    let tokens = path.to_token_stream().into_iter().map(|mut token| {
        token.set_span(span);
        token
    });
    syn::parse2(tokens.collect()).unwrap_or(path)
}
