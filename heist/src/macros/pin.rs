/// Pins local variables to the stack.
///
/// `pin!(x)` takes the variable `x` and puts a [`Pin<&mut _>`](std::pin::Pin) of the same name in
/// its place. A future has to be pinned before it can be polled by reference, which is what it
/// takes to await it more than once, as in a loop around [`select!`](crate::select).
///
/// `pin! { let x = …; }` makes the variable and pins it, and takes several of these at once.
///
/// # Examples
///
/// ```
/// async fn work() -> u32 {
///     6
/// }
///
/// #[heist::main]
/// async fn main() {
///     let work = work();
///     heist::pin!(work);
///     assert_eq!((&mut work).await, 6);
/// }
/// ```
///
/// One statement:
///
/// ```
/// # async fn first() -> u32 { 6 }
/// # async fn second() -> u32 { 7 }
/// #[heist::main]
/// async fn main() {
///     heist::pin! {
///         let first = first();
///         let second = second();
///     }
///     heist::select! {
///         n = &mut first => assert_eq!(n, 6),
///         n = &mut second => assert_eq!(n, 7),
///     }
/// }
/// ```
///
/// The first form takes names, not expressions:
///
/// ```compile_fail
/// # async fn work() {}
/// # async fn example() {
/// heist::pin!(work());
/// # }
/// ```
#[macro_export]
macro_rules! pin {
    ($($name:ident),* $(,)?) => { $(
        // The value moves into a place that has no name and lives as long as this binding.
        #[allow(unused_mut, reason = "who only awaits it needs no `as_mut`")]
        let mut $name = ::core::pin::pin!($name);
    )* };
    ($(let $name:ident = $value:expr;)*) => { $(
        let $name = $value;
        $crate::pin!($name);
    )* };
}
