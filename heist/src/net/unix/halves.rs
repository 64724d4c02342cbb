use std::fmt;
use std::io::{self, IoSlice, IoSliceMut};
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::BufMut;

use super::addr::SocketAddr;
use crate::io::{AsyncRead, AsyncWrite, Interest, ReadBuf, Ready};
use crate::loom::sync::Arc;
use crate::net::UnixStream;

stream_halves!(UnixStream, SocketAddr);
