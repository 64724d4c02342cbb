//! The options that TCP and UDP sockets have in common.

/// Writes them for `$Socket`; `$socket` is `socket2`'s view of it.
macro_rules! ip_options {
    ($Socket:ident, |$self:ident| $socket:expr) => {
        #[cfg(any(
            target_os = "android",
            target_os = "dragonfly",
            target_os = "freebsd",
            target_os = "fuchsia",
            target_os = "linux",
            target_os = "macos",
            target_os = "netbsd",
            target_os = "openbsd",
        ))]
        impl $Socket {
            /// The traffic class of IPv6 packets (`IPV6_TCLASS`).
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn tclass_v6(&$self) -> io::Result<u32> {
                $socket.tclass_v6()
            }

            /// Sets the traffic class of IPv6 packets (`IPV6_TCLASS`).
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn set_tclass_v6(&$self, tclass: u32) -> io::Result<()> {
                $socket.set_tclass_v6(tclass)
            }
        }

        #[cfg(not(any(
            target_os = "fuchsia",
            target_os = "redox",
            target_os = "solaris",
            target_os = "illumos",
            target_os = "haiku",
        )))]
        impl $Socket {
            /// The type of service of IPv4 packets (`IP_TOS`).
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn tos_v4(&$self) -> io::Result<u32> {
                $socket.tos_v4()
            }

            /// Sets the type of service of IPv4 packets (`IP_TOS`).
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn set_tos_v4(&$self, tos: u32) -> io::Result<()> {
                $socket.set_tos_v4(tos)
            }

            /// [`tos_v4`](Self::tos_v4), by its old name.
            ///
            /// # Errors
            ///
            /// The system's.
            #[deprecated = "it is for IPv4 only, and now called `tos_v4`"]
            #[doc(hidden)]
            pub fn tos(&$self) -> io::Result<u32> {
                $self.tos_v4()
            }

            /// [`set_tos_v4`](Self::set_tos_v4), by its old name.
            ///
            /// # Errors
            ///
            /// The system's.
            #[deprecated = "it is for IPv4 only, and now called `set_tos_v4`"]
            #[doc(hidden)]
            pub fn set_tos(&$self, tos: u32) -> io::Result<()> {
                $self.set_tos_v4(tos)
            }
        }

        #[cfg(any(target_os = "android", target_os = "fuchsia", target_os = "linux"))]
        impl $Socket {
            /// The network interface the socket is bound to (`SO_BINDTODEVICE`).
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn device(&$self) -> io::Result<Option<Vec<u8>>> {
                $socket.device()
            }

            /// Binds the socket to a network interface (`SO_BINDTODEVICE`), or to none.
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn bind_device(&$self, interface: Option<&[u8]>) -> io::Result<()> {
                $socket.bind_device(interface)
            }
        }
    };
}
