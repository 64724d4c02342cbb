//! Sending with a limit. Here and not with the channel, because channels know nothing of time.

use super::{Duration, timeout};
use crate::sync::mpsc::Sender;
use crate::sync::mpsc::error::SendTimeoutError;

impl<T> Sender<T> {
    /// Sends `value`, waiting for room, but no longer than `timeout`.
    ///
    /// If there is room at once it is sent, also when `timeout` is zero.
    ///
    /// # Errors
    ///
    /// The value comes back: [`SendTimeoutError::Timeout`] if there was no room in time,
    /// [`SendTimeoutError::Closed`] if the receiver is gone or closed.
    ///
    /// # Panics
    ///
    /// When polled outside a runtime with time.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the message was not sent, and is dropped with it. To keep the
    /// message, use [`reserve`](Self::reserve) within a [`timeout`](fn@crate::time::timeout).
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::sync::mpsc::{self, error::SendTimeoutError};
    /// use heist::time::Duration;
    ///
    /// # #[heist::main]
    /// # async fn main() {
    /// let limit = Duration::from_millis(10);
    /// let (tx, rx) = mpsc::channel(1);
    /// tx.send_timeout("first", limit).await.unwrap();
    /// // Nobody receives, and there is room for one.
    /// let error = tx.send_timeout("second", limit).await.unwrap_err();
    /// assert_eq!(error, SendTimeoutError::Timeout("second"));
    /// drop(rx);
    /// let error = tx.send_timeout("third", limit).await.unwrap_err();
    /// assert_eq!(error, SendTimeoutError::Closed("third"));
    /// # }
    /// ```
    pub async fn send_timeout(
        &self,
        value: T,
        timeout: Duration,
    ) -> Result<(), SendTimeoutError<T>> {
        match self::timeout(timeout, self.reserve()).await {
            Ok(Ok(permit)) => {
                permit.send(value);
                Ok(())
            }
            Ok(Err(_)) => Err(SendTimeoutError::Closed(value)),
            Err(_) => Err(SendTimeoutError::Timeout(value)),
        }
    }
}
