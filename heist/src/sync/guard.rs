//! What all lock guards do alike.

/// `Deref`, `Debug` and `Display` of a guard that has a method `data`, the address of what it
/// guards; with `mut` also `DerefMut`.
macro_rules! guard_impls {
    ([$($generics:tt)*] $guard:ty => $target:ty) => {
        impl<$($generics)*> std::ops::Deref for $guard {
            type Target = $target;

            fn deref(&self) -> &$target {
                // SAFETY: the guard holds its lock, so the value may be read and nobody writes it.
                unsafe { &*self.data() }
            }
        }

        impl<$($generics)*> std::fmt::Debug for $guard
        where
            $target: std::fmt::Debug,
        {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Debug::fmt(&**self, f)
            }
        }

        impl<$($generics)*> std::fmt::Display for $guard
        where
            $target: std::fmt::Display,
        {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(&**self, f)
            }
        }
    };
    (mut [$($generics:tt)*] $guard:ty => $target:ty) => {
        guard_impls!([$($generics)*] $guard => $target);

        impl<$($generics)*> std::ops::DerefMut for $guard {
            fn deref_mut(&mut self) -> &mut $target {
                // SAFETY: the guard holds its lock alone, and is borrowed mutably.
                unsafe { &mut *self.data() }
            }
        }
    };
}
pub(super) use guard_impls;
