//! The methods that the ends of bounded and unbounded channels share: what [`chan`](super::chan) does,
//! under the names and with the documentation that each type has to have for itself.

/// The methods of a receiver with a field `rx`. `make` and `send` are what an example takes to make
/// such a channel as `tx` and `rx`, and to send `i`.
macro_rules! receiver_methods {
    ($Receiver:ident of $Sender:ident, $WeakSender:ident; make $make:literal, send $send:literal) => {
        impl<T> $Receiver<T> {
            /// Waits for the next message. `None` when there will be no more: all senders are gone, or
            /// the channel was [closed](Self::close), and all messages were received.
            ///
            /// # Cancel safety
            ///
            /// Cancel safe: if the future is dropped, no message was taken.
            ///
            /// ```
            /// use heist::sync::mpsc;
            ///
            /// # futures::executor::block_on(async {
            #[doc = $make]
            /// let i = 1;
            #[doc = $send]
            /// drop(tx);
            /// assert_eq!(rx.recv().await, Some(1));
            /// assert_eq!(rx.recv().await, None);
            /// # });
            /// ```
            pub async fn recv(&mut self) -> Option<T> {
                poll_fn(|cx| self.poll_recv(cx)).await
            }

            /// Waits for messages, appends up to `limit` of them to `buffer`, and returns how many.
            ///
            /// It waits for the first one only. 0 means that there will be no more, or that `limit` is
            /// 0.
            ///
            /// # Cancel safety
            ///
            /// Cancel safe: if the future is dropped, no message was taken.
            ///
            /// ```
            /// use heist::sync::mpsc;
            ///
            /// # futures::executor::block_on(async {
            #[doc = $make]
            /// for i in 0..5 {
            #[doc = concat!("    ", $send)]
            /// }
            /// let mut buffer = Vec::new();
            /// assert_eq!(rx.recv_many(&mut buffer, 3).await, 3);
            /// assert_eq!(rx.recv_many(&mut buffer, 100).await, 2);
            /// assert_eq!(buffer, [0, 1, 2, 3, 4]);
            /// # });
            /// ```
            pub async fn recv_many(&mut self, buffer: &mut Vec<T>, limit: usize) -> usize {
                poll_fn(|cx| self.poll_recv_many(cx, buffer, limit)).await
            }

            /// Takes the next message if there is one.
            ///
            /// # Errors
            ///
            /// [`TryRecvError::Empty`] if there is none right now, [`TryRecvError::Disconnected`] if
            /// there will be none any more.
            pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
                self.rx.try_recv()
            }

            /// Blocks this thread until the next message, for use outside asynchronous code.
            ///
            /// # Panics
            ///
            /// Panics when called where asynchronous tasks are being polled.
            #[track_caller]
            pub fn blocking_recv(&mut self) -> Option<T> {
                current::assert_may_block();
                parker::block_on(self.recv())
            }

            /// Blocks this thread until there are messages, as [`recv_many`](Self::recv_many).
            ///
            /// # Panics
            ///
            /// Panics when called where asynchronous tasks are being polled.
            #[track_caller]
            pub fn blocking_recv_many(&mut self, buffer: &mut Vec<T>, limit: usize) -> usize {
                current::assert_may_block();
                parker::block_on(self.recv_many(buffer, limit))
            }

            /// Refuses new messages, but not those already in the channel.
            ///
            /// Senders get errors from now on. Room that a bounded channel gave out before can still be
            /// used: [`recv`](Self::recv) returns `None` only when all of it is used or given back
            /// and all messages were received.
            pub fn close(&mut self) {
                self.rx.close();
            }

            /// True if the channel was [closed](Self::close) or all senders are gone.
            pub fn is_closed(&self) -> bool {
                self.rx.is_closed()
            }

            /// True if there is no message in the channel.
            pub fn is_empty(&self) -> bool {
                self.rx.is_empty()
            }

            /// How many messages are in the channel.
            pub fn len(&self) -> usize {
                self.rx.len()
            }

            /// Looks for the next message, and if there is none, sees to it that the task of `cx` is
            /// woken when there is.
            ///
            /// `Ready(None)` when there will be no more. Of several calls only the last one's waker
            /// counts.
            pub fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<T>> {
                self.rx.poll_recv(cx)
            }

            /// Looks for messages, as [`recv_many`](Self::recv_many), and if there are none, sees to it
            /// that the task of `cx` is woken when there are.
            pub fn poll_recv_many(
                &mut self,
                cx: &mut Context<'_>,
                buffer: &mut Vec<T>,
                limit: usize,
            ) -> Poll<usize> {
                self.rx.poll_recv_many(cx, buffer, limit)
            }

            #[doc = concat!("How many [`", stringify!($Sender), "`]s there are.")]
            pub fn sender_strong_count(&self) -> usize {
                self.rx.chan.strong_count()
            }

            #[doc = concat!("How many [`", stringify!($WeakSender), "`]s there are.")]
            pub fn sender_weak_count(&self) -> usize {
                self.rx.chan.weak_count()
            }
        }

        impl<T> fmt::Debug for $Receiver<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($Receiver))
                    .field("chan", &self.rx.chan)
                    .finish()
            }
        }
    };
}
pub(super) use receiver_methods;

/// The methods of a sender with a field `tx` and of its weak form with a field `weak`. `make` is what
/// an example takes to make such a channel as `tx` and `rx`.
macro_rules! sender_methods {
    ($Sender:ident, $WeakSender:ident; make $make:literal) => {
        impl<T> $Sender<T> {
            /// Waits until the receiver is gone or closed, so that work nobody wants can be given up.
            ///
            /// # Cancel safety
            ///
            /// Cancel safe: once closed, a channel stays closed.
            ///
            /// ```
            /// use heist::sync::mpsc;
            ///
            /// # futures::executor::block_on(async {
            #[doc = $make]
            /// std::thread::spawn(move || drop(rx));
            /// tx.closed().await;
            /// assert!(tx.is_closed());
            /// # });
            /// ```
            pub async fn closed(&self) {
                self.tx.closed().await;
            }

            /// True if the receiver is gone or closed.
            pub fn is_closed(&self) -> bool {
                self.tx.is_closed()
            }

            /// True if `other` sends to the same receiver.
            pub fn same_channel(&self, other: &Self) -> bool {
                self.tx.same_channel(&other.tx)
            }

            /// A sender that does not keep the channel open.
            #[must_use = "this makes a weak sender and leaves the strong one as it is"]
            pub fn downgrade(&self) -> $WeakSender<T> {
                $WeakSender {
                    weak: self.tx.downgrade(),
                }
            }

            #[doc = concat!("How many [`", stringify!($Sender), "`]s there are.")]
            pub fn strong_count(&self) -> usize {
                self.tx.chan.strong_count()
            }

            #[doc = concat!("How many [`", stringify!($WeakSender), "`]s there are.")]
            pub fn weak_count(&self) -> usize {
                self.tx.chan.weak_count()
            }
        }

        impl<T> Clone for $Sender<T> {
            fn clone(&self) -> Self {
                Self {
                    tx: self.tx.clone(),
                }
            }
        }

        impl<T> fmt::Debug for $Sender<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($Sender))
                    .field("chan", &self.tx.chan)
                    .finish()
            }
        }

        impl<T> $WeakSender<T> {
            #[doc = concat!("A [`", stringify!($Sender), "`], if there still is another one.")]
            ///
            /// ```
            /// use heist::sync::mpsc;
            ///
            #[doc = $make]
            /// let weak = tx.downgrade();
            /// assert!(weak.upgrade().is_some());
            /// drop(tx);
            /// assert!(weak.upgrade().is_none());
            /// ```
            pub fn upgrade(&self) -> Option<$Sender<T>> {
                self.weak.upgrade().map(|tx| $Sender { tx })
            }

            #[doc = concat!("How many [`", stringify!($Sender), "`]s there are.")]
            pub fn strong_count(&self) -> usize {
                self.weak.strong_count()
            }

            #[doc = concat!("How many [`", stringify!($WeakSender), "`]s there are.")]
            pub fn weak_count(&self) -> usize {
                self.weak.weak_count()
            }
        }

        impl<T> Clone for $WeakSender<T> {
            fn clone(&self) -> Self {
                Self {
                    weak: self.weak.clone(),
                }
            }
        }

        impl<T> fmt::Debug for $WeakSender<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($WeakSender))
                    .finish_non_exhaustive()
            }
        }
    };
}
pub(super) use sender_methods;
