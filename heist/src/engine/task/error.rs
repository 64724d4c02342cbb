//! Why a task gave no output.

use std::any::Any;
use std::fmt;
use std::io;

use crate::engine::task::Id;
use crate::loom::sync::Mutex;

/// A task ended without an output: it panicked or it was cancelled.
pub struct JoinError {
    id: Id,
    reason: Reason,
}

enum Reason {
    Cancelled,
    // The mutex makes the error `Sync`, whatever the payload is; it is never contended.
    Panic(Mutex<Box<dyn Any + Send + 'static>>),
}

impl JoinError {
    pub(crate) fn cancelled(id: Id) -> Self {
        Self {
            id,
            reason: Reason::Cancelled,
        }
    }

    pub(crate) fn panic(id: Id, payload: Box<dyn Any + Send + 'static>) -> Self {
        Self {
            id,
            reason: Reason::Panic(Mutex::new(payload)),
        }
    }

    /// True if the task was aborted, or its runtime was shut down.
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let task = heist::spawn(std::future::pending::<()>());
    /// task.abort();
    /// assert!(task.await.unwrap_err().is_cancelled());
    /// # }
    /// ```
    pub fn is_cancelled(&self) -> bool {
        matches!(self.reason, Reason::Cancelled)
    }

    /// True if the task panicked.
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let error = heist::spawn(async { panic!("boom") }).await.unwrap_err();
    /// assert!(error.is_panic());
    /// # }
    /// ```
    pub fn is_panic(&self) -> bool {
        matches!(self.reason, Reason::Panic(_))
    }

    /// The value the task panicked with.
    ///
    /// # Panics
    ///
    /// If the task did not panic; [`try_into_panic`](Self::try_into_panic) asks first.
    #[track_caller]
    pub fn into_panic(self) -> Box<dyn Any + Send + 'static> {
        self.try_into_panic()
            .expect("`JoinError` reason is not a panic.")
    }

    /// The value the task panicked with, or this error if it was cancelled.
    ///
    /// # Errors
    ///
    /// Gives the error back if the task did not panic.
    pub fn try_into_panic(self) -> Result<Box<dyn Any + Send + 'static>, JoinError> {
        match self.reason {
            Reason::Panic(payload) => Ok(payload.into_inner()),
            Reason::Cancelled => Err(self),
        }
    }

    /// The id of the task.
    pub fn id(&self) -> Id {
        self.id
    }

    fn message(&self) -> Option<String> {
        let Reason::Panic(payload) = &self.reason else {
            return None;
        };
        let payload = payload.lock();
        payload.downcast_ref::<String>().cloned().or_else(|| {
            payload
                .downcast_ref::<&'static str>()
                .map(|text| (*text).to_owned())
        })
    }
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.reason, self.message()) {
            (Reason::Cancelled, _) => write!(f, "task {} was cancelled", self.id),
            (Reason::Panic(_), Some(text)) => {
                write!(f, "task {} panicked with message {text:?}", self.id)
            }
            (Reason::Panic(_), None) => write!(f, "task {} panicked", self.id),
        }
    }
}

impl fmt::Debug for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.reason, self.message()) {
            (Reason::Cancelled, _) => write!(f, "JoinError::Cancelled({:?})", self.id),
            (Reason::Panic(_), Some(text)) => {
                write!(f, "JoinError::Panic({:?}, {text:?}, ...)", self.id)
            }
            (Reason::Panic(_), None) => write!(f, "JoinError::Panic({:?}, ...)", self.id),
        }
    }
}

impl std::error::Error for JoinError {}

impl From<JoinError> for io::Error {
    fn from(error: JoinError) -> Self {
        io::Error::other(match error.reason {
            Reason::Cancelled => "task was cancelled",
            Reason::Panic(_) => "task panicked",
        })
    }
}
