/// Declares values that belong to a task, as [`std::thread_local!`] does for a thread.
///
/// Each `static` becomes a [`LocalKey`](crate::task::LocalKey), which has no value until a scope
/// gives it one: [`scope`](crate::task::LocalKey::scope) around a future,
/// [`sync_scope`](crate::task::LocalKey::sync_scope) around a closure.
///
/// # Examples
///
/// ```
/// heist::task_local! {
///     /// Whose request this is.
///     pub static USER: u32;
///
///     static VERBOSE: bool;
/// }
///
/// async fn greeting() -> String {
///     format!("hello, {}", USER.get())
/// }
///
/// #[heist::main]
/// async fn main() {
///     assert_eq!(USER.scope(7, greeting()).await, "hello, 7");
///     assert!(VERBOSE.try_get().is_err());
/// }
/// ```
#[macro_export]
macro_rules! task_local {
    ($($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty);* $(;)?) => { $(
        $(#[$attribute])*
        $visibility static $name: $crate::task::LocalKey<$type> = {
            ::std::thread_local! {
                static SLOT: ::std::cell::RefCell<::core::option::Option<$type>> =
                    const { ::std::cell::RefCell::new(::core::option::Option::None) };
            }
            $crate::task::LocalKey { inner: SLOT }
        };
    )* };
}
