// Written by compat/parity: what Tokio's types and futures are.

table! {
    "SYPUR" ty { rt::fs::DirBuilder }
    "SYPUR" ty { rt::fs::DirEntry }
    "SYP--" ty { rt::fs::File }
    "SYPUR" ty { rt::fs::FileTimes }
    "SYPUR" ty { rt::fs::OpenOptions }
    "SYP--" ty { rt::fs::ReadDir }
    "SYPUR" ty { rt::io::BufReader<Plain> }
    "S-PU-" ty { rt::io::BufReader<NotSync> }
    "-YPUR" ty { rt::io::BufReader<NotSend> }
    "SY-UR" ty { rt::io::BufReader<NotUnpin> }
    "SYPUR" ty { rt::io::BufStream<Plain> }
    "S-PU-" ty { rt::io::BufStream<NotSync> }
    "-YPUR" ty { rt::io::BufStream<NotSend> }
    "SY-UR" ty { rt::io::BufStream<NotUnpin> }
    "SYPUR" ty { rt::io::BufWriter<Plain> }
    "S-PU-" ty { rt::io::BufWriter<NotSync> }
    "-YPUR" ty { rt::io::BufWriter<NotSend> }
    "SY-UR" ty { rt::io::BufWriter<NotUnpin> }
    "SYPUR" ty { rt::io::Chain<Plain, Plain> }
    "S-PU-" ty { rt::io::Chain<NotSync, Plain> }
    "-YPUR" ty { rt::io::Chain<NotSend, Plain> }
    "SY-UR" ty { rt::io::Chain<NotUnpin, Plain> }
    "S-PU-" ty { rt::io::Chain<Plain, NotSync> }
    "-YPUR" ty { rt::io::Chain<Plain, NotSend> }
    "SY-UR" ty { rt::io::Chain<Plain, NotUnpin> }
    "SYP--" ty { rt::io::DuplexStream }
    "SYPUR" ty { rt::io::Empty }
    "SYPUR" ty { rt::io::Interest }
    "SYPUR" ty { rt::io::Join<Plain, Plain> }
    "S-PU-" ty { rt::io::Join<NotSync, Plain> }
    "-YPUR" ty { rt::io::Join<NotSend, Plain> }
    "SY-UR" ty { rt::io::Join<NotUnpin, Plain> }
    "S-PU-" ty { rt::io::Join<Plain, NotSync> }
    "-YPUR" ty { rt::io::Join<Plain, NotSend> }
    "SY-UR" ty { rt::io::Join<Plain, NotUnpin> }
    "SYPUR" ty { rt::io::Lines<Plain> }
    "S-PU-" ty { rt::io::Lines<NotSync> }
    "-YPUR" ty { rt::io::Lines<NotSend> }
    "SY-UR" ty { rt::io::Lines<NotUnpin> }
    "SYP-R" ty { rt::io::ReadBuf<'static> }
    "SYPUR" ty { rt::io::ReadHalf<Plain> }
    "S-PUR" ty { rt::io::ReadHalf<NotSync> }
    "-YPUR" ty { rt::io::ReadHalf<NotSend> }
    "SYPUR" ty { rt::io::ReadHalf<NotUnpin> }
    "SYPUR" ty { rt::io::Ready }
    "SYPUR" ty { rt::io::Repeat }
    "SYPUR" ty { rt::io::SimplexStream }
    "SYPUR" ty { rt::io::Sink }
    "SYPUR" ty { rt::io::Split<Plain> }
    "S-PU-" ty { rt::io::Split<NotSync> }
    "-YPUR" ty { rt::io::Split<NotSend> }
    "SY-UR" ty { rt::io::Split<NotUnpin> }
    "SYPUR" ty { rt::io::Stderr }
    "SYPUR" ty { rt::io::Stdin }
    "SYPUR" ty { rt::io::Stdout }
    "SYPUR" ty { rt::io::Take<Plain> }
    "S-PU-" ty { rt::io::Take<NotSync> }
    "-YPUR" ty { rt::io::Take<NotSend> }
    "SY-UR" ty { rt::io::Take<NotUnpin> }
    "SYPUR" ty { rt::io::WriteHalf<Plain> }
    "S-PUR" ty { rt::io::WriteHalf<NotSync> }
    "-YPUR" ty { rt::io::WriteHalf<NotSend> }
    "SYPUR" ty { rt::io::WriteHalf<NotUnpin> }
    "SYP--" ty { rt::io::unix::AsyncFd<Plain> }
    "S-P--" ty { rt::io::unix::AsyncFd<NotSync> }
    "-YP--" ty { rt::io::unix::AsyncFd<NotSend> }
    "SY---" ty { rt::io::unix::AsyncFd<NotUnpin> }
    "SYP--" ty { rt::io::unix::AsyncFdReadyGuard<'static, Plain> }
    "--P--" ty { rt::io::unix::AsyncFdReadyGuard<'static, NotSync> }
    "SYP--" ty { rt::io::unix::AsyncFdReadyGuard<'static, NotSend> }
    "SYP--" ty { rt::io::unix::AsyncFdReadyGuard<'static, NotUnpin> }
    "SYP--" ty { rt::io::unix::AsyncFdReadyMutGuard<'static, Plain> }
    "S-P--" ty { rt::io::unix::AsyncFdReadyMutGuard<'static, NotSync> }
    "-YP--" ty { rt::io::unix::AsyncFdReadyMutGuard<'static, NotSend> }
    "SYP--" ty { rt::io::unix::AsyncFdReadyMutGuard<'static, NotUnpin> }
    "SYP--" ty { rt::io::unix::AsyncFdRegisterError<Plain> }
    "S-P--" ty { rt::io::unix::AsyncFdRegisterError<NotSync> }
    "-YP--" ty { rt::io::unix::AsyncFdRegisterError<NotSend> }
    "SY---" ty { rt::io::unix::AsyncFdRegisterError<NotUnpin> }
    "SYPUR" ty { rt::io::unix::TryIoError }
    "SYPUR" ty { rt::net::TcpListener }
    "SYPUR" ty { rt::net::TcpSocket }
    "SYPUR" ty { rt::net::TcpStream }
    "SYPUR" ty { rt::net::UdpSocket }
    "SYPUR" ty { rt::net::UnixDatagram }
    "SYPUR" ty { rt::net::UnixListener }
    "SYPUR" ty { rt::net::UnixSocket }
    "SYPUR" ty { rt::net::UnixStream }
    "SYPUR" ty { rt::net::tcp::OwnedReadHalf }
    "SYPUR" ty { rt::net::tcp::OwnedWriteHalf }
    "SYPUR" ty { rt::net::tcp::ReadHalf<'static> }
    "SYPUR" ty { rt::net::tcp::ReuniteError }
    "SYPUR" ty { rt::net::tcp::WriteHalf<'static> }
    "SYPUR" ty { rt::net::unix::OwnedReadHalf }
    "SYPUR" ty { rt::net::unix::OwnedWriteHalf }
    "SYPUR" ty { rt::net::unix::ReadHalf<'static> }
    "SYPUR" ty { rt::net::unix::ReuniteError }
    "SYPUR" ty { rt::net::unix::SocketAddr }
    "SYPUR" ty { rt::net::unix::UCred }
    "SYPUR" ty { rt::net::unix::WriteHalf<'static> }
    "SYPUR" ty { rt::net::unix::pipe::OpenOptions }
    "SYPUR" ty { rt::net::unix::pipe::Receiver }
    "SYPUR" ty { rt::net::unix::pipe::Sender }
    "SYP--" ty { rt::process::Child }
    "SYPUR" ty { rt::process::ChildStderr }
    "SYPUR" ty { rt::process::ChildStdin }
    "SYPUR" ty { rt::process::ChildStdout }
    "SYP--" ty { rt::process::Command }
    "SYP--" ty { rt::runtime::Builder }
    "-YP--" ty { rt::runtime::EnterGuard<'static> }
    "SYPUR" ty { rt::runtime::Handle }
    "SYPUR" ty { rt::runtime::HistogramConfiguration }
    "SYPUR" ty { rt::runtime::HistogramScale }
    "SYPUR" ty { rt::runtime::Id }
    "SYPUR" ty { rt::runtime::InvalidHistogramConfiguration }
    "--PUR" ty { rt::runtime::LocalOptions }
    "--PUR" ty { rt::runtime::LocalRuntime }
    "SYPUR" ty { rt::runtime::LogHistogram }
    "SYPUR" ty { rt::runtime::LogHistogramBuilder }
    "SYPUR" ty { rt::runtime::RngSeed }
    "SYPUR" ty { rt::runtime::Runtime }
    "SYPUR" ty { rt::runtime::RuntimeFlavor }
    "SYPUR" ty { rt::runtime::RuntimeMetrics }
    "SYPUR" ty { rt::runtime::TaskMeta<'static> }
    "SYPUR" ty { rt::runtime::TryCurrentError }
    "SYPUR" ty { rt::runtime::UnhandledPanic }
    "SYP--" ty { rt::signal::unix::Signal }
    "SYPUR" ty { rt::signal::unix::SignalKind }
    "SYPUR" ty { rt::sync::AcquireError }
    "SYP--" ty { rt::sync::Barrier }
    "SYPUR" ty { rt::sync::BarrierWaitResult }
    "SYP--" ty { rt::sync::MappedMutexGuard<'static, Plain> }
    "S-P--" ty { rt::sync::MappedMutexGuard<'static, NotSync> }
    "-YP--" ty { rt::sync::MappedMutexGuard<'static, NotSend> }
    "SYP--" ty { rt::sync::MappedMutexGuard<'static, NotUnpin> }
    "SYP--" ty { rt::sync::Mutex<Plain> }
    "SYP--" ty { rt::sync::Mutex<NotSync> }
    "--P--" ty { rt::sync::Mutex<NotSend> }
    "SY---" ty { rt::sync::Mutex<NotUnpin> }
    "SYP--" ty { rt::sync::MutexGuard<'static, Plain> }
    "S-P--" ty { rt::sync::MutexGuard<'static, NotSync> }
    "--P--" ty { rt::sync::MutexGuard<'static, NotSend> }
    "SYP--" ty { rt::sync::MutexGuard<'static, NotUnpin> }
    "SYPUR" ty { rt::sync::Notify }
    "SYP--" ty { rt::sync::OnceCell<Plain> }
    "S-P--" ty { rt::sync::OnceCell<NotSync> }
    "--P--" ty { rt::sync::OnceCell<NotSend> }
    "SY---" ty { rt::sync::OnceCell<NotUnpin> }
    "SYP--" ty { rt::sync::OwnedMappedMutexGuard<Plain, Plain> }
    "S-P--" ty { rt::sync::OwnedMappedMutexGuard<NotSync, Plain> }
    "--P--" ty { rt::sync::OwnedMappedMutexGuard<NotSend, Plain> }
    "SYP--" ty { rt::sync::OwnedMappedMutexGuard<NotUnpin, Plain> }
    "S-P--" ty { rt::sync::OwnedMappedMutexGuard<Plain, NotSync> }
    "--P--" ty { rt::sync::OwnedMappedMutexGuard<Plain, NotSend> }
    "SYP--" ty { rt::sync::OwnedMappedMutexGuard<Plain, NotUnpin> }
    "SYP--" ty { rt::sync::OwnedMutexGuard<Plain> }
    "S-P--" ty { rt::sync::OwnedMutexGuard<NotSync> }
    "--P--" ty { rt::sync::OwnedMutexGuard<NotSend> }
    "SYP--" ty { rt::sync::OwnedMutexGuard<NotUnpin> }
    "SYP--" ty { rt::sync::OwnedRwLockMappedWriteGuard<Plain, Plain> }
    "--P--" ty { rt::sync::OwnedRwLockMappedWriteGuard<NotSync, Plain> }
    "--P--" ty { rt::sync::OwnedRwLockMappedWriteGuard<NotSend, Plain> }
    "SY---" ty { rt::sync::OwnedRwLockMappedWriteGuard<NotUnpin, Plain> }
    "--P--" ty { rt::sync::OwnedRwLockMappedWriteGuard<Plain, NotSync> }
    "--P--" ty { rt::sync::OwnedRwLockMappedWriteGuard<Plain, NotSend> }
    "SYP--" ty { rt::sync::OwnedRwLockMappedWriteGuard<Plain, NotUnpin> }
    "SYP--" ty { rt::sync::OwnedRwLockReadGuard<Plain, Plain> }
    "--P--" ty { rt::sync::OwnedRwLockReadGuard<NotSync, Plain> }
    "--P--" ty { rt::sync::OwnedRwLockReadGuard<NotSend, Plain> }
    "SY---" ty { rt::sync::OwnedRwLockReadGuard<NotUnpin, Plain> }
    "--P--" ty { rt::sync::OwnedRwLockReadGuard<Plain, NotSync> }
    "S-P--" ty { rt::sync::OwnedRwLockReadGuard<Plain, NotSend> }
    "SYP--" ty { rt::sync::OwnedRwLockReadGuard<Plain, NotUnpin> }
    "SYP--" ty { rt::sync::OwnedRwLockWriteGuard<Plain> }
    "--P--" ty { rt::sync::OwnedRwLockWriteGuard<NotSync> }
    "--P--" ty { rt::sync::OwnedRwLockWriteGuard<NotSend> }
    "SY---" ty { rt::sync::OwnedRwLockWriteGuard<NotUnpin> }
    "SYP--" ty { rt::sync::OwnedSemaphorePermit }
    "SYP--" ty { rt::sync::RwLock<Plain> }
    "S-P--" ty { rt::sync::RwLock<NotSync> }
    "--P--" ty { rt::sync::RwLock<NotSend> }
    "SY---" ty { rt::sync::RwLock<NotUnpin> }
    "SYP--" ty { rt::sync::RwLockMappedWriteGuard<'static, Plain> }
    "--P--" ty { rt::sync::RwLockMappedWriteGuard<'static, NotSync> }
    "--P--" ty { rt::sync::RwLockMappedWriteGuard<'static, NotSend> }
    "SYP--" ty { rt::sync::RwLockMappedWriteGuard<'static, NotUnpin> }
    "SYP--" ty { rt::sync::RwLockReadGuard<'static, Plain> }
    "--P--" ty { rt::sync::RwLockReadGuard<'static, NotSync> }
    "S-P--" ty { rt::sync::RwLockReadGuard<'static, NotSend> }
    "SYP--" ty { rt::sync::RwLockReadGuard<'static, NotUnpin> }
    "SYP--" ty { rt::sync::RwLockWriteGuard<'static, Plain> }
    "--P--" ty { rt::sync::RwLockWriteGuard<'static, NotSync> }
    "--P--" ty { rt::sync::RwLockWriteGuard<'static, NotSend> }
    "SYP--" ty { rt::sync::RwLockWriteGuard<'static, NotUnpin> }
    "SYP--" ty { rt::sync::Semaphore }
    "SYP--" ty { rt::sync::SemaphorePermit<'static> }
    "SYPUR" ty { rt::sync::SetError<Plain> }
    "S-PU-" ty { rt::sync::SetError<NotSync> }
    "-YPUR" ty { rt::sync::SetError<NotSend> }
    "SY-UR" ty { rt::sync::SetError<NotUnpin> }
    "SYPU-" ty { rt::sync::SetOnce<Plain> }
    "S-PU-" ty { rt::sync::SetOnce<NotSync> }
    "--PU-" ty { rt::sync::SetOnce<NotSend> }
    "SY-U-" ty { rt::sync::SetOnce<NotUnpin> }
    "SYPUR" ty { rt::sync::SetOnceError<Plain> }
    "S-PU-" ty { rt::sync::SetOnceError<NotSync> }
    "-YPUR" ty { rt::sync::SetOnceError<NotSend> }
    "SY-UR" ty { rt::sync::SetOnceError<NotUnpin> }
    "SYPUR" ty { rt::sync::TryAcquireError }
    "SYPUR" ty { rt::sync::TryLockError }
    "SYP--" ty { rt::sync::broadcast::Receiver<Plain> }
    "SYP--" ty { rt::sync::broadcast::Receiver<NotSync> }
    "--P--" ty { rt::sync::broadcast::Receiver<NotSend> }
    "SYP--" ty { rt::sync::broadcast::Receiver<NotUnpin> }
    "SYP--" ty { rt::sync::broadcast::Sender<Plain> }
    "SYP--" ty { rt::sync::broadcast::Sender<NotSync> }
    "--P--" ty { rt::sync::broadcast::Sender<NotSend> }
    "SYP--" ty { rt::sync::broadcast::Sender<NotUnpin> }
    "SYP--" ty { rt::sync::broadcast::WeakSender<Plain> }
    "SYP--" ty { rt::sync::broadcast::WeakSender<NotSync> }
    "--P--" ty { rt::sync::broadcast::WeakSender<NotSend> }
    "SYP--" ty { rt::sync::broadcast::WeakSender<NotUnpin> }
    "SYPUR" ty { rt::sync::broadcast::error::RecvError }
    "SYPUR" ty { rt::sync::broadcast::error::SendError<Plain> }
    "S-PU-" ty { rt::sync::broadcast::error::SendError<NotSync> }
    "-YPUR" ty { rt::sync::broadcast::error::SendError<NotSend> }
    "SY-UR" ty { rt::sync::broadcast::error::SendError<NotUnpin> }
    "SYPUR" ty { rt::sync::broadcast::error::TryRecvError }
    "SY---" ty { rt::sync::futures::Notified<'static> }
    "SY---" ty { rt::sync::futures::OwnedNotified }
    "SYPUR" ty { rt::sync::mpsc::OwnedPermit<Plain> }
    "SYPUR" ty { rt::sync::mpsc::OwnedPermit<NotSync> }
    "--PUR" ty { rt::sync::mpsc::OwnedPermit<NotSend> }
    "SYPUR" ty { rt::sync::mpsc::OwnedPermit<NotUnpin> }
    "SYPUR" ty { rt::sync::mpsc::Permit<'static, Plain> }
    "SYPUR" ty { rt::sync::mpsc::Permit<'static, NotSync> }
    "--PUR" ty { rt::sync::mpsc::Permit<'static, NotSend> }
    "SYPUR" ty { rt::sync::mpsc::Permit<'static, NotUnpin> }
    "SYPUR" ty { rt::sync::mpsc::PermitIterator<'static, Plain> }
    "SYPUR" ty { rt::sync::mpsc::PermitIterator<'static, NotSync> }
    "--PUR" ty { rt::sync::mpsc::PermitIterator<'static, NotSend> }
    "SYPUR" ty { rt::sync::mpsc::PermitIterator<'static, NotUnpin> }
    "SYPUR" ty { rt::sync::mpsc::Receiver<Plain> }
    "SYPUR" ty { rt::sync::mpsc::Receiver<NotSync> }
    "--PUR" ty { rt::sync::mpsc::Receiver<NotSend> }
    "SYPUR" ty { rt::sync::mpsc::Receiver<NotUnpin> }
    "SYPUR" ty { rt::sync::mpsc::Sender<Plain> }
    "SYPUR" ty { rt::sync::mpsc::Sender<NotSync> }
    "--PUR" ty { rt::sync::mpsc::Sender<NotSend> }
    "SYPUR" ty { rt::sync::mpsc::Sender<NotUnpin> }
    "SYPUR" ty { rt::sync::mpsc::UnboundedReceiver<Plain> }
    "SYPUR" ty { rt::sync::mpsc::UnboundedReceiver<NotSync> }
    "--PUR" ty { rt::sync::mpsc::UnboundedReceiver<NotSend> }
    "SYPUR" ty { rt::sync::mpsc::UnboundedReceiver<NotUnpin> }
    "SYPUR" ty { rt::sync::mpsc::UnboundedSender<Plain> }
    "SYPUR" ty { rt::sync::mpsc::UnboundedSender<NotSync> }
    "--PUR" ty { rt::sync::mpsc::UnboundedSender<NotSend> }
    "SYPUR" ty { rt::sync::mpsc::UnboundedSender<NotUnpin> }
    "SYPUR" ty { rt::sync::mpsc::WeakSender<Plain> }
    "SYPUR" ty { rt::sync::mpsc::WeakSender<NotSync> }
    "--PUR" ty { rt::sync::mpsc::WeakSender<NotSend> }
    "SYPUR" ty { rt::sync::mpsc::WeakSender<NotUnpin> }
    "SYPUR" ty { rt::sync::mpsc::WeakUnboundedSender<Plain> }
    "SYPUR" ty { rt::sync::mpsc::WeakUnboundedSender<NotSync> }
    "--PUR" ty { rt::sync::mpsc::WeakUnboundedSender<NotSend> }
    "SYPUR" ty { rt::sync::mpsc::WeakUnboundedSender<NotUnpin> }
    "SYPUR" ty { rt::sync::mpsc::error::SendError<Plain> }
    "S-PU-" ty { rt::sync::mpsc::error::SendError<NotSync> }
    "-YPUR" ty { rt::sync::mpsc::error::SendError<NotSend> }
    "SY-UR" ty { rt::sync::mpsc::error::SendError<NotUnpin> }
    "SYPUR" ty { rt::sync::mpsc::error::SendTimeoutError<Plain> }
    "S-PU-" ty { rt::sync::mpsc::error::SendTimeoutError<NotSync> }
    "-YPUR" ty { rt::sync::mpsc::error::SendTimeoutError<NotSend> }
    "SY-UR" ty { rt::sync::mpsc::error::SendTimeoutError<NotUnpin> }
    "SYPUR" ty { rt::sync::mpsc::error::TryRecvError }
    "SYPUR" ty { rt::sync::mpsc::error::TrySendError<Plain> }
    "S-PU-" ty { rt::sync::mpsc::error::TrySendError<NotSync> }
    "-YPUR" ty { rt::sync::mpsc::error::TrySendError<NotSend> }
    "SY-UR" ty { rt::sync::mpsc::error::TrySendError<NotUnpin> }
    "SYP--" ty { rt::sync::oneshot::Receiver<Plain> }
    "SYP--" ty { rt::sync::oneshot::Receiver<NotSync> }
    "--P--" ty { rt::sync::oneshot::Receiver<NotSend> }
    "SYP--" ty { rt::sync::oneshot::Receiver<NotUnpin> }
    "SYP--" ty { rt::sync::oneshot::Sender<Plain> }
    "SYP--" ty { rt::sync::oneshot::Sender<NotSync> }
    "--P--" ty { rt::sync::oneshot::Sender<NotSend> }
    "SYP--" ty { rt::sync::oneshot::Sender<NotUnpin> }
    "SYPUR" ty { rt::sync::oneshot::error::RecvError }
    "SYPUR" ty { rt::sync::oneshot::error::TryRecvError }
    "SYP--" ty { rt::sync::watch::Receiver<Plain> }
    "--P--" ty { rt::sync::watch::Receiver<NotSync> }
    "--P--" ty { rt::sync::watch::Receiver<NotSend> }
    "SYP--" ty { rt::sync::watch::Receiver<NotUnpin> }
    "-YP--" ty { rt::sync::watch::Ref<'static, Plain> }
    "--P--" ty { rt::sync::watch::Ref<'static, NotSync> }
    "-YP--" ty { rt::sync::watch::Ref<'static, NotSend> }
    "-YP--" ty { rt::sync::watch::Ref<'static, NotUnpin> }
    "SYP--" ty { rt::sync::watch::Sender<Plain> }
    "--P--" ty { rt::sync::watch::Sender<NotSync> }
    "--P--" ty { rt::sync::watch::Sender<NotSend> }
    "SYP--" ty { rt::sync::watch::Sender<NotUnpin> }
    "SYPUR" ty { rt::sync::watch::error::RecvError }
    "SYPUR" ty { rt::sync::watch::error::SendError<Plain> }
    "S-PU-" ty { rt::sync::watch::error::SendError<NotSync> }
    "-YPUR" ty { rt::sync::watch::error::SendError<NotSend> }
    "SY-UR" ty { rt::sync::watch::error::SendError<NotUnpin> }
    "SYPUR" ty { rt::task::AbortHandle }
    "SYPUR" ty { rt::task::Builder<'static> }
    "SYPUR" ty { rt::task::Id }
    "SYP--" ty { rt::task::JoinError }
    "SYPUR" ty { rt::task::JoinHandle<Plain> }
    "SYPUR" ty { rt::task::JoinHandle<NotSync> }
    "--PUR" ty { rt::task::JoinHandle<NotSend> }
    "SYPUR" ty { rt::task::JoinHandle<NotUnpin> }
    "SYP--" ty { rt::task::JoinSet<Plain> }
    "SYP--" ty { rt::task::JoinSet<NotSync> }
    "--P--" ty { rt::task::JoinSet<NotSend> }
    "SYP--" ty { rt::task::JoinSet<NotUnpin> }
    "--P--" ty { rt::task::LocalEnterGuard }
    "SYPUR" ty { rt::task::LocalKey<Plain> }
    "SYPUR" ty { rt::task::LocalKey<NotSync> }
    "SYPUR" ty { rt::task::LocalKey<NotSend> }
    "SYPUR" ty { rt::task::LocalKey<NotUnpin> }
    "--P--" ty { rt::task::LocalSet }
    "SYPUR" ty { rt::task::coop::Coop<Plain> }
    "S-PU-" ty { rt::task::coop::Coop<NotSync> }
    "-YPUR" ty { rt::task::coop::Coop<NotSend> }
    "SY-UR" ty { rt::task::coop::Coop<NotUnpin> }
    "--PU-" ty { rt::task::coop::RestoreOnPending }
    "SYPUR" ty { rt::task::coop::Unconstrained<Plain> }
    "S-PU-" ty { rt::task::coop::Unconstrained<NotSync> }
    "-YPUR" ty { rt::task::coop::Unconstrained<NotSend> }
    "SY-UR" ty { rt::task::coop::Unconstrained<NotUnpin> }
    "SY-UR" ty { rt::task::futures::TaskLocalFuture<Plain, Plain> }
    "S--U-" ty { rt::task::futures::TaskLocalFuture<NotSync, Plain> }
    "-Y-UR" ty { rt::task::futures::TaskLocalFuture<NotSend, Plain> }
    "SY-UR" ty { rt::task::futures::TaskLocalFuture<NotUnpin, Plain> }
    "S--U-" ty { rt::task::futures::TaskLocalFuture<Plain, NotSync> }
    "-Y-UR" ty { rt::task::futures::TaskLocalFuture<Plain, NotSend> }
    "SY-UR" ty { rt::task::futures::TaskLocalFuture<Plain, NotUnpin> }
    "SYP--" ty { rt::task::join_set::Builder<'static, Plain> }
    "SYP--" ty { rt::task::join_set::Builder<'static, NotSync> }
    "--P--" ty { rt::task::join_set::Builder<'static, NotSend> }
    "SYP--" ty { rt::task::join_set::Builder<'static, NotUnpin> }
    "SYP--" ty { rt::task::join_set::JoinSet<Plain> }
    "SYP--" ty { rt::task::join_set::JoinSet<NotSync> }
    "--P--" ty { rt::task::join_set::JoinSet<NotSend> }
    "SYP--" ty { rt::task::join_set::JoinSet<NotUnpin> }
    "SYPUR" ty { rt::time::Instant }
    "SYP--" ty { rt::time::Interval }
    "SYPUR" ty { rt::time::MissedTickBehavior }
    "SY---" ty { rt::time::Sleep }
    "SY---" ty { rt::time::Timeout<Plain> }
    "S----" ty { rt::time::Timeout<NotSync> }
    "-Y---" ty { rt::time::Timeout<NotSend> }
    "SY---" ty { rt::time::Timeout<NotUnpin> }
    "SYPUR" ty { rt::time::error::Elapsed }
    "SYPUR" ty { rt::time::error::Error }
    "SY---" fut { rt::fs::read(v::<&str>()) }
    "SY---" fut { rt::fs::write(v::<&str>(), v::<&str>()) }
    "SY---" fut { rt::fs::File::open(v::<&str>()) }
    "SY---" fut { v::<&rt::fs::File>().sync_all() }
    "SY---" fut { v::<&mut rt::fs::ReadDir>().next_entry() }
    "SY-UR" fut { v::<&rt::fs::DirEntry>().metadata() }
    "SY---" fut { v::<&rt::fs::OpenOptions>().open(v::<&str>()) }
    "-Y---" fut { rt::fs::read(v::<NotSend>()) }
    "S----" fut { rt::fs::write(v::<&str>(), v::<NotSync>()) }
    "SY-UR" fut { rt::net::lookup_host(v::<&str>()) }
    "SY-UR" fut { rt::net::TcpListener::bind(v::<&str>()) }
    "SY---" fut { v::<&rt::net::TcpListener>().accept() }
    "SY---" fut { rt::net::TcpStream::connect(v::<&str>()) }
    "SY---" fut { v::<&rt::net::TcpStream>().readable() }
    "SY---" fut { v::<&rt::net::TcpStream>().peek(v::<&mut [u8]>()) }
    "SY-UR" fut { v::<rt::net::TcpSocket>().connect(v::<std::net::SocketAddr>()) }
    "SY-UR" fut { rt::net::UdpSocket::bind(v::<&str>()) }
    "SY---" fut { v::<&rt::net::UdpSocket>().send_to(v::<&[u8]>(), v::<&str>()) }
    "SY---" fut { v::<&rt::net::UdpSocket>().recv_from(v::<&mut [u8]>()) }
    "SY-UR" fut { rt::net::UnixStream::connect(v::<&str>()) }
    "SY---" fut { v::<&rt::net::UnixListener>().accept() }
    "SY---" fut { v::<&rt::net::UnixDatagram>().recv(v::<&mut [u8]>()) }
    "SY---" fut { v::<&rt::net::unix::pipe::Receiver>().readable() }
    "SY---" fut { v::<&rt::net::unix::pipe::Sender>().writable() }
    "SY--R" fut { rt::io::AsyncReadExt::read(v::<&mut Plain>(), v::<&mut [u8]>()) }
    "-Y--R" fut { rt::io::AsyncReadExt::read(v::<&mut NotSend>(), v::<&mut [u8]>()) }
    "S----" fut { rt::io::AsyncReadExt::read(v::<&mut NotSync>(), v::<&mut [u8]>()) }
    "SY--R" fut { rt::io::AsyncReadExt::read_exact(v::<&mut Plain>(), v::<&mut [u8]>()) }
    "SY--R" fut { rt::io::AsyncReadExt::read_buf(v::<&mut Plain>(), v::<&mut Vec<u8>>()) }
    "SY--R" fut { rt::io::AsyncReadExt::read_u32(v::<&mut Plain>()) }
    "-Y--R" fut { rt::io::AsyncReadExt::read_u32(v::<&mut NotSend>()) }
    "SY--R" fut { rt::io::AsyncReadExt::read_f64_le(v::<&mut Plain>()) }
    "SY--R" fut { rt::io::AsyncReadExt::read_to_end(v::<&mut Plain>(), v::<&mut Vec<u8>>()) }
    "-Y--R" fut { rt::io::AsyncReadExt::read_to_end(v::<&mut NotSend>(), v::<&mut Vec<u8>>()) }
    "SY--R" fut { rt::io::AsyncReadExt::read_to_string(v::<&mut Plain>(), v::<&mut String>()) }
    "SY--R" fut { rt::io::AsyncWriteExt::write(v::<&mut Plain>(), v::<&[u8]>()) }
    "SY--R" fut { rt::io::AsyncWriteExt::write_vectored(v::<&mut Plain>(), v::<&[std::io::IoSlice<'_>]>()) }
    "SY--R" fut { rt::io::AsyncWriteExt::write_buf(v::<&mut Plain>(), v::<&mut &[u8]>()) }
    "SY--R" fut { rt::io::AsyncWriteExt::write_all(v::<&mut Plain>(), v::<&[u8]>()) }
    "-Y--R" fut { rt::io::AsyncWriteExt::write_all(v::<&mut NotSend>(), v::<&[u8]>()) }
    "SY--R" fut { rt::io::AsyncWriteExt::write_all_buf(v::<&mut Plain>(), v::<&mut &[u8]>()) }
    "SY--R" fut { rt::io::AsyncWriteExt::write_u64(v::<&mut Plain>(), 1) }
    "SY--R" fut { rt::io::AsyncWriteExt::flush(v::<&mut Plain>()) }
    "SY--R" fut { rt::io::AsyncWriteExt::shutdown(v::<&mut Plain>()) }
    "SY--R" fut { rt::io::AsyncSeekExt::seek(v::<&mut Plain>(), std::io::SeekFrom::Start(0)) }
    "-Y--R" fut { rt::io::AsyncSeekExt::stream_position(v::<&mut NotSend>()) }
    "SY--R" fut { rt::io::AsyncBufReadExt::read_until(v::<&mut Plain>(), 0, v::<&mut Vec<u8>>()) }
    "SY--R" fut { rt::io::AsyncBufReadExt::read_line(v::<&mut Plain>(), v::<&mut String>()) }
    "-Y--R" fut { rt::io::AsyncBufReadExt::read_line(v::<&mut NotSend>(), v::<&mut String>()) }
    "SY--R" fut { rt::io::AsyncBufReadExt::fill_buf(v::<&mut Plain>()) }
    "SY--R" fut { v::<&mut rt::io::Lines<Plain>>().next_line() }
    "-Y--R" fut { v::<&mut rt::io::Split<NotSend>>().next_segment() }
    "SY--R" fut { rt::io::copy(v::<&mut Plain>(), v::<&mut Plain>()) }
    "-Y--R" fut { rt::io::copy(v::<&mut NotSend>(), v::<&mut Plain>()) }
    "SY--R" fut { rt::io::copy_buf(v::<&mut Plain>(), v::<&mut Plain>()) }
    "SY--R" fut { rt::io::copy_bidirectional(v::<&mut Plain>(), v::<&mut Plain>()) }
    "-Y--R" fut { rt::io::copy_bidirectional(v::<&mut Plain>(), v::<&mut NotSend>()) }
    "SY---" fut { v::<&rt::io::unix::AsyncFd<Plain>>().readable() }
    "SY---" fut { v::<&rt::io::unix::AsyncFd<NotSend>>().readable() }
    "-----" fut { v::<&rt::io::unix::AsyncFd<NotSync>>().readable() }
    "S----" fut { v::<&mut rt::io::unix::AsyncFd<NotSync>>().readable_mut() }
    "SY---" fut { v::<&rt::sync::Barrier>().wait() }
    "SY---" fut { v::<&rt::sync::Mutex<Plain>>().lock() }
    "SY---" fut { v::<&rt::sync::Mutex<NotSync>>().lock() }
    "-----" fut { v::<&rt::sync::Mutex<NotSend>>().lock() }
    "SY---" fut { v::<std::sync::Arc<rt::sync::Mutex<NotSync>>>().lock_owned() }
    "-----" fut { v::<std::sync::Arc<rt::sync::Mutex<NotSend>>>().lock_owned() }
    "SY---" fut { v::<&rt::sync::RwLock<Plain>>().read() }
    "-----" fut { v::<&rt::sync::RwLock<NotSync>>().read() }
    "-----" fut { v::<&rt::sync::RwLock<NotSync>>().write() }
    "-----" fut { v::<&rt::sync::RwLock<NotSend>>().write() }
    "SY---" fut { v::<std::sync::Arc<rt::sync::RwLock<Plain>>>().read_owned() }
    "-----" fut { v::<std::sync::Arc<rt::sync::RwLock<NotSend>>>().write_owned() }
    "SY---" fut { v::<&rt::sync::Semaphore>().acquire() }
    "SY---" fut { v::<&rt::sync::Semaphore>().acquire_many(2) }
    "SY---" fut { v::<std::sync::Arc<rt::sync::Semaphore>>().acquire_owned() }
    "SY---" fut { v::<&rt::sync::Notify>().notified() }
    "SY---" fut { v::<std::sync::Arc<rt::sync::Notify>>().notified_owned() }
    "SY---" fut { v::<&rt::sync::OnceCell<Plain>>().get_or_init(async || v::<Plain>()) }
    "-----" fut { v::<&rt::sync::OnceCell<NotSend>>().get_or_init(|| std::future::ready(v::<NotSend>())) }
    "-----" fut { v::<&rt::sync::OnceCell<NotSync>>().get_or_try_init(|| std::future::ready(Ok::<_, Plain>(v::<NotSync>()))) }
    "SY---" fut { v::<&rt::sync::SetOnce<Plain>>().wait() }
    "-----" fut { v::<&rt::sync::SetOnce<NotSync>>().wait() }
    "-----" fut { v::<&rt::sync::SetOnce<NotSend>>().wait() }
    "SY---" fut { v::<&rt::sync::mpsc::Sender<Plain>>().send(v::<Plain>()) }
    "S----" fut { v::<&rt::sync::mpsc::Sender<NotSync>>().send(v::<NotSync>()) }
    "-----" fut { v::<&rt::sync::mpsc::Sender<NotSend>>().send(v::<NotSend>()) }
    "SY---" fut { v::<&rt::sync::mpsc::Sender<NotSync>>().reserve() }
    "-----" fut { v::<&rt::sync::mpsc::Sender<NotSend>>().reserve_many(2) }
    "SY---" fut { v::<rt::sync::mpsc::Sender<NotSync>>().reserve_owned() }
    "-----" fut { v::<&rt::sync::mpsc::Sender<NotSend>>().closed() }
    "SY---" fut { v::<&rt::sync::mpsc::Sender<Plain>>().send_timeout(v::<Plain>(), v::<std::time::Duration>()) }
    "SY--R" fut { v::<&mut rt::sync::mpsc::Receiver<Plain>>().recv() }
    "SY--R" fut { v::<&mut rt::sync::mpsc::Receiver<NotSync>>().recv() }
    "----R" fut { v::<&mut rt::sync::mpsc::Receiver<NotSend>>().recv() }
    "S----" fut { v::<&mut rt::sync::mpsc::Receiver<NotSync>>().recv_many(v::<&mut Vec<NotSync>>(), 2) }
    "SY--R" fut { v::<&mut rt::sync::mpsc::UnboundedReceiver<NotSync>>().recv() }
    "----R" fut { v::<&mut rt::sync::mpsc::UnboundedReceiver<NotSend>>().recv() }
    "SY---" fut { v::<&rt::sync::mpsc::UnboundedSender<NotSync>>().closed() }
    "SY---" fut { v::<&mut rt::sync::broadcast::Receiver<Plain>>().recv() }
    "SY---" fut { v::<&mut rt::sync::broadcast::Receiver<NotSync>>().recv() }
    "-----" fut { v::<&mut rt::sync::broadcast::Receiver<NotSend>>().recv() }
    "SY---" fut { v::<&rt::sync::broadcast::Sender<NotSync>>().closed() }
    "SY---" fut { v::<&mut rt::sync::watch::Receiver<Plain>>().changed() }
    "-----" fut { v::<&mut rt::sync::watch::Receiver<NotSync>>().changed() }
    "-----" fut { v::<&mut rt::sync::watch::Receiver<NotSend>>().changed() }
    "SY---" fut { v::<&mut rt::sync::watch::Receiver<Plain>>().wait_for(|_| true) }
    "-----" fut { v::<&mut rt::sync::watch::Receiver<NotSync>>().wait_for(|_| true) }
    "-----" fut { v::<&rt::sync::watch::Sender<NotSync>>().closed() }
    "SY---" fut { v::<&mut rt::sync::oneshot::Sender<NotSync>>().closed() }
    "-----" fut { v::<&mut rt::sync::oneshot::Sender<NotSend>>().closed() }
    "SY--R" fut { rt::task::yield_now() }
    "SY-UR" fut { rt::task::coop::consume_budget() }
    "-YPUR" fut { rt::task::coop::unconstrained(std::future::ready(v::<NotSend>())) }
    "SYPUR" fut { rt::task::coop::cooperative(std::future::ready(v::<Plain>())) }
    "SY---" fut { v::<&mut rt::task::JoinSet<Plain>>().join_next() }
    "SY---" fut { v::<&mut rt::task::JoinSet<NotSync>>().join_next() }
    "-----" fut { v::<&mut rt::task::JoinSet<NotSend>>().join_next() }
    "S----" fut { v::<rt::task::JoinSet<NotSync>>().join_all() }
    "SY---" fut { v::<&mut rt::task::JoinSet<NotSync>>().shutdown() }
    "-----" fut { v::<&rt::task::LocalSet>().run_until(std::future::ready(v::<Plain>())) }
    "SYPUR" fut { rt::task::spawn_local(std::future::ready(v::<NotSync>())) }
    "SY-UR" fut { v::<&'static rt::task::LocalKey<Plain>>().scope(v::<Plain>(), std::future::ready(v::<Plain>())) }
    "-Y-UR" fut { v::<&'static rt::task::LocalKey<NotSend>>().scope(v::<NotSend>(), std::future::ready(v::<Plain>())) }
    "-Y-UR" fut { v::<&'static rt::task::LocalKey<Plain>>().scope(v::<Plain>(), std::future::ready(v::<NotSend>())) }
    "SY---" fut { rt::time::sleep(v::<std::time::Duration>()) }
    "SY---" fut { rt::time::timeout(v::<std::time::Duration>(), std::future::ready(v::<Plain>())) }
    "-Y---" fut { rt::time::timeout(v::<std::time::Duration>(), std::future::ready(v::<NotSend>())) }
    "S----" fut { rt::time::timeout(v::<std::time::Duration>(), std::future::ready(v::<NotSync>())) }
    "SY---" fut { v::<&mut rt::time::Interval>().tick() }
    "SY--R" fut { rt::time::advance(v::<std::time::Duration>()) }
    "SY---" fut { v::<&mut rt::process::Child>().wait() }
    "SY---" fut { v::<rt::process::Child>().wait_with_output() }
    "SY---" fut { v::<&mut rt::process::Child>().kill() }
    "SY---" fut { v::<&mut rt::process::Command>().output() }
    "SY---" fut { v::<&mut rt::process::Command>().status() }
    "SY---" fut { rt::signal::ctrl_c() }
    "SY---" fut { v::<&mut rt::signal::unix::Signal>().recv() }
}
