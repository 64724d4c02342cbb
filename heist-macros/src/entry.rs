//! `#[main]` and `#[test]`: an `async fn` becomes a plain one that runs its body on a runtime.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Attribute, ReturnType, Signature, Type, Visibility};

use crate::args::{Args, Flavor, UnhandledPanic};

/// Which of the attributes is being expanded.
pub(crate) struct Entry {
    /// The crate the expansion names, unless told otherwise by `crate = "…"`.
    runtime: &'static str,
    is_test: bool,
}

impl Entry {
    pub(crate) fn main(runtime: &'static str) -> Self {
        Self {
            runtime,
            is_test: false,
        }
    }

    pub(crate) fn test(runtime: &'static str) -> Self {
        Self {
            runtime,
            is_test: true,
        }
    }

    /// As the user writes it.
    pub(crate) fn attribute(&self) -> String {
        let name = if self.is_test { "test" } else { "main" };
        format!("{}::{name}", self.runtime)
    }

    pub(crate) fn default_flavor(&self) -> Flavor {
        if self.is_test {
            Flavor::CurrentThread
        } else {
            Flavor::MultiThread
        }
    }
}

/// Expands the attribute. After an error the function is still there, so that the compiler and
/// the editor do not report everything that uses it as well.
pub(crate) fn expand(entry: &Entry, args: TokenStream, item: TokenStream) -> TokenStream {
    let function = match syn::parse2::<AsyncFn>(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            let mut tokens = item;
            tokens.extend(error.into_compile_error());
            return tokens;
        }
    };
    let checked = function
        .check(entry)
        .and_then(|()| Args::parse(entry, args));
    match checked {
        Ok(args) => function.into_tokens(entry, args),
        Err(error) => {
            let mut tokens = function.into_tokens(entry, Args::default());
            tokens.extend(error.into_compile_error());
            tokens
        }
    }
}

/// A function whose body stays as it was written: nothing inside it is parsed, so whatever the
/// compiler accepts there is accepted, with its own spans.
struct AsyncFn {
    attributes: Vec<Attribute>,
    visibility: Visibility,
    signature: Signature,
    brace: syn::token::Brace,
    body: TokenStream,
}

impl Parse for AsyncFn {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        let signature = input.parse()?;
        let content;
        let brace = syn::braced!(content in input);
        // An inner attribute belongs to the function; in the block that the body becomes it would
        // stand in the wrong place.
        for mut attribute in content.call(Attribute::parse_inner)? {
            attribute.style = syn::AttrStyle::Outer;
            attributes.push(attribute);
        }
        Ok(Self {
            attributes,
            visibility,
            signature,
            brace,
            body: content.parse()?,
        })
    }
}

impl AsyncFn {
    fn check(&self, entry: &Entry) -> syn::Result<()> {
        if self.signature.asyncness.is_none() {
            return Err(syn::Error::new_spanned(
                self.signature.fn_token,
                format!("`#[{}]` needs an `async fn`", entry.attribute()),
            ));
        }
        if entry.is_test {
            if let Some(attribute) = self.attributes.iter().find(|a| is_test_attribute(a)) {
                return Err(syn::Error::new_spanned(
                    attribute,
                    format!(
                        "this would make it a test twice: `#[{}]` adds `#[test]` itself",
                        entry.attribute()
                    ),
                ));
            }
        } else if self.signature.ident == "main" && !self.signature.inputs.is_empty() {
            return Err(syn::Error::new_spanned(
                &self.signature.inputs,
                "`main` cannot take arguments",
            ));
        }
        Ok(())
    }

    fn into_tokens(mut self, entry: &Entry, args: Args) -> TokenStream {
        self.signature.asyncness = None;

        let test_attribute = entry.is_test.then(|| quote!(#[::core::prelude::v1::test]));
        let future = self.future(entry);
        let runtime = runtime(entry, args);
        let (attributes, visibility, signature) =
            (&self.attributes, &self.visibility, &self.signature);

        // The generated attribute comes last: one that is expanded before it then sees it.
        let mut tokens = quote! {
            #(#attributes)*
            #test_attribute
            #visibility #signature
        };
        self.brace.surround(&mut tokens, |tokens| {
            // `runtime` is dropped before the arguments and before what is left of the body.
            tokens.extend(quote_spanned! {Span::mixed_site()=>
                #future
                #[allow(clippy::expect_used, clippy::unwrap_in_result)]
                let runtime = #runtime;
                runtime.block_on(body)
            });
        });
        tokens
    }

    /// `let body = …;`
    fn future(&self, entry: &Entry) -> TokenStream {
        let unit = Type::Tuple(syn::parse_quote!(()));
        let output = match &self.signature.output {
            ReturnType::Default => &unit,
            ReturnType::Type(_, output) => &**output,
        };
        let nameable = is_nameable(output);

        // An async block does not know what it should return until it is used. This never-taken
        // `return` tells it at once, so that a mismatch is reported where the user wrote it.
        let hint = nameable.then(|| {
            // "Inferred here" then points at the return type.
            let here = Span::mixed_site().located_at(output.span());
            quote_spanned! {here=>
                if let ::core::option::Option::Some(output) =
                    ::core::option::Option::None::<#output>
                {
                    return output;
                }
            }
        });
        let mut block = TokenStream::new();
        self.brace.surround(&mut block, |tokens| {
            hint.to_tokens(tokens);
            self.body.to_tokens(tokens);
        });
        let span = Span::mixed_site();
        if entry.is_test && nameable {
            // A crate has many tests. Behind a pointer they share one copy of `block_on`.
            quote_spanned! {span=>
                let body = ::core::pin::pin!(async #block);
                let body: ::core::pin::Pin<&mut dyn ::core::future::Future<Output = #output>> = body;
            }
        } else {
            quote_spanned!(span=> let body = async #block;)
        }
    }
}

/// The expression that builds the runtime.
fn runtime(entry: &Entry, args: Args) -> TokenStream {
    let span = Span::call_site();
    let krate = match args.crate_path {
        Some(path) => path.into_token_stream(),
        // Not `::heist`: with `use other as heist;` in scope it is the other that is meant.
        None => Ident::new(entry.runtime, span).into_token_stream(),
    };
    let flavor = args.flavor.unwrap_or(entry.default_flavor());
    let new = match flavor {
        Flavor::MultiThread => quote!(new_multi_thread()),
        Flavor::CurrentThread | Flavor::Local => quote!(new_current_thread()),
    };
    let build = match flavor {
        Flavor::Local => quote!(build_local(::core::default::Default::default())),
        _ => quote!(build()),
    };
    let worker_threads = args.worker_threads.map(|n| quote!(.worker_threads(#n)));
    let scheduler = args.scheduler.map(|path| {
        let path = match path.segments.first() {
            Some(first) if first.ident == "__crate" => {
                let rest = path.segments.iter().skip(1);
                quote!(#krate::#(#rest)::*)
            }
            _ => path.into_token_stream(),
        };
        quote!(.scheduler(#path))
    });
    let start_paused = args.start_paused.map(|flag| quote!(.start_paused(#flag)));
    let unhandled_panic = args.unhandled_panic.map(|answer| {
        let answer = match answer {
            UnhandledPanic::Ignore => quote!(Ignore),
            UnhandledPanic::ShutdownRuntime => quote!(ShutdownRuntime),
        };
        quote!(.unhandled_panic(#krate::runtime::UnhandledPanic::#answer))
    });
    let name = args.name.map(|name| quote!(.name(#name)));
    quote_spanned! {span=>
        #krate::runtime::Builder::#new
            .enable_all()
            #worker_threads
            #scheduler
            #start_paused
            #unhandled_panic
            #name
            .#build
            .expect("the runtime could not be built")
    }
}

/// True unless the type has a part that can stand in a return type only.
fn is_nameable(output: &Type) -> bool {
    fn clean(tokens: TokenStream) -> bool {
        tokens.into_iter().all(|token| match token {
            TokenTree::Ident(ident) => ident != "impl",
            TokenTree::Group(group) => clean(group.stream()),
            _ => true,
        })
    }
    !matches!(output, Type::Never(_)) && clean(output.to_token_stream())
}

/// `#[test]`, and the same by its path in the standard prelude.
fn is_test_attribute(attribute: &Attribute) -> bool {
    let syn::Meta::Path(path) = &attribute.meta else {
        return false;
    };
    let names: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
    match names.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["test"] => path.leading_colon.is_none(),
        ["core" | "std", "prelude", _, "test"] => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests;
