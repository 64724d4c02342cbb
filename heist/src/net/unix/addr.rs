use std::fmt;
use std::io;
#[cfg(any(target_os = "linux", target_os = "android"))]
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net;
use std::path::Path;

/// The address of a Unix domain socket: a path, a name that is in no file system, or nothing.
#[derive(Clone)]
pub struct SocketAddr(net::SocketAddr);

impl SocketAddr {
    /// True if the socket has no name.
    pub fn is_unnamed(&self) -> bool {
        self.0.is_unnamed()
    }

    /// The path, if it is one.
    pub fn as_pathname(&self) -> Option<&Path> {
        self.0.as_pathname()
    }

    /// The name, if it is one that is in no file system.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub fn as_abstract_name(&self) -> Option<&[u8]> {
        #[cfg(target_os = "android")]
        use std::os::android::net::SocketAddrExt;
        #[cfg(target_os = "linux")]
        use std::os::linux::net::SocketAddrExt;

        self.0.as_abstract_name()
    }

    /// The address that `path` stands for. If its first byte is 0, the rest is a name that is in no
    /// file system, where the system has such.
    pub(super) fn of(path: &Path) -> io::Result<net::SocketAddr> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        if let Some(name) = path.as_os_str().as_bytes().strip_prefix(b"\0") {
            #[cfg(target_os = "android")]
            use std::os::android::net::SocketAddrExt;
            #[cfg(target_os = "linux")]
            use std::os::linux::net::SocketAddrExt;

            return net::SocketAddr::from_abstract_name(name);
        }
        net::SocketAddr::from_pathname(path)
    }

    pub(super) fn as_std(&self) -> &net::SocketAddr {
        &self.0
    }
}

impl fmt::Debug for SocketAddr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<net::SocketAddr> for SocketAddr {
    fn from(addr: net::SocketAddr) -> Self {
        Self(addr)
    }
}

impl From<SocketAddr> for net::SocketAddr {
    fn from(addr: SocketAddr) -> Self {
        addr.0
    }
}
