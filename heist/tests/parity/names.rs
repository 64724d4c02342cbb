// Written by compat/parity from Tokio's documentation: every public path once. `rt` is heist.

use rt::fs as N1;
use rt::fs::DirBuilder as N2;
use rt::fs::DirEntry as N3;
use rt::fs::File as N4;
use rt::fs::FileTimes as N5;
use rt::fs::OpenOptions as N6;
use rt::fs::ReadDir as N7;
use rt::fs::canonicalize as N8;
use rt::fs::copy as N9;
use rt::fs::create_dir as N10;
use rt::fs::create_dir_all as N11;
use rt::fs::hard_link as N12;
use rt::fs::metadata as N13;
use rt::fs::read as N14;
use rt::fs::read_dir as N15;
use rt::fs::read_link as N16;
use rt::fs::read_to_string as N17;
use rt::fs::remove_dir as N18;
use rt::fs::remove_dir_all as N19;
use rt::fs::remove_file as N20;
use rt::fs::rename as N21;
use rt::fs::set_permissions as N22;
use rt::fs::symlink as N23;
use rt::fs::symlink_metadata as N24;
use rt::fs::try_exists as N25;
use rt::fs::write as N26;
use rt::io as N27;
use rt::io::AsyncBufRead as N28;
use rt::io::AsyncBufReadExt as N29;
use rt::io::AsyncRead as N30;
use rt::io::AsyncReadExt as N31;
use rt::io::AsyncSeek as N32;
use rt::io::AsyncSeekExt as N33;
use rt::io::AsyncWrite as N34;
use rt::io::AsyncWriteExt as N35;
use rt::io::BufReader as N36;
use rt::io::BufStream as N37;
use rt::io::BufWriter as N38;
use rt::io::Chain as N39;
use rt::io::DuplexStream as N40;
use rt::io::Empty as N41;
use rt::io::Error as N42;
use rt::io::ErrorKind as N43;
use rt::io::Interest as N44;
use rt::io::Join as N45;
use rt::io::Lines as N46;
use rt::io::ReadBuf as N47;
use rt::io::ReadHalf as N48;
use rt::io::Ready as N49;
use rt::io::Repeat as N50;
use rt::io::Result as N51;
use rt::io::SeekFrom as N52;
use rt::io::SimplexStream as N53;
use rt::io::Sink as N54;
use rt::io::Split as N55;
use rt::io::Stderr as N56;
use rt::io::Stdin as N57;
use rt::io::Stdout as N58;
use rt::io::Take as N59;
use rt::io::WriteHalf as N60;
use rt::io::copy as N61;
use rt::io::copy_bidirectional as N62;
use rt::io::copy_bidirectional_with_sizes as N63;
use rt::io::copy_buf as N64;
use rt::io::duplex as N65;
use rt::io::empty as N66;
use rt::io::join as N67;
use rt::io::repeat as N68;
use rt::io::simplex as N69;
use rt::io::sink as N70;
use rt::io::split as N71;
use rt::io::stderr as N72;
use rt::io::stdin as N73;
use rt::io::stdout as N74;
use rt::io::unix as N75;
use rt::io::unix::AsyncFd as N76;
use rt::io::unix::AsyncFdReadyGuard as N77;
use rt::io::unix::AsyncFdReadyMutGuard as N78;
use rt::io::unix::AsyncFdRegisterError as N79;
use rt::io::unix::TryIoError as N80;
use rt::join as N81;
use rt::main as N82;
use rt::net as N83;
use rt::net::TcpListener as N84;
use rt::net::TcpSocket as N85;
use rt::net::TcpStream as N86;
use rt::net::ToSocketAddrs as N87;
use rt::net::UdpSocket as N88;
use rt::net::UnixDatagram as N89;
use rt::net::UnixListener as N90;
use rt::net::UnixSocket as N91;
use rt::net::UnixStream as N92;
use rt::net::lookup_host as N93;
use rt::net::tcp as N94;
use rt::net::tcp::OwnedReadHalf as N95;
use rt::net::tcp::OwnedWriteHalf as N96;
use rt::net::tcp::ReadHalf as N97;
use rt::net::tcp::ReuniteError as N98;
use rt::net::tcp::WriteHalf as N99;
use rt::net::unix as N100;
use rt::net::unix::OwnedReadHalf as N101;
use rt::net::unix::OwnedWriteHalf as N102;
use rt::net::unix::ReadHalf as N103;
use rt::net::unix::ReuniteError as N104;
use rt::net::unix::SocketAddr as N105;
use rt::net::unix::UCred as N106;
use rt::net::unix::WriteHalf as N107;
use rt::net::unix::gid_t as N108;
use rt::net::unix::pid_t as N109;
use rt::net::unix::pipe as N110;
use rt::net::unix::pipe::OpenOptions as N111;
use rt::net::unix::pipe::Receiver as N112;
use rt::net::unix::pipe::Sender as N113;
use rt::net::unix::pipe::pipe as N114;
use rt::net::unix::uid_t as N115;
use rt::pin as N116;
use rt::process as N117;
use rt::process::Child as N118;
use rt::process::ChildStderr as N119;
use rt::process::ChildStdin as N120;
use rt::process::ChildStdout as N121;
use rt::process::Command as N122;
use rt::runtime as N123;
use rt::runtime::Builder as N124;
use rt::runtime::EnterGuard as N125;
use rt::runtime::Handle as N126;
use rt::runtime::HistogramConfiguration as N127;
use rt::runtime::HistogramScale as N128;
use rt::runtime::HistogramScale::Linear as N129;
use rt::runtime::HistogramScale::Log as N130;
use rt::runtime::Id as N131;
use rt::runtime::InvalidHistogramConfiguration as N132;
use rt::runtime::InvalidHistogramConfiguration::TooManyBuckets as N133;
use rt::runtime::LocalOptions as N134;
use rt::runtime::LocalRuntime as N135;
use rt::runtime::LogHistogram as N136;
use rt::runtime::LogHistogramBuilder as N137;
use rt::runtime::RngSeed as N138;
use rt::runtime::Runtime as N139;
use rt::runtime::RuntimeFlavor as N140;
use rt::runtime::RuntimeFlavor::CurrentThread as N141;
use rt::runtime::RuntimeFlavor::MultiThread as N142;
use rt::runtime::RuntimeMetrics as N143;
use rt::runtime::TaskMeta as N144;
use rt::runtime::TryCurrentError as N145;
use rt::runtime::UnhandledPanic as N146;
use rt::runtime::UnhandledPanic::Ignore as N147;
use rt::runtime::UnhandledPanic::ShutdownRuntime as N148;
use rt::runtime::is_rt_shutdown_err as N149;
use rt::runtime::worker_index as N150;
use rt::select as N151;
use rt::signal as N152;
use rt::signal::ctrl_c as N153;
use rt::signal::unix as N154;
use rt::signal::unix::Signal as N155;
use rt::signal::unix::SignalKind as N156;
use rt::signal::unix::signal as N157;
use rt::spawn as N158;
use rt::stream as N159;
use rt::sync as N160;
use rt::sync::AcquireError as N161;
use rt::sync::Barrier as N162;
use rt::sync::BarrierWaitResult as N163;
use rt::sync::MappedMutexGuard as N164;
use rt::sync::Mutex as N165;
use rt::sync::MutexGuard as N166;
use rt::sync::Notify as N167;
use rt::sync::OnceCell as N168;
use rt::sync::OwnedMappedMutexGuard as N169;
use rt::sync::OwnedMutexGuard as N170;
use rt::sync::OwnedRwLockMappedWriteGuard as N171;
use rt::sync::OwnedRwLockReadGuard as N172;
use rt::sync::OwnedRwLockWriteGuard as N173;
use rt::sync::OwnedSemaphorePermit as N174;
use rt::sync::RwLock as N175;
use rt::sync::RwLockMappedWriteGuard as N176;
use rt::sync::RwLockReadGuard as N177;
use rt::sync::RwLockWriteGuard as N178;
use rt::sync::Semaphore as N179;
use rt::sync::SemaphorePermit as N180;
use rt::sync::SetError as N181;
use rt::sync::SetError::AlreadyInitializedError as N182;
use rt::sync::SetError::InitializingError as N183;
use rt::sync::SetOnce as N184;
use rt::sync::SetOnceError as N185;
use rt::sync::TryAcquireError as N186;
use rt::sync::TryAcquireError::Closed as N187;
use rt::sync::TryAcquireError::NoPermits as N188;
use rt::sync::TryLockError as N189;
use rt::sync::broadcast as N190;
use rt::sync::broadcast::Receiver as N191;
use rt::sync::broadcast::Sender as N192;
use rt::sync::broadcast::WeakSender as N193;
use rt::sync::broadcast::channel as N194;
use rt::sync::broadcast::error as N195;
use rt::sync::broadcast::error::RecvError as N196;
use rt::sync::broadcast::error::RecvError::Closed as N197;
use rt::sync::broadcast::error::RecvError::Lagged as N198;
use rt::sync::broadcast::error::SendError as N199;
use rt::sync::broadcast::error::TryRecvError as N200;
use rt::sync::broadcast::error::TryRecvError::Closed as N201;
use rt::sync::broadcast::error::TryRecvError::Empty as N202;
use rt::sync::broadcast::error::TryRecvError::Lagged as N203;
use rt::sync::futures as N204;
use rt::sync::futures::Notified as N205;
use rt::sync::futures::OwnedNotified as N206;
use rt::sync::mpsc as N207;
use rt::sync::mpsc::OwnedPermit as N208;
use rt::sync::mpsc::Permit as N209;
use rt::sync::mpsc::PermitIterator as N210;
use rt::sync::mpsc::Receiver as N211;
use rt::sync::mpsc::Sender as N212;
use rt::sync::mpsc::UnboundedReceiver as N213;
use rt::sync::mpsc::UnboundedSender as N214;
use rt::sync::mpsc::WeakSender as N215;
use rt::sync::mpsc::WeakUnboundedSender as N216;
use rt::sync::mpsc::channel as N217;
use rt::sync::mpsc::error as N218;
use rt::sync::mpsc::error::SendError as N219;
use rt::sync::mpsc::error::SendTimeoutError as N220;
use rt::sync::mpsc::error::SendTimeoutError::Closed as N221;
use rt::sync::mpsc::error::SendTimeoutError::Timeout as N222;
use rt::sync::mpsc::error::TryRecvError as N223;
use rt::sync::mpsc::error::TryRecvError::Disconnected as N224;
use rt::sync::mpsc::error::TryRecvError::Empty as N225;
use rt::sync::mpsc::error::TrySendError as N226;
use rt::sync::mpsc::error::TrySendError::Closed as N227;
use rt::sync::mpsc::error::TrySendError::Full as N228;
use rt::sync::mpsc::unbounded_channel as N229;
use rt::sync::oneshot as N230;
use rt::sync::oneshot::Receiver as N231;
use rt::sync::oneshot::Sender as N232;
use rt::sync::oneshot::channel as N233;
use rt::sync::oneshot::error as N234;
use rt::sync::oneshot::error::RecvError as N235;
use rt::sync::oneshot::error::TryRecvError as N236;
use rt::sync::oneshot::error::TryRecvError::Closed as N237;
use rt::sync::oneshot::error::TryRecvError::Empty as N238;
use rt::sync::watch as N239;
use rt::sync::watch::Receiver as N240;
use rt::sync::watch::Ref as N241;
use rt::sync::watch::Sender as N242;
use rt::sync::watch::channel as N243;
use rt::sync::watch::error as N244;
use rt::sync::watch::error::RecvError as N245;
use rt::sync::watch::error::SendError as N246;
use rt::task as N247;
use rt::task::AbortHandle as N248;
use rt::task::Builder as N249;
use rt::task::Id as N250;
use rt::task::JoinError as N251;
use rt::task::JoinHandle as N252;
use rt::task::JoinSet as N253;
use rt::task::LocalEnterGuard as N254;
use rt::task::LocalKey as N255;
use rt::task::LocalSet as N256;
use rt::task::block_in_place as N257;
use rt::task::coop as N258;
use rt::task::coop::Coop as N259;
use rt::task::coop::RestoreOnPending as N260;
use rt::task::coop::Unconstrained as N261;
use rt::task::coop::consume_budget as N262;
use rt::task::coop::cooperative as N263;
use rt::task::coop::has_budget_remaining as N264;
use rt::task::coop::poll_proceed as N265;
use rt::task::coop::unconstrained as N266;
use rt::task::futures as N267;
use rt::task::futures::TaskLocalFuture as N268;
use rt::task::id as N269;
use rt::task::join_set as N270;
use rt::task::join_set::Builder as N271;
use rt::task::join_set::JoinSet as N272;
use rt::task::spawn as N273;
use rt::task::spawn_blocking as N274;
use rt::task::spawn_local as N275;
use rt::task::try_id as N276;
use rt::task::yield_now as N277;
use rt::task_local as N278;
use rt::test as N279;
use rt::time as N280;
use rt::time::Duration as N281;
use rt::time::Instant as N282;
use rt::time::Interval as N283;
use rt::time::MissedTickBehavior as N284;
use rt::time::MissedTickBehavior::Burst as N285;
use rt::time::MissedTickBehavior::Delay as N286;
use rt::time::MissedTickBehavior::Skip as N287;
use rt::time::Sleep as N288;
use rt::time::Timeout as N289;
use rt::time::advance as N290;
use rt::time::error as N291;
use rt::time::error::Elapsed as N292;
use rt::time::error::Error as N293;
use rt::time::interval as N294;
use rt::time::interval_at as N295;
use rt::time::pause as N296;
use rt::time::resume as N297;
use rt::time::sleep as N298;
use rt::time::sleep_until as N299;
use rt::time::timeout as N300;
use rt::time::timeout_at as N301;
use rt::try_join as N302;

fn n303<A1>() where A1: AsRef<Path> { let _ = |a0, a1: A1| <rt::fs::DirBuilder>::create(a0, a1); }
fn n304() { let _ = <rt::fs::DirBuilder>::mode; }
fn n305() { let _ = <rt::fs::DirBuilder>::new; }
fn n306() { let _ = <rt::fs::DirBuilder>::recursive; }
fn n307() { let _ = <rt::fs::DirEntry>::file_name; }
fn n308() { let _ = <rt::fs::DirEntry>::file_type; }
fn n309() { let _ = <rt::fs::DirEntry>::ino; }
fn n310() { let _ = <rt::fs::DirEntry>::metadata; }
fn n311() { let _ = <rt::fs::DirEntry>::path; }
fn n312<A0>() where A0: AsRef<Path> { let _ = |a0: A0| <rt::fs::File>::create(a0); }
fn n313<P>() where P: AsRef<Path> { let _ = <rt::fs::File>::create_new::<P>; }
fn n314() { let _ = <rt::fs::File>::from_std; }
fn n315() { let _ = <rt::fs::File>::into_std; }
fn n316() { let _ = <rt::fs::File>::max_buf_size; }
fn n317() { let _ = <rt::fs::File>::metadata; }
fn n318<A0>() where A0: AsRef<Path> { let _ = |a0: A0| <rt::fs::File>::open(a0); }
fn n319() { let _ = <rt::fs::File>::options; }
fn n320() { let _ = <rt::fs::File>::set_len; }
fn n321() { let _ = <rt::fs::File>::set_max_buf_size; }
fn n322() { let _ = <rt::fs::File>::set_modified; }
fn n323() { let _ = <rt::fs::File>::set_permissions; }
fn n324() { let _ = <rt::fs::File>::set_times; }
fn n325() { let _ = <rt::fs::File>::sync_all; }
fn n326() { let _ = <rt::fs::File>::sync_data; }
fn n327() { let _ = <rt::fs::File>::try_clone; }
fn n328() { let _ = <rt::fs::File>::try_into_std; }
fn n329() { let _ = <rt::fs::FileTimes>::new; }
fn n330() { let _ = <rt::fs::FileTimes>::set_accessed; }
fn n331() { let _ = <rt::fs::FileTimes>::set_modified; }
fn n332() { let _ = <rt::fs::OpenOptions>::append; }
fn n333() { let _ = <rt::fs::OpenOptions>::create; }
fn n334() { let _ = <rt::fs::OpenOptions>::create_new; }
fn n335() { let _ = <rt::fs::OpenOptions>::custom_flags; }
fn n336() { let _ = <rt::fs::OpenOptions>::mode; }
fn n337() { let _ = <rt::fs::OpenOptions>::new; }
fn n338<A1>() where A1: AsRef<Path> { let _ = |a0, a1: A1| <rt::fs::OpenOptions>::open(a0, a1); }
fn n339() { let _ = <rt::fs::OpenOptions>::read; }
fn n340() { let _ = <rt::fs::OpenOptions>::truncate; }
fn n341() { let _ = <rt::fs::OpenOptions>::write; }
fn n342() { let _ = <rt::fs::ReadDir>::next_entry; }
fn n343() { let _ = <rt::fs::ReadDir>::poll_next_entry; }
fn n344<This>() where This: ?Sized + rt::io::AsyncBufRead { let _ = <This as rt::io::AsyncBufRead>::consume; }
fn n345<This>() where This: ?Sized + rt::io::AsyncBufRead { let _ = <This as rt::io::AsyncBufRead>::poll_fill_buf; }
fn n346<This>() where This: Unpin, This: ?Sized + rt::io::AsyncBufReadExt { let _ = <This as rt::io::AsyncBufReadExt>::consume; }
fn n347<This>() where This: Unpin, This: ?Sized + rt::io::AsyncBufReadExt { let _ = <This as rt::io::AsyncBufReadExt>::fill_buf; }
fn n348<This>() where This: Sized, This: ?Sized + rt::io::AsyncBufReadExt { let _ = <This as rt::io::AsyncBufReadExt>::lines; }
fn n349<'a, This>() where This: Unpin, This: ?Sized + rt::io::AsyncBufReadExt, This: 'a { let _ = <This as rt::io::AsyncBufReadExt>::read_line; }
fn n350<'a, This>() where This: Unpin, This: ?Sized + rt::io::AsyncBufReadExt, This: 'a { let _ = <This as rt::io::AsyncBufReadExt>::read_until; }
fn n351<This>() where This: Sized + Unpin, This: ?Sized + rt::io::AsyncBufReadExt { let _ = <This as rt::io::AsyncBufReadExt>::split; }
fn n352<This>() where This: ?Sized + rt::io::AsyncRead { let _ = <This as rt::io::AsyncRead>::poll_read; }
fn n353<This, R>() where R: rt::io::AsyncRead, This: Sized, This: ?Sized + rt::io::AsyncReadExt { let _ = <This as rt::io::AsyncReadExt>::chain::<R>; }
fn n354<'a, This>() where This: Unpin, This: ?Sized + rt::io::AsyncReadExt, This: 'a { let _ = <This as rt::io::AsyncReadExt>::read; }
fn n355<'a, This, B>() where B: BufMut + ?Sized, This: Unpin, This: ?Sized + rt::io::AsyncReadExt, This: 'a, B: 'a { let _ = <This as rt::io::AsyncReadExt>::read_buf::<B>; }
fn n356<'a, This>() where This: Unpin, This: ?Sized + rt::io::AsyncReadExt, This: 'a { let _ = <This as rt::io::AsyncReadExt>::read_exact; }
fn n357<This>() where This: Unpin, This: ?Sized + rt::io::AsyncReadExt { let _ = <This as rt::io::AsyncReadExt>::read_f32; }
fn n358<This>() where This: Unpin, This: ?Sized + rt::io::AsyncReadExt { let _ = <This as rt::io::AsyncReadExt>::read_f32_le; }
fn n359<This>() where This: Unpin, This: ?Sized + rt::io::AsyncReadExt { let _ = <This as rt::io::AsyncReadExt>::read_f64; }
fn n360<This>() where This: Unpin, This: ?Sized + rt::io::AsyncReadExt { let _ = <This as rt::io::AsyncReadExt>::read_f64_le; }
fn n361<This>() where This: Unpin, This: ?Sized + rt::io::AsyncReadExt { let _ = <This as rt::io::AsyncReadExt>::read_i128; }
fn n362<This>() where This: Unpin, This: ?Sized + rt::io::AsyncReadExt { let _ = <This as rt::io::AsyncReadExt>::read_i128_le; }
fn n363<This>() where This: Unpin, This: ?Sized + rt::io::AsyncReadExt { let _ = <This as rt::io::AsyncReadExt>::read_i16; }
fn n364<This>() where This: Unpin, This: ?Sized + rt::io::AsyncReadExt { let _ = <This as rt::io::AsyncReadExt>::read_i16_le; }
fn n365<This>() where This: Unpin, This: ?Sized + rt::io::AsyncReadExt { let _ = <This as rt::io::AsyncReadExt>::read_i32; }
fn n366<This>() where This: Unpin, This: ?Sized + rt::io::AsyncReadExt { let _ = <This as rt::io::AsyncReadExt>::read_i32_le; }
fn n367<This>() where This: Unpin, This: ?Sized + rt::io::AsyncReadExt { let _ = <This as rt::io::AsyncReadExt>::read_i64; }
fn n368<This>() where This: Unpin, This: ?Sized + rt::io::AsyncReadExt { let _ = <This as rt::io::AsyncReadExt>::read_i64_le; }
fn n369<This>() where This: Unpin, This: ?Sized + rt::io::AsyncReadExt { let _ = <This as rt::io::AsyncReadExt>::read_i8; }
fn n370<'a, This>() where This: Unpin, This: ?Sized + rt::io::AsyncReadExt, This: 'a { let _ = <This as rt::io::AsyncReadExt>::read_to_end; }
fn n371<'a, This>() where This: Unpin, This: ?Sized + rt::io::AsyncReadExt, This: 'a { let _ = <This as rt::io::AsyncReadExt>::read_to_string; }
fn n372<This>() where This: Unpin, This: ?Sized + rt::io::AsyncReadExt { let _ = <This as rt::io::AsyncReadExt>::read_u128; }
fn n373<This>() where This: Unpin, This: ?Sized + rt::io::AsyncReadExt { let _ = <This as rt::io::AsyncReadExt>::read_u128_le; }
fn n374<This>() where This: Unpin, This: ?Sized + rt::io::AsyncReadExt { let _ = <This as rt::io::AsyncReadExt>::read_u16; }
fn n375<This>() where This: Unpin, This: ?Sized + rt::io::AsyncReadExt { let _ = <This as rt::io::AsyncReadExt>::read_u16_le; }
fn n376<This>() where This: Unpin, This: ?Sized + rt::io::AsyncReadExt { let _ = <This as rt::io::AsyncReadExt>::read_u32; }
fn n377<This>() where This: Unpin, This: ?Sized + rt::io::AsyncReadExt { let _ = <This as rt::io::AsyncReadExt>::read_u32_le; }
fn n378<This>() where This: Unpin, This: ?Sized + rt::io::AsyncReadExt { let _ = <This as rt::io::AsyncReadExt>::read_u64; }
fn n379<This>() where This: Unpin, This: ?Sized + rt::io::AsyncReadExt { let _ = <This as rt::io::AsyncReadExt>::read_u64_le; }
fn n380<This>() where This: Unpin, This: ?Sized + rt::io::AsyncReadExt { let _ = <This as rt::io::AsyncReadExt>::read_u8; }
fn n381<This>() where This: Sized, This: ?Sized + rt::io::AsyncReadExt { let _ = <This as rt::io::AsyncReadExt>::take; }
fn n382<This>() where This: ?Sized + rt::io::AsyncSeek { let _ = <This as rt::io::AsyncSeek>::poll_complete; }
fn n383<This>() where This: ?Sized + rt::io::AsyncSeek { let _ = <This as rt::io::AsyncSeek>::start_seek; }
fn n384<This>() where This: Unpin, This: ?Sized + rt::io::AsyncSeekExt { let _ = <This as rt::io::AsyncSeekExt>::rewind; }
fn n385<This>() where This: Unpin, This: ?Sized + rt::io::AsyncSeekExt { let _ = <This as rt::io::AsyncSeekExt>::seek; }
fn n386<This>() where This: Unpin, This: ?Sized + rt::io::AsyncSeekExt { let _ = <This as rt::io::AsyncSeekExt>::stream_position; }
fn n387<This>() where This: ?Sized + rt::io::AsyncWrite { let _ = <This as rt::io::AsyncWrite>::is_write_vectored; }
fn n388<This>() where This: ?Sized + rt::io::AsyncWrite { let _ = <This as rt::io::AsyncWrite>::poll_flush; }
fn n389<This>() where This: ?Sized + rt::io::AsyncWrite { let _ = <This as rt::io::AsyncWrite>::poll_shutdown; }
fn n390<This>() where This: ?Sized + rt::io::AsyncWrite { let _ = <This as rt::io::AsyncWrite>::poll_write; }
fn n391<This>() where This: ?Sized + rt::io::AsyncWrite { let _ = <This as rt::io::AsyncWrite>::poll_write_vectored; }
fn n392<This>() where This: Unpin, This: ?Sized + rt::io::AsyncWriteExt { let _ = <This as rt::io::AsyncWriteExt>::flush; }
fn n393<This>() where This: Unpin, This: ?Sized + rt::io::AsyncWriteExt { let _ = <This as rt::io::AsyncWriteExt>::shutdown; }
fn n394<'a, This>() where This: Unpin, This: ?Sized + rt::io::AsyncWriteExt, This: 'a { let _ = <This as rt::io::AsyncWriteExt>::write; }
fn n395<'a, This>() where This: Unpin, This: ?Sized + rt::io::AsyncWriteExt, This: 'a { let _ = <This as rt::io::AsyncWriteExt>::write_all; }
fn n396<'a, This, B>() where B: Buf, This: Sized + Unpin, This: ?Sized + rt::io::AsyncWriteExt, This: 'a, B: 'a { let _ = <This as rt::io::AsyncWriteExt>::write_all_buf::<B>; }
fn n397<'a, This, B>() where B: Buf, This: Sized + Unpin, This: ?Sized + rt::io::AsyncWriteExt, This: 'a, B: 'a { let _ = <This as rt::io::AsyncWriteExt>::write_buf::<B>; }
fn n398<This>() where This: Unpin, This: ?Sized + rt::io::AsyncWriteExt { let _ = <This as rt::io::AsyncWriteExt>::write_f32; }
fn n399<This>() where This: Unpin, This: ?Sized + rt::io::AsyncWriteExt { let _ = <This as rt::io::AsyncWriteExt>::write_f32_le; }
fn n400<This>() where This: Unpin, This: ?Sized + rt::io::AsyncWriteExt { let _ = <This as rt::io::AsyncWriteExt>::write_f64; }
fn n401<This>() where This: Unpin, This: ?Sized + rt::io::AsyncWriteExt { let _ = <This as rt::io::AsyncWriteExt>::write_f64_le; }
fn n402<This>() where This: Unpin, This: ?Sized + rt::io::AsyncWriteExt { let _ = <This as rt::io::AsyncWriteExt>::write_i128; }
fn n403<This>() where This: Unpin, This: ?Sized + rt::io::AsyncWriteExt { let _ = <This as rt::io::AsyncWriteExt>::write_i128_le; }
fn n404<This>() where This: Unpin, This: ?Sized + rt::io::AsyncWriteExt { let _ = <This as rt::io::AsyncWriteExt>::write_i16; }
fn n405<This>() where This: Unpin, This: ?Sized + rt::io::AsyncWriteExt { let _ = <This as rt::io::AsyncWriteExt>::write_i16_le; }
fn n406<This>() where This: Unpin, This: ?Sized + rt::io::AsyncWriteExt { let _ = <This as rt::io::AsyncWriteExt>::write_i32; }
fn n407<This>() where This: Unpin, This: ?Sized + rt::io::AsyncWriteExt { let _ = <This as rt::io::AsyncWriteExt>::write_i32_le; }
fn n408<This>() where This: Unpin, This: ?Sized + rt::io::AsyncWriteExt { let _ = <This as rt::io::AsyncWriteExt>::write_i64; }
fn n409<This>() where This: Unpin, This: ?Sized + rt::io::AsyncWriteExt { let _ = <This as rt::io::AsyncWriteExt>::write_i64_le; }
fn n410<This>() where This: Unpin, This: ?Sized + rt::io::AsyncWriteExt { let _ = <This as rt::io::AsyncWriteExt>::write_i8; }
fn n411<This>() where This: Unpin, This: ?Sized + rt::io::AsyncWriteExt { let _ = <This as rt::io::AsyncWriteExt>::write_u128; }
fn n412<This>() where This: Unpin, This: ?Sized + rt::io::AsyncWriteExt { let _ = <This as rt::io::AsyncWriteExt>::write_u128_le; }
fn n413<This>() where This: Unpin, This: ?Sized + rt::io::AsyncWriteExt { let _ = <This as rt::io::AsyncWriteExt>::write_u16; }
fn n414<This>() where This: Unpin, This: ?Sized + rt::io::AsyncWriteExt { let _ = <This as rt::io::AsyncWriteExt>::write_u16_le; }
fn n415<This>() where This: Unpin, This: ?Sized + rt::io::AsyncWriteExt { let _ = <This as rt::io::AsyncWriteExt>::write_u32; }
fn n416<This>() where This: Unpin, This: ?Sized + rt::io::AsyncWriteExt { let _ = <This as rt::io::AsyncWriteExt>::write_u32_le; }
fn n417<This>() where This: Unpin, This: ?Sized + rt::io::AsyncWriteExt { let _ = <This as rt::io::AsyncWriteExt>::write_u64; }
fn n418<This>() where This: Unpin, This: ?Sized + rt::io::AsyncWriteExt { let _ = <This as rt::io::AsyncWriteExt>::write_u64_le; }
fn n419<This>() where This: Unpin, This: ?Sized + rt::io::AsyncWriteExt { let _ = <This as rt::io::AsyncWriteExt>::write_u8; }
fn n420<'a, 'b, This>() where This: Unpin, This: ?Sized + rt::io::AsyncWriteExt, This: 'a, This: 'b { let _ = <This as rt::io::AsyncWriteExt>::write_vectored; }
fn n421<R>() where R: rt::io::AsyncRead { let _ = <rt::io::BufReader<R>>::buffer; }
fn n422<R>() where R: rt::io::AsyncRead { let _ = <rt::io::BufReader<R>>::get_mut; }
fn n423<R>() where R: rt::io::AsyncRead { let _ = <rt::io::BufReader<R>>::get_pin_mut; }
fn n424<R>() where R: rt::io::AsyncRead { let _ = <rt::io::BufReader<R>>::get_ref; }
fn n425<R>() where R: rt::io::AsyncRead { let _ = <rt::io::BufReader<R>>::into_inner; }
fn n426<R>() where R: rt::io::AsyncRead { let _ = <rt::io::BufReader<R>>::new; }
fn n427<R>() where R: rt::io::AsyncRead { let _ = <rt::io::BufReader<R>>::with_capacity; }
fn n428<RW>() where RW: rt::io::AsyncRead + rt::io::AsyncWrite { let _ = <rt::io::BufStream<RW>>::get_mut; }
fn n429<RW>() where RW: rt::io::AsyncRead + rt::io::AsyncWrite { let _ = <rt::io::BufStream<RW>>::get_pin_mut; }
fn n430<RW>() where RW: rt::io::AsyncRead + rt::io::AsyncWrite { let _ = <rt::io::BufStream<RW>>::get_ref; }
fn n431<RW>() where RW: rt::io::AsyncRead + rt::io::AsyncWrite { let _ = <rt::io::BufStream<RW>>::into_inner; }
fn n432<RW>() where RW: rt::io::AsyncRead + rt::io::AsyncWrite { let _ = <rt::io::BufStream<RW>>::new; }
fn n433<RW>() where RW: rt::io::AsyncRead + rt::io::AsyncWrite { let _ = <rt::io::BufStream<RW>>::with_capacity; }
fn n434<W>() where W: rt::io::AsyncWrite { let _ = <rt::io::BufWriter<W>>::buffer; }
fn n435<W>() where W: rt::io::AsyncWrite { let _ = <rt::io::BufWriter<W>>::get_mut; }
fn n436<W>() where W: rt::io::AsyncWrite { let _ = <rt::io::BufWriter<W>>::get_pin_mut; }
fn n437<W>() where W: rt::io::AsyncWrite { let _ = <rt::io::BufWriter<W>>::get_ref; }
fn n438<W>() where W: rt::io::AsyncWrite { let _ = <rt::io::BufWriter<W>>::into_inner; }
fn n439<W>() where W: rt::io::AsyncWrite { let _ = <rt::io::BufWriter<W>>::new; }
fn n440<W>() where W: rt::io::AsyncWrite { let _ = <rt::io::BufWriter<W>>::with_capacity; }
fn n441<T, U>() where T: rt::io::AsyncRead, U: rt::io::AsyncRead { let _ = <rt::io::Chain<T, U>>::get_mut; }
fn n442<T, U>() where T: rt::io::AsyncRead, U: rt::io::AsyncRead { let _ = <rt::io::Chain<T, U>>::get_pin_mut; }
fn n443<T, U>() where T: rt::io::AsyncRead, U: rt::io::AsyncRead { let _ = <rt::io::Chain<T, U>>::get_ref; }
fn n444<T, U>() where T: rt::io::AsyncRead, U: rt::io::AsyncRead { let _ = <rt::io::Chain<T, U>>::into_inner; }
fn n445() { let _ = <rt::io::Interest>::ERROR; }
fn n446() { let _ = <rt::io::Interest>::PRIORITY; }
fn n447() { let _ = <rt::io::Interest>::READABLE; }
fn n448() { let _ = <rt::io::Interest>::WRITABLE; }
fn n449() { let _ = <rt::io::Interest>::add; }
fn n450() { let _ = <rt::io::Interest>::is_error; }
fn n451() { let _ = <rt::io::Interest>::is_priority; }
fn n452() { let _ = <rt::io::Interest>::is_readable; }
fn n453() { let _ = <rt::io::Interest>::is_writable; }
fn n454() { let _ = <rt::io::Interest>::remove; }
fn n455<R, W>() where R: rt::io::AsyncRead, W: rt::io::AsyncWrite { let _ = <rt::io::Join<R, W>>::into_inner; }
fn n456<R, W>() where R: rt::io::AsyncRead, W: rt::io::AsyncWrite { let _ = <rt::io::Join<R, W>>::reader; }
fn n457<R, W>() where R: rt::io::AsyncRead, W: rt::io::AsyncWrite { let _ = <rt::io::Join<R, W>>::reader_mut; }
fn n458<R, W>() where R: rt::io::AsyncRead, W: rt::io::AsyncWrite { let _ = <rt::io::Join<R, W>>::reader_pin_mut; }
fn n459<R, W>() where R: rt::io::AsyncRead, W: rt::io::AsyncWrite { let _ = <rt::io::Join<R, W>>::writer; }
fn n460<R, W>() where R: rt::io::AsyncRead, W: rt::io::AsyncWrite { let _ = <rt::io::Join<R, W>>::writer_mut; }
fn n461<R, W>() where R: rt::io::AsyncRead, W: rt::io::AsyncWrite { let _ = <rt::io::Join<R, W>>::writer_pin_mut; }
fn n462<R>() where R: rt::io::AsyncBufRead + Unpin { let _ = <rt::io::Lines<R>>::get_mut; }
fn n463<R>() where R: rt::io::AsyncBufRead + Unpin { let _ = <rt::io::Lines<R>>::get_ref; }
fn n464<R>() where R: rt::io::AsyncBufRead + Unpin { let _ = <rt::io::Lines<R>>::into_inner; }
fn n465<R>() where R: rt::io::AsyncBufRead + Unpin { let _ = <rt::io::Lines<R>>::next_line; }
fn n466<R>() where R: rt::io::AsyncBufRead { let _ = <rt::io::Lines<R>>::poll_next_line; }
fn n467<'a>() { let _ = <rt::io::ReadBuf<'a>>::advance; }
fn n468<'a>() { let _ = <rt::io::ReadBuf<'a>>::assume_init; }
fn n469<'a>() { let _ = <rt::io::ReadBuf<'a>>::capacity; }
fn n470<'a>() { let _ = <rt::io::ReadBuf<'a>>::clear; }
fn n471<'a>() { let _ = <rt::io::ReadBuf<'a>>::filled; }
fn n472<'a>() { let _ = <rt::io::ReadBuf<'a>>::filled_mut; }
fn n473<'a>() { let _ = <rt::io::ReadBuf<'a>>::initialize_unfilled; }
fn n474<'a>() { let _ = <rt::io::ReadBuf<'a>>::initialize_unfilled_to; }
fn n475<'a>() { let _ = <rt::io::ReadBuf<'a>>::initialized; }
fn n476<'a>() { let _ = <rt::io::ReadBuf<'a>>::initialized_mut; }
fn n477<'a>() { let _ = <rt::io::ReadBuf<'a>>::inner_mut; }
fn n478<'a>() { let _ = <rt::io::ReadBuf<'a>>::new; }
fn n479<'a>() { let _ = <rt::io::ReadBuf<'a>>::put_slice; }
fn n480<'a>() { let _ = <rt::io::ReadBuf<'a>>::remaining; }
fn n481<'a>() { let _ = <rt::io::ReadBuf<'a>>::set_filled; }
fn n482<'a>() { let _ = <rt::io::ReadBuf<'a>>::take; }
fn n483<'a>() { let _ = <rt::io::ReadBuf<'a>>::unfilled_mut; }
fn n484<'a>() { let _ = <rt::io::ReadBuf<'a>>::uninit; }
fn n485<T>() { let _ = <rt::io::ReadHalf<T>>::is_pair_of; }
fn n486<T>() where T: Unpin { let _ = <rt::io::ReadHalf<T>>::unsplit; }
fn n487() { let _ = <rt::io::Ready>::ALL; }
fn n488() { let _ = <rt::io::Ready>::EMPTY; }
fn n489() { let _ = <rt::io::Ready>::ERROR; }
fn n490() { let _ = <rt::io::Ready>::PRIORITY; }
fn n491() { let _ = <rt::io::Ready>::READABLE; }
fn n492() { let _ = <rt::io::Ready>::READ_CLOSED; }
fn n493() { let _ = <rt::io::Ready>::WRITABLE; }
fn n494() { let _ = <rt::io::Ready>::WRITE_CLOSED; }
fn n495() { let _ = <rt::io::Ready>::is_empty; }
fn n496() { let _ = <rt::io::Ready>::is_error; }
fn n497() { let _ = <rt::io::Ready>::is_priority; }
fn n498() { let _ = <rt::io::Ready>::is_read_closed; }
fn n499() { let _ = <rt::io::Ready>::is_readable; }
fn n500() { let _ = <rt::io::Ready>::is_writable; }
fn n501() { let _ = <rt::io::Ready>::is_write_closed; }
fn n502() { let _ = <rt::io::SimplexStream>::new_unsplit; }
fn n503<R>() where R: rt::io::AsyncBufRead + Unpin { let _ = <rt::io::Split<R>>::next_segment; }
fn n504<R>() where R: rt::io::AsyncBufRead { let _ = <rt::io::Split<R>>::poll_next_segment; }
fn n505<R>() where R: rt::io::AsyncRead { let _ = <rt::io::Take<R>>::get_mut; }
fn n506<R>() where R: rt::io::AsyncRead { let _ = <rt::io::Take<R>>::get_pin_mut; }
fn n507<R>() where R: rt::io::AsyncRead { let _ = <rt::io::Take<R>>::get_ref; }
fn n508<R>() where R: rt::io::AsyncRead { let _ = <rt::io::Take<R>>::into_inner; }
fn n509<R>() where R: rt::io::AsyncRead { let _ = <rt::io::Take<R>>::limit; }
fn n510<R>() where R: rt::io::AsyncRead { let _ = <rt::io::Take<R>>::set_limit; }
fn n511<T>() { let _ = <rt::io::WriteHalf<T>>::is_pair_of; }
fn n512<T, R, A2>() where A2: FnMut(&T) -> io::Result<R>, T: AsRawFd { let _ = |a0, a1, a2: A2| <rt::io::unix::AsyncFd<T>>::async_io(a0, a1, a2); }
fn n513<T, R, A2>() where A2: FnMut(&mut T) -> io::Result<R>, T: AsRawFd { let _ = |a0, a1, a2: A2| <rt::io::unix::AsyncFd<T>>::async_io_mut(a0, a1, a2); }
fn n514<T>() where T: AsRawFd { let _ = <rt::io::unix::AsyncFd<T>>::get_mut; }
fn n515<T>() where T: AsRawFd { let _ = <rt::io::unix::AsyncFd<T>>::get_ref; }
fn n516<T>() where T: AsRawFd { let _ = <rt::io::unix::AsyncFd<T>>::into_inner; }
fn n517<T>() where T: AsRawFd { let _ = <rt::io::unix::AsyncFd<T>>::new; }
fn n518<'a, T>() where T: AsRawFd, T: 'a { let _ = <rt::io::unix::AsyncFd<T>>::poll_read_ready; }
fn n519<'a, T>() where T: AsRawFd, T: 'a { let _ = <rt::io::unix::AsyncFd<T>>::poll_read_ready_mut; }
fn n520<'a, T>() where T: AsRawFd, T: 'a { let _ = <rt::io::unix::AsyncFd<T>>::poll_write_ready; }
fn n521<'a, T>() where T: AsRawFd, T: 'a { let _ = <rt::io::unix::AsyncFd<T>>::poll_write_ready_mut; }
fn n522<'a, T>() where T: AsRawFd, T: 'a { let _ = <rt::io::unix::AsyncFd<T>>::readable; }
fn n523<'a, T>() where T: AsRawFd, T: 'a { let _ = <rt::io::unix::AsyncFd<T>>::readable_mut; }
fn n524<T>() where T: AsRawFd { let _ = <rt::io::unix::AsyncFd<T>>::ready; }
fn n525<T>() where T: AsRawFd { let _ = <rt::io::unix::AsyncFd<T>>::ready_mut; }
fn n526<T>() where T: AsRawFd { let _ = <rt::io::unix::AsyncFd<T>>::register; }
fn n527<T>() where T: AsRawFd { let _ = <rt::io::unix::AsyncFd<T>>::register_with_interest; }
fn n528<T, R, A2>() where A2: FnOnce(&T) -> io::Result<R>, T: AsRawFd { let _ = |a0, a1, a2: A2| <rt::io::unix::AsyncFd<T>>::try_io(a0, a1, a2); }
fn n529<T, R, A2>() where A2: FnOnce(&mut T) -> io::Result<R>, T: AsRawFd { let _ = |a0, a1, a2: A2| <rt::io::unix::AsyncFd<T>>::try_io_mut(a0, a1, a2); }
fn n530<T>() where T: AsRawFd { let _ = <rt::io::unix::AsyncFd<T>>::try_new; }
fn n531<T>() where T: AsRawFd { let _ = <rt::io::unix::AsyncFd<T>>::try_with_interest; }
fn n532<T>() where T: AsRawFd { let _ = <rt::io::unix::AsyncFd<T>>::with_interest; }
fn n533<'a, T>() where T: AsRawFd, T: 'a { let _ = <rt::io::unix::AsyncFd<T>>::writable; }
fn n534<'a, T>() where T: AsRawFd, T: 'a { let _ = <rt::io::unix::AsyncFd<T>>::writable_mut; }
fn n535<'a, Inner>() where Inner: AsRawFd, Inner: 'a { let _ = <rt::io::unix::AsyncFdReadyGuard<'a, Inner>>::clear_ready; }
fn n536<'a, Inner>() where Inner: AsRawFd, Inner: 'a { let _ = <rt::io::unix::AsyncFdReadyGuard<'a, Inner>>::clear_ready_matching; }
fn n537<'a, Inner>() where Inner: AsRawFd, Inner: 'a { let _ = <rt::io::unix::AsyncFdReadyGuard<'a, Inner>>::get_inner; }
fn n538<'a, Inner>() where Inner: AsRawFd, Inner: 'a { let _ = <rt::io::unix::AsyncFdReadyGuard<'a, Inner>>::get_ref; }
fn n539<'a, Inner>() where Inner: AsRawFd, Inner: 'a { let _ = <rt::io::unix::AsyncFdReadyGuard<'a, Inner>>::ready; }
fn n540<'a, Inner>() where Inner: AsRawFd, Inner: 'a { let _ = <rt::io::unix::AsyncFdReadyGuard<'a, Inner>>::retain_ready; }
fn n541<'a, Inner, R, A1>() where A1: FnOnce(&'a rt::io::unix::AsyncFd<Inner>) -> io::Result<R>, Inner: AsRawFd, Inner: 'a, R: 'a, A1: 'a { let _ = |a0, a1: A1| <rt::io::unix::AsyncFdReadyGuard<'a, Inner>>::try_io(a0, a1); }
fn n542<'a, Inner>() where Inner: AsRawFd, Inner: 'a { let _ = <rt::io::unix::AsyncFdReadyMutGuard<'a, Inner>>::clear_ready; }
fn n543<'a, Inner>() where Inner: AsRawFd, Inner: 'a { let _ = <rt::io::unix::AsyncFdReadyMutGuard<'a, Inner>>::clear_ready_matching; }
fn n544<'a, Inner>() where Inner: AsRawFd, Inner: 'a { let _ = <rt::io::unix::AsyncFdReadyMutGuard<'a, Inner>>::get_inner; }
fn n545<'a, Inner>() where Inner: AsRawFd, Inner: 'a { let _ = <rt::io::unix::AsyncFdReadyMutGuard<'a, Inner>>::get_inner_mut; }
fn n546<'a, Inner>() where Inner: AsRawFd, Inner: 'a { let _ = <rt::io::unix::AsyncFdReadyMutGuard<'a, Inner>>::get_mut; }
fn n547<'a, Inner>() where Inner: AsRawFd, Inner: 'a { let _ = <rt::io::unix::AsyncFdReadyMutGuard<'a, Inner>>::get_ref; }
fn n548<'a, Inner>() where Inner: AsRawFd, Inner: 'a { let _ = <rt::io::unix::AsyncFdReadyMutGuard<'a, Inner>>::ready; }
fn n549<'a, Inner>() where Inner: AsRawFd, Inner: 'a { let _ = <rt::io::unix::AsyncFdReadyMutGuard<'a, Inner>>::retain_ready; }
fn n550<'a, Inner, R, A1>() where A1: FnOnce(&mut rt::io::unix::AsyncFd<Inner>) -> io::Result<R>, Inner: AsRawFd, Inner: 'a, R: 'a, A1: 'a { let _ = |a0, a1: A1| <rt::io::unix::AsyncFdReadyMutGuard<'a, Inner>>::try_io(a0, a1); }
fn n551<T>() { let _ = <rt::io::unix::AsyncFdRegisterError<T>>::into_parts; }
fn n552() { let _ = <rt::net::TcpListener>::accept; }
fn n553<A>() where A: rt::net::ToSocketAddrs { let _ = <rt::net::TcpListener>::bind::<A>; }
fn n554() { let _ = <rt::net::TcpListener>::from_std; }
fn n555() { let _ = <rt::net::TcpListener>::into_std; }
fn n556() { let _ = <rt::net::TcpListener>::local_addr; }
fn n557() { let _ = <rt::net::TcpListener>::poll_accept; }
fn n558() { let _ = <rt::net::TcpListener>::set_ttl; }
fn n559() { let _ = <rt::net::TcpListener>::ttl; }
fn n560() { let _ = <rt::net::TcpSocket>::bind; }
fn n561() { let _ = <rt::net::TcpSocket>::bind_device; }
fn n562() { let _ = <rt::net::TcpSocket>::connect; }
fn n563() { let _ = <rt::net::TcpSocket>::device; }
fn n564() { let _ = <rt::net::TcpSocket>::from_std_stream; }
fn n565() { let _ = <rt::net::TcpSocket>::keepalive; }
fn n566() { let _ = <rt::net::TcpSocket>::linger; }
fn n567() { let _ = <rt::net::TcpSocket>::listen; }
fn n568() { let _ = <rt::net::TcpSocket>::local_addr; }
fn n569() { let _ = <rt::net::TcpSocket>::new_v4; }
fn n570() { let _ = <rt::net::TcpSocket>::new_v6; }
fn n571() { let _ = <rt::net::TcpSocket>::nodelay; }
fn n572() { let _ = <rt::net::TcpSocket>::recv_buffer_size; }
fn n573() { let _ = <rt::net::TcpSocket>::reuseaddr; }
fn n574() { let _ = <rt::net::TcpSocket>::reuseport; }
fn n575() { let _ = <rt::net::TcpSocket>::send_buffer_size; }
fn n576() { let _ = <rt::net::TcpSocket>::set_keepalive; }
fn n577() { let _ = <rt::net::TcpSocket>::set_linger; }
fn n578() { let _ = <rt::net::TcpSocket>::set_nodelay; }
fn n579() { let _ = <rt::net::TcpSocket>::set_recv_buffer_size; }
fn n580() { let _ = <rt::net::TcpSocket>::set_reuseaddr; }
fn n581() { let _ = <rt::net::TcpSocket>::set_reuseport; }
fn n582() { let _ = <rt::net::TcpSocket>::set_send_buffer_size; }
fn n583() { let _ = <rt::net::TcpSocket>::set_tclass_v6; }
fn n584() { let _ = <rt::net::TcpSocket>::set_tos_v4; }
fn n585() { let _ = <rt::net::TcpSocket>::set_zero_linger; }
fn n586() { let _ = <rt::net::TcpSocket>::take_error; }
fn n587() { let _ = <rt::net::TcpSocket>::tclass_v6; }
fn n588() { let _ = <rt::net::TcpSocket>::tos_v4; }
fn n589<R, A2>() where A2: FnMut() -> io::Result<R> { let _ = |a0, a1, a2: A2| <rt::net::TcpStream>::async_io(a0, a1, a2); }
fn n590<A>() where A: rt::net::ToSocketAddrs { let _ = <rt::net::TcpStream>::connect::<A>; }
fn n591() { let _ = <rt::net::TcpStream>::from_std; }
fn n592() { let _ = <rt::net::TcpStream>::into_split; }
fn n593() { let _ = <rt::net::TcpStream>::into_std; }
fn n594() { let _ = <rt::net::TcpStream>::linger; }
fn n595() { let _ = <rt::net::TcpStream>::local_addr; }
fn n596() { let _ = <rt::net::TcpStream>::nodelay; }
fn n597() { let _ = <rt::net::TcpStream>::peek; }
fn n598() { let _ = <rt::net::TcpStream>::peer_addr; }
fn n599() { let _ = <rt::net::TcpStream>::poll_peek; }
fn n600() { let _ = <rt::net::TcpStream>::poll_read_ready; }
fn n601() { let _ = <rt::net::TcpStream>::poll_write_ready; }
fn n602() { let _ = <rt::net::TcpStream>::quickack; }
fn n603() { let _ = <rt::net::TcpStream>::readable; }
fn n604() { let _ = <rt::net::TcpStream>::ready; }
fn n605() { let _ = <rt::net::TcpStream>::set_linger; }
fn n606() { let _ = <rt::net::TcpStream>::set_nodelay; }
fn n607() { let _ = <rt::net::TcpStream>::set_quickack; }
fn n608() { let _ = <rt::net::TcpStream>::set_ttl; }
fn n609() { let _ = <rt::net::TcpStream>::set_zero_linger; }
fn n610<'a>() { let _ = <rt::net::TcpStream>::split; }
fn n611() { let _ = <rt::net::TcpStream>::take_error; }
fn n612<R, A2>() where A2: FnOnce() -> io::Result<R> { let _ = |a0, a1, a2: A2| <rt::net::TcpStream>::try_io(a0, a1, a2); }
fn n613() { let _ = <rt::net::TcpStream>::try_read; }
fn n614<B>() where B: BufMut { let _ = <rt::net::TcpStream>::try_read_buf::<B>; }
fn n615() { let _ = <rt::net::TcpStream>::try_read_vectored; }
fn n616() { let _ = <rt::net::TcpStream>::try_write; }
fn n617() { let _ = <rt::net::TcpStream>::try_write_vectored; }
fn n618() { let _ = <rt::net::TcpStream>::ttl; }
fn n619() { let _ = <rt::net::TcpStream>::writable; }
fn n620<R, A2>() where A2: FnMut() -> io::Result<R> { let _ = |a0, a1, a2: A2| <rt::net::UdpSocket>::async_io(a0, a1, a2); }
fn n621<A>() where A: rt::net::ToSocketAddrs { let _ = <rt::net::UdpSocket>::bind::<A>; }
fn n622() { let _ = <rt::net::UdpSocket>::bind_device; }
fn n623() { let _ = <rt::net::UdpSocket>::broadcast; }
fn n624<A>() where A: rt::net::ToSocketAddrs { let _ = <rt::net::UdpSocket>::connect::<A>; }
fn n625() { let _ = <rt::net::UdpSocket>::device; }
fn n626() { let _ = <rt::net::UdpSocket>::from_std; }
fn n627() { let _ = <rt::net::UdpSocket>::into_std; }
fn n628() { let _ = <rt::net::UdpSocket>::join_multicast_v4; }
fn n629() { let _ = <rt::net::UdpSocket>::join_multicast_v6; }
fn n630() { let _ = <rt::net::UdpSocket>::leave_multicast_v4; }
fn n631() { let _ = <rt::net::UdpSocket>::leave_multicast_v6; }
fn n632() { let _ = <rt::net::UdpSocket>::local_addr; }
fn n633() { let _ = <rt::net::UdpSocket>::multicast_loop_v4; }
fn n634() { let _ = <rt::net::UdpSocket>::multicast_loop_v6; }
fn n635() { let _ = <rt::net::UdpSocket>::multicast_ttl_v4; }
fn n636() { let _ = <rt::net::UdpSocket>::peek; }
fn n637() { let _ = <rt::net::UdpSocket>::peek_from; }
fn n638() { let _ = <rt::net::UdpSocket>::peek_sender; }
fn n639() { let _ = <rt::net::UdpSocket>::peer_addr; }
fn n640() { let _ = <rt::net::UdpSocket>::poll_peek; }
fn n641() { let _ = <rt::net::UdpSocket>::poll_peek_from; }
fn n642() { let _ = <rt::net::UdpSocket>::poll_peek_sender; }
fn n643() { let _ = <rt::net::UdpSocket>::poll_recv; }
fn n644() { let _ = <rt::net::UdpSocket>::poll_recv_from; }
fn n645() { let _ = <rt::net::UdpSocket>::poll_recv_ready; }
fn n646() { let _ = <rt::net::UdpSocket>::poll_send; }
fn n647() { let _ = <rt::net::UdpSocket>::poll_send_ready; }
fn n648() { let _ = <rt::net::UdpSocket>::poll_send_to; }
fn n649() { let _ = <rt::net::UdpSocket>::readable; }
fn n650() { let _ = <rt::net::UdpSocket>::ready; }
fn n651() { let _ = <rt::net::UdpSocket>::recv; }
fn n652<B>() where B: BufMut { let _ = <rt::net::UdpSocket>::recv_buf::<B>; }
fn n653<B>() where B: BufMut { let _ = <rt::net::UdpSocket>::recv_buf_from::<B>; }
fn n654() { let _ = <rt::net::UdpSocket>::recv_from; }
fn n655() { let _ = <rt::net::UdpSocket>::send; }
fn n656<A>() where A: rt::net::ToSocketAddrs { let _ = <rt::net::UdpSocket>::send_to::<A>; }
fn n657() { let _ = <rt::net::UdpSocket>::set_broadcast; }
fn n658() { let _ = <rt::net::UdpSocket>::set_multicast_loop_v4; }
fn n659() { let _ = <rt::net::UdpSocket>::set_multicast_loop_v6; }
fn n660() { let _ = <rt::net::UdpSocket>::set_multicast_ttl_v4; }
fn n661() { let _ = <rt::net::UdpSocket>::set_tclass_v6; }
fn n662() { let _ = <rt::net::UdpSocket>::set_tos_v4; }
fn n663() { let _ = <rt::net::UdpSocket>::set_ttl; }
fn n664() { let _ = <rt::net::UdpSocket>::take_error; }
fn n665() { let _ = <rt::net::UdpSocket>::tclass_v6; }
fn n666() { let _ = <rt::net::UdpSocket>::tos_v4; }
fn n667<R, A2>() where A2: FnOnce() -> io::Result<R> { let _ = |a0, a1, a2: A2| <rt::net::UdpSocket>::try_io(a0, a1, a2); }
fn n668() { let _ = <rt::net::UdpSocket>::try_peek; }
fn n669() { let _ = <rt::net::UdpSocket>::try_peek_from; }
fn n670() { let _ = <rt::net::UdpSocket>::try_peek_sender; }
fn n671() { let _ = <rt::net::UdpSocket>::try_recv; }
fn n672<B>() where B: BufMut { let _ = <rt::net::UdpSocket>::try_recv_buf::<B>; }
fn n673<B>() where B: BufMut { let _ = <rt::net::UdpSocket>::try_recv_buf_from::<B>; }
fn n674() { let _ = <rt::net::UdpSocket>::try_recv_from; }
fn n675() { let _ = <rt::net::UdpSocket>::try_send; }
fn n676() { let _ = <rt::net::UdpSocket>::try_send_to; }
fn n677() { let _ = <rt::net::UdpSocket>::ttl; }
fn n678() { let _ = <rt::net::UdpSocket>::writable; }
fn n679<R, A2>() where A2: FnMut() -> io::Result<R> { let _ = |a0, a1, a2: A2| <rt::net::UnixDatagram>::async_io(a0, a1, a2); }
fn n680<P>() where P: AsRef<Path> { let _ = <rt::net::UnixDatagram>::bind::<P>; }
fn n681<P>() where P: AsRef<Path> { let _ = <rt::net::UnixDatagram>::connect::<P>; }
fn n682() { let _ = <rt::net::UnixDatagram>::from_std; }
fn n683() { let _ = <rt::net::UnixDatagram>::into_std; }
fn n684() { let _ = <rt::net::UnixDatagram>::local_addr; }
fn n685() { let _ = <rt::net::UnixDatagram>::pair; }
fn n686() { let _ = <rt::net::UnixDatagram>::peer_addr; }
fn n687() { let _ = <rt::net::UnixDatagram>::poll_recv; }
fn n688() { let _ = <rt::net::UnixDatagram>::poll_recv_from; }
fn n689() { let _ = <rt::net::UnixDatagram>::poll_recv_ready; }
fn n690() { let _ = <rt::net::UnixDatagram>::poll_send; }
fn n691() { let _ = <rt::net::UnixDatagram>::poll_send_ready; }
fn n692<P>() where P: AsRef<Path> { let _ = <rt::net::UnixDatagram>::poll_send_to::<P>; }
fn n693() { let _ = <rt::net::UnixDatagram>::readable; }
fn n694() { let _ = <rt::net::UnixDatagram>::ready; }
fn n695() { let _ = <rt::net::UnixDatagram>::recv; }
fn n696<B>() where B: BufMut { let _ = <rt::net::UnixDatagram>::recv_buf::<B>; }
fn n697<B>() where B: BufMut { let _ = <rt::net::UnixDatagram>::recv_buf_from::<B>; }
fn n698() { let _ = <rt::net::UnixDatagram>::recv_from; }
fn n699() { let _ = <rt::net::UnixDatagram>::send; }
fn n700<P>() where P: AsRef<Path> { let _ = <rt::net::UnixDatagram>::send_to::<P>; }
fn n701() { let _ = <rt::net::UnixDatagram>::shutdown; }
fn n702() { let _ = <rt::net::UnixDatagram>::take_error; }
fn n703<R, A2>() where A2: FnOnce() -> io::Result<R> { let _ = |a0, a1, a2: A2| <rt::net::UnixDatagram>::try_io(a0, a1, a2); }
fn n704() { let _ = <rt::net::UnixDatagram>::try_recv; }
fn n705<B>() where B: BufMut { let _ = <rt::net::UnixDatagram>::try_recv_buf::<B>; }
fn n706<B>() where B: BufMut { let _ = <rt::net::UnixDatagram>::try_recv_buf_from::<B>; }
fn n707() { let _ = <rt::net::UnixDatagram>::try_recv_from; }
fn n708() { let _ = <rt::net::UnixDatagram>::try_send; }
fn n709<P>() where P: AsRef<Path> { let _ = <rt::net::UnixDatagram>::try_send_to::<P>; }
fn n710() { let _ = <rt::net::UnixDatagram>::unbound; }
fn n711() { let _ = <rt::net::UnixDatagram>::writable; }
fn n712() { let _ = <rt::net::UnixListener>::accept; }
fn n713<P>() where P: AsRef<Path> { let _ = <rt::net::UnixListener>::bind::<P>; }
fn n714() { let _ = <rt::net::UnixListener>::bind_addr; }
fn n715() { let _ = <rt::net::UnixListener>::from_std; }
fn n716() { let _ = <rt::net::UnixListener>::into_std; }
fn n717() { let _ = <rt::net::UnixListener>::local_addr; }
fn n718() { let _ = <rt::net::UnixListener>::poll_accept; }
fn n719() { let _ = <rt::net::UnixListener>::take_error; }
fn n720<A1>() where A1: AsRef<Path> { let _ = |a0, a1: A1| <rt::net::UnixSocket>::bind(a0, a1); }
fn n721<A1>() where A1: AsRef<Path> { let _ = |a0, a1: A1| <rt::net::UnixSocket>::connect(a0, a1); }
fn n722() { let _ = <rt::net::UnixSocket>::datagram; }
fn n723() { let _ = <rt::net::UnixSocket>::listen; }
fn n724() { let _ = <rt::net::UnixSocket>::new_datagram; }
fn n725() { let _ = <rt::net::UnixSocket>::new_stream; }
fn n726<R, A2>() where A2: FnMut() -> io::Result<R> { let _ = |a0, a1, a2: A2| <rt::net::UnixStream>::async_io(a0, a1, a2); }
fn n727<P>() where P: AsRef<Path> { let _ = <rt::net::UnixStream>::connect::<P>; }
fn n728() { let _ = <rt::net::UnixStream>::connect_addr; }
fn n729() { let _ = <rt::net::UnixStream>::from_std; }
fn n730() { let _ = <rt::net::UnixStream>::into_split; }
fn n731() { let _ = <rt::net::UnixStream>::into_std; }
fn n732() { let _ = <rt::net::UnixStream>::local_addr; }
fn n733() { let _ = <rt::net::UnixStream>::pair; }
fn n734() { let _ = <rt::net::UnixStream>::peer_addr; }
fn n735() { let _ = <rt::net::UnixStream>::peer_cred; }
fn n736() { let _ = <rt::net::UnixStream>::poll_read_ready; }
fn n737() { let _ = <rt::net::UnixStream>::poll_write_ready; }
fn n738() { let _ = <rt::net::UnixStream>::readable; }
fn n739() { let _ = <rt::net::UnixStream>::ready; }
fn n740<'a>() { let _ = <rt::net::UnixStream>::split; }
fn n741() { let _ = <rt::net::UnixStream>::take_error; }
fn n742<R, A2>() where A2: FnOnce() -> io::Result<R> { let _ = |a0, a1, a2: A2| <rt::net::UnixStream>::try_io(a0, a1, a2); }
fn n743() { let _ = <rt::net::UnixStream>::try_read; }
fn n744<B>() where B: BufMut { let _ = <rt::net::UnixStream>::try_read_buf::<B>; }
fn n745() { let _ = <rt::net::UnixStream>::try_read_vectored; }
fn n746() { let _ = <rt::net::UnixStream>::try_write; }
fn n747() { let _ = <rt::net::UnixStream>::try_write_vectored; }
fn n748() { let _ = <rt::net::UnixStream>::writable; }
fn n749() { let _ = <rt::net::tcp::OwnedReadHalf>::local_addr; }
fn n750() { let _ = <rt::net::tcp::OwnedReadHalf>::peek; }
fn n751() { let _ = <rt::net::tcp::OwnedReadHalf>::peer_addr; }
fn n752() { let _ = <rt::net::tcp::OwnedReadHalf>::poll_peek; }
fn n753() { let _ = <rt::net::tcp::OwnedReadHalf>::readable; }
fn n754() { let _ = <rt::net::tcp::OwnedReadHalf>::ready; }
fn n755() { let _ = <rt::net::tcp::OwnedReadHalf>::reunite; }
fn n756() { let _ = <rt::net::tcp::OwnedReadHalf>::try_read; }
fn n757<B>() where B: BufMut { let _ = <rt::net::tcp::OwnedReadHalf>::try_read_buf::<B>; }
fn n758() { let _ = <rt::net::tcp::OwnedReadHalf>::try_read_vectored; }
fn n759() { let _ = <rt::net::tcp::OwnedWriteHalf>::forget; }
fn n760() { let _ = <rt::net::tcp::OwnedWriteHalf>::local_addr; }
fn n761() { let _ = <rt::net::tcp::OwnedWriteHalf>::peer_addr; }
fn n762() { let _ = <rt::net::tcp::OwnedWriteHalf>::ready; }
fn n763() { let _ = <rt::net::tcp::OwnedWriteHalf>::reunite; }
fn n764() { let _ = <rt::net::tcp::OwnedWriteHalf>::try_write; }
fn n765() { let _ = <rt::net::tcp::OwnedWriteHalf>::try_write_vectored; }
fn n766() { let _ = <rt::net::tcp::OwnedWriteHalf>::writable; }
fn n767() { let _ = <rt::net::tcp::ReadHalf<'_>>::local_addr; }
fn n768() { let _ = <rt::net::tcp::ReadHalf<'_>>::peek; }
fn n769() { let _ = <rt::net::tcp::ReadHalf<'_>>::peer_addr; }
fn n770() { let _ = <rt::net::tcp::ReadHalf<'_>>::poll_peek; }
fn n771() { let _ = <rt::net::tcp::ReadHalf<'_>>::readable; }
fn n772() { let _ = <rt::net::tcp::ReadHalf<'_>>::ready; }
fn n773() { let _ = <rt::net::tcp::ReadHalf<'_>>::try_read; }
fn n774<B>() where B: BufMut { let _ = <rt::net::tcp::ReadHalf<'_>>::try_read_buf::<B>; }
fn n775() { let _ = <rt::net::tcp::ReadHalf<'_>>::try_read_vectored; }
fn n776(this: &rt::net::tcp::ReuniteError) { let _ = &this.0; }
fn n777(this: &rt::net::tcp::ReuniteError) { let _ = &this.1; }
fn n778() { let _ = <rt::net::tcp::WriteHalf<'_>>::local_addr; }
fn n779() { let _ = <rt::net::tcp::WriteHalf<'_>>::peer_addr; }
fn n780() { let _ = <rt::net::tcp::WriteHalf<'_>>::ready; }
fn n781() { let _ = <rt::net::tcp::WriteHalf<'_>>::try_write; }
fn n782() { let _ = <rt::net::tcp::WriteHalf<'_>>::try_write_vectored; }
fn n783() { let _ = <rt::net::tcp::WriteHalf<'_>>::writable; }
fn n784() { let _ = <rt::net::unix::OwnedReadHalf>::local_addr; }
fn n785() { let _ = <rt::net::unix::OwnedReadHalf>::peer_addr; }
fn n786() { let _ = <rt::net::unix::OwnedReadHalf>::readable; }
fn n787() { let _ = <rt::net::unix::OwnedReadHalf>::ready; }
fn n788() { let _ = <rt::net::unix::OwnedReadHalf>::reunite; }
fn n789() { let _ = <rt::net::unix::OwnedReadHalf>::try_read; }
fn n790<B>() where B: BufMut { let _ = <rt::net::unix::OwnedReadHalf>::try_read_buf::<B>; }
fn n791() { let _ = <rt::net::unix::OwnedReadHalf>::try_read_vectored; }
fn n792() { let _ = <rt::net::unix::OwnedWriteHalf>::forget; }
fn n793() { let _ = <rt::net::unix::OwnedWriteHalf>::local_addr; }
fn n794() { let _ = <rt::net::unix::OwnedWriteHalf>::peer_addr; }
fn n795() { let _ = <rt::net::unix::OwnedWriteHalf>::ready; }
fn n796() { let _ = <rt::net::unix::OwnedWriteHalf>::reunite; }
fn n797() { let _ = <rt::net::unix::OwnedWriteHalf>::try_write; }
fn n798() { let _ = <rt::net::unix::OwnedWriteHalf>::try_write_vectored; }
fn n799() { let _ = <rt::net::unix::OwnedWriteHalf>::writable; }
fn n800() { let _ = <rt::net::unix::ReadHalf<'_>>::local_addr; }
fn n801() { let _ = <rt::net::unix::ReadHalf<'_>>::peer_addr; }
fn n802() { let _ = <rt::net::unix::ReadHalf<'_>>::readable; }
fn n803() { let _ = <rt::net::unix::ReadHalf<'_>>::ready; }
fn n804() { let _ = <rt::net::unix::ReadHalf<'_>>::try_read; }
fn n805<B>() where B: BufMut { let _ = <rt::net::unix::ReadHalf<'_>>::try_read_buf::<B>; }
fn n806() { let _ = <rt::net::unix::ReadHalf<'_>>::try_read_vectored; }
fn n807(this: &rt::net::unix::ReuniteError) { let _ = &this.0; }
fn n808(this: &rt::net::unix::ReuniteError) { let _ = &this.1; }
fn n809() { let _ = <rt::net::unix::SocketAddr>::as_abstract_name; }
fn n810() { let _ = <rt::net::unix::SocketAddr>::as_pathname; }
fn n811() { let _ = <rt::net::unix::SocketAddr>::is_unnamed; }
fn n812() { let _ = <rt::net::unix::UCred>::gid; }
fn n813() { let _ = <rt::net::unix::UCred>::pid; }
fn n814() { let _ = <rt::net::unix::UCred>::uid; }
fn n815() { let _ = <rt::net::unix::WriteHalf<'_>>::local_addr; }
fn n816() { let _ = <rt::net::unix::WriteHalf<'_>>::peer_addr; }
fn n817() { let _ = <rt::net::unix::WriteHalf<'_>>::ready; }
fn n818() { let _ = <rt::net::unix::WriteHalf<'_>>::try_write; }
fn n819() { let _ = <rt::net::unix::WriteHalf<'_>>::try_write_vectored; }
fn n820() { let _ = <rt::net::unix::WriteHalf<'_>>::writable; }
fn n821() { let _ = <rt::net::unix::pipe::OpenOptions>::new; }
fn n822<P>() where P: AsRef<Path> { let _ = <rt::net::unix::pipe::OpenOptions>::open_receiver::<P>; }
fn n823<P>() where P: AsRef<Path> { let _ = <rt::net::unix::pipe::OpenOptions>::open_sender::<P>; }
fn n824() { let _ = <rt::net::unix::pipe::OpenOptions>::read_write; }
fn n825() { let _ = <rt::net::unix::pipe::OpenOptions>::unchecked; }
fn n826() { let _ = <rt::net::unix::pipe::Receiver>::from_file; }
fn n827() { let _ = <rt::net::unix::pipe::Receiver>::from_file_unchecked; }
fn n828() { let _ = <rt::net::unix::pipe::Receiver>::from_owned_fd; }
fn n829() { let _ = <rt::net::unix::pipe::Receiver>::from_owned_fd_unchecked; }
fn n830() { let _ = <rt::net::unix::pipe::Receiver>::into_blocking_fd; }
fn n831() { let _ = <rt::net::unix::pipe::Receiver>::into_nonblocking_fd; }
fn n832() { let _ = <rt::net::unix::pipe::Receiver>::poll_read_ready; }
fn n833() { let _ = <rt::net::unix::pipe::Receiver>::readable; }
fn n834() { let _ = <rt::net::unix::pipe::Receiver>::ready; }
fn n835<R, A1>() where A1: FnOnce() -> io::Result<R> { let _ = |a0, a1: A1| <rt::net::unix::pipe::Receiver>::try_io(a0, a1); }
fn n836() { let _ = <rt::net::unix::pipe::Receiver>::try_read; }
fn n837<B>() where B: BufMut { let _ = <rt::net::unix::pipe::Receiver>::try_read_buf::<B>; }
fn n838() { let _ = <rt::net::unix::pipe::Receiver>::try_read_vectored; }
fn n839() { let _ = <rt::net::unix::pipe::Sender>::from_file; }
fn n840() { let _ = <rt::net::unix::pipe::Sender>::from_file_unchecked; }
fn n841() { let _ = <rt::net::unix::pipe::Sender>::from_owned_fd; }
fn n842() { let _ = <rt::net::unix::pipe::Sender>::from_owned_fd_unchecked; }
fn n843() { let _ = <rt::net::unix::pipe::Sender>::into_blocking_fd; }
fn n844() { let _ = <rt::net::unix::pipe::Sender>::into_nonblocking_fd; }
fn n845() { let _ = <rt::net::unix::pipe::Sender>::poll_write_ready; }
fn n846() { let _ = <rt::net::unix::pipe::Sender>::ready; }
fn n847<R, A1>() where A1: FnOnce() -> io::Result<R> { let _ = |a0, a1: A1| <rt::net::unix::pipe::Sender>::try_io(a0, a1); }
fn n848() { let _ = <rt::net::unix::pipe::Sender>::try_write; }
fn n849() { let _ = <rt::net::unix::pipe::Sender>::try_write_vectored; }
fn n850() { let _ = <rt::net::unix::pipe::Sender>::writable; }
fn n851() { let _ = <rt::process::Child>::id; }
fn n852() { let _ = <rt::process::Child>::kill; }
fn n853() { let _ = <rt::process::Child>::start_kill; }
fn n854(this: &rt::process::Child) { let _ = &this.stderr; }
fn n855(this: &rt::process::Child) { let _ = &this.stdin; }
fn n856(this: &rt::process::Child) { let _ = &this.stdout; }
fn n857() { let _ = <rt::process::Child>::try_wait; }
fn n858() { let _ = <rt::process::Child>::wait; }
fn n859() { let _ = <rt::process::Child>::wait_with_output; }
fn n860() { let _ = <rt::process::ChildStderr>::from_std; }
fn n861() { let _ = <rt::process::ChildStderr>::into_owned_fd; }
fn n862() { let _ = <rt::process::ChildStdin>::from_std; }
fn n863() { let _ = <rt::process::ChildStdin>::into_owned_fd; }
fn n864() { let _ = <rt::process::ChildStdout>::from_std; }
fn n865() { let _ = <rt::process::ChildStdout>::into_owned_fd; }
fn n866<S>() where S: AsRef<OsStr> { let _ = <rt::process::Command>::arg::<S>; }
fn n867<S>() where S: AsRef<OsStr> { let _ = <rt::process::Command>::arg0::<S>; }
fn n868<I, S>() where I: IntoIterator<Item = S>, S: AsRef<OsStr> { let _ = <rt::process::Command>::args::<I, S>; }
fn n869() { let _ = <rt::process::Command>::as_std; }
fn n870() { let _ = <rt::process::Command>::as_std_mut; }
fn n871<P>() where P: AsRef<Path> { let _ = <rt::process::Command>::current_dir::<P>; }
fn n872<K, V>() where K: AsRef<OsStr>, V: AsRef<OsStr> { let _ = <rt::process::Command>::env::<K, V>; }
fn n873() { let _ = <rt::process::Command>::env_clear; }
fn n874<K>() where K: AsRef<OsStr> { let _ = <rt::process::Command>::env_remove::<K>; }
fn n875<I, K, V>() where I: IntoIterator<Item = (K, V)>, K: AsRef<OsStr>, V: AsRef<OsStr> { let _ = <rt::process::Command>::envs::<I, K, V>; }
fn n876() { let _ = <rt::process::Command>::get_kill_on_drop; }
fn n877() { let _ = <rt::process::Command>::gid; }
fn n878() { let _ = <rt::process::Command>::into_std; }
fn n879() { let _ = <rt::process::Command>::kill_on_drop; }
fn n880<S>() where S: AsRef<OsStr> { let _ = <rt::process::Command>::new::<S>; }
fn n881() { let _ = <rt::process::Command>::output; }
fn n882<F>() where F: FnMut() -> io::Result<()> + Send + Sync + 'static { let _ = <rt::process::Command>::pre_exec::<F>; }
fn n883() { let _ = <rt::process::Command>::process_group; }
fn n884() { let _ = <rt::process::Command>::spawn; }
fn n885<A1>() where A1: FnOnce(&mut Command) -> io::Result<Child> { let _ = |a0, a1: A1| <rt::process::Command>::spawn_with(a0, a1); }
fn n886() { let _ = <rt::process::Command>::status; }
fn n887<T>() where T: Into<Stdio> { let _ = <rt::process::Command>::stderr::<T>; }
fn n888<T>() where T: Into<Stdio> { let _ = <rt::process::Command>::stdin::<T>; }
fn n889<T>() where T: Into<Stdio> { let _ = <rt::process::Command>::stdout::<T>; }
fn n890() { let _ = <rt::process::Command>::uid; }
fn n891() { let _ = <rt::runtime::Builder>::build; }
fn n892() { let _ = <rt::runtime::Builder>::build_local; }
fn n893() { let _ = <rt::runtime::Builder>::disable_lifo_slot; }
fn n894() { let _ = <rt::runtime::Builder>::enable_all; }
fn n895() { let _ = <rt::runtime::Builder>::enable_alt_timer; }
fn n896() { let _ = <rt::runtime::Builder>::enable_eager_driver_handoff; }
fn n897() { let _ = <rt::runtime::Builder>::enable_io; }
fn n898() { let _ = <rt::runtime::Builder>::enable_io_uring; }
fn n899() { let _ = <rt::runtime::Builder>::enable_metrics_poll_time_histogram; }
fn n900() { let _ = <rt::runtime::Builder>::enable_metrics_schedule_latency_histogram; }
fn n901() { let _ = <rt::runtime::Builder>::enable_sharded_blocking_queue; }
fn n902() { let _ = <rt::runtime::Builder>::enable_time; }
fn n903() { let _ = <rt::runtime::Builder>::event_interval; }
fn n904() { let _ = <rt::runtime::Builder>::global_queue_interval; }
fn n905() { let _ = <rt::runtime::Builder>::max_blocking_threads; }
fn n906() { let _ = <rt::runtime::Builder>::max_io_events_per_busy_tick; }
fn n907() { let _ = <rt::runtime::Builder>::max_io_events_per_tick; }
fn n908() { let _ = <rt::runtime::Builder>::metrics_poll_count_histogram_buckets; }
fn n909() { let _ = <rt::runtime::Builder>::metrics_poll_count_histogram_resolution; }
fn n910() { let _ = <rt::runtime::Builder>::metrics_poll_count_histogram_scale; }
fn n911() { let _ = <rt::runtime::Builder>::metrics_poll_time_histogram_configuration; }
fn n912() { let _ = <rt::runtime::Builder>::metrics_schedule_latency_histogram_configuration; }
fn n913<A1>() where A1: Into<String> { let _ = |a0, a1: A1| <rt::runtime::Builder>::name(a0, a1); }
fn n914() { let _ = <rt::runtime::Builder>::new_current_thread; }
fn n915() { let _ = <rt::runtime::Builder>::new_multi_thread; }
fn n916<F>() where F: Fn(&rt::runtime::TaskMeta<'_>) + Send + Sync + 'static { let _ = <rt::runtime::Builder>::on_after_task_poll::<F>; }
fn n917<F>() where F: Fn(&rt::runtime::TaskMeta<'_>) + Send + Sync + 'static { let _ = <rt::runtime::Builder>::on_before_task_poll::<F>; }
fn n918<F>() where F: Fn(&rt::runtime::TaskMeta<'_>) + Send + Sync + 'static { let _ = <rt::runtime::Builder>::on_task_spawn::<F>; }
fn n919<F>() where F: Fn(&rt::runtime::TaskMeta<'_>) + Send + Sync + 'static { let _ = <rt::runtime::Builder>::on_task_terminate::<F>; }
fn n920<F>() where F: Fn() + Send + Sync + 'static { let _ = <rt::runtime::Builder>::on_thread_park::<F>; }
fn n921<F>() where F: Fn() + Send + Sync + 'static { let _ = <rt::runtime::Builder>::on_thread_start::<F>; }
fn n922<F>() where F: Fn() + Send + Sync + 'static { let _ = <rt::runtime::Builder>::on_thread_stop::<F>; }
fn n923<F>() where F: Fn() + Send + Sync + 'static { let _ = <rt::runtime::Builder>::on_thread_unpark::<F>; }
fn n924() { let _ = <rt::runtime::Builder>::rng_seed; }
fn n925() { let _ = <rt::runtime::Builder>::start_paused; }
fn n926() { let _ = <rt::runtime::Builder>::thread_keep_alive; }
fn n927<A1>() where A1: Into<String> { let _ = |a0, a1: A1| <rt::runtime::Builder>::thread_name(a0, a1); }
fn n928<F>() where F: Fn() -> String + Send + Sync + 'static { let _ = <rt::runtime::Builder>::thread_name_fn::<F>; }
fn n929() { let _ = <rt::runtime::Builder>::thread_stack_size; }
fn n930() { let _ = <rt::runtime::Builder>::track_task_schedule_latency; }
fn n931() { let _ = <rt::runtime::Builder>::unhandled_panic; }
fn n932() { let _ = <rt::runtime::Builder>::worker_threads; }
fn n933<F>() where F: Future { let _ = <rt::runtime::Handle>::block_on::<F>; }
fn n934() { let _ = <rt::runtime::Handle>::current; }
fn n935() { let _ = <rt::runtime::Handle>::enter; }
fn n936() { let _ = <rt::runtime::Handle>::id; }
fn n937() { let _ = <rt::runtime::Handle>::metrics; }
fn n938() { let _ = <rt::runtime::Handle>::name; }
fn n939() { let _ = <rt::runtime::Handle>::runtime_flavor; }
fn n940<F>() where <F as Future>::Output: Send + 'static, F: Future + Send + 'static { let _ = <rt::runtime::Handle>::spawn::<F>; }
fn n941<F, R>() where F: FnOnce() -> R + Send + 'static, R: Send + 'static { let _ = <rt::runtime::Handle>::spawn_blocking::<F, R>; }
fn n942() { let _ = <rt::runtime::Handle>::try_current; }
fn n943() { let _ = <rt::runtime::HistogramConfiguration>::linear; }
fn n944<A0>() where A0: Into<rt::runtime::LogHistogram> { let _ = |a0: A0| <rt::runtime::HistogramConfiguration>::log(a0); }
fn n945<F>() where F: Future { let _ = <rt::runtime::LocalRuntime>::block_on::<F>; }
fn n946() { let _ = <rt::runtime::LocalRuntime>::enter; }
fn n947() { let _ = <rt::runtime::LocalRuntime>::handle; }
fn n948() { let _ = <rt::runtime::LocalRuntime>::metrics; }
fn n949() { let _ = <rt::runtime::LocalRuntime>::new; }
fn n950() { let _ = <rt::runtime::LocalRuntime>::shutdown_background; }
fn n951() { let _ = <rt::runtime::LocalRuntime>::shutdown_timeout; }
fn n952<F, R>() where F: FnOnce() -> R + Send + 'static, R: Send + 'static { let _ = <rt::runtime::LocalRuntime>::spawn_blocking::<F, R>; }
fn n953<F>() where <F as Future>::Output: 'static, F: Future + 'static { let _ = <rt::runtime::LocalRuntime>::spawn_local::<F>; }
fn n954() { let _ = <rt::runtime::LogHistogram>::builder; }
fn n955() { let _ = <rt::runtime::LogHistogram>::max_value; }
fn n956() { let _ = <rt::runtime::LogHistogramBuilder>::build; }
fn n957() { let _ = <rt::runtime::LogHistogramBuilder>::max_buckets; }
fn n958() { let _ = <rt::runtime::LogHistogramBuilder>::max_error; }
fn n959() { let _ = <rt::runtime::LogHistogramBuilder>::max_value; }
fn n960() { let _ = <rt::runtime::LogHistogramBuilder>::min_value; }
fn n961() { let _ = <rt::runtime::LogHistogramBuilder>::precision_exact; }
fn n962() { let _ = <rt::runtime::RngSeed>::from_bytes; }
fn n963<F>() where F: Future { let _ = <rt::runtime::Runtime>::block_on::<F>; }
fn n964() { let _ = <rt::runtime::Runtime>::enter; }
fn n965() { let _ = <rt::runtime::Runtime>::handle; }
fn n966() { let _ = <rt::runtime::Runtime>::metrics; }
fn n967() { let _ = <rt::runtime::Runtime>::new; }
fn n968() { let _ = <rt::runtime::Runtime>::shutdown_background; }
fn n969() { let _ = <rt::runtime::Runtime>::shutdown_timeout; }
fn n970<F>() where <F as Future>::Output: Send + 'static, F: Future + Send + 'static { let _ = <rt::runtime::Runtime>::spawn::<F>; }
fn n971<F, R>() where F: FnOnce() -> R + Send + 'static, R: Send + 'static { let _ = <rt::runtime::Runtime>::spawn_blocking::<F, R>; }
fn n972() { let _ = <rt::runtime::RuntimeMetrics>::active_tasks_count; }
fn n973() { let _ = <rt::runtime::RuntimeMetrics>::blocking_queue_depth; }
fn n974() { let _ = <rt::runtime::RuntimeMetrics>::budget_forced_yield_count; }
fn n975() { let _ = <rt::runtime::RuntimeMetrics>::global_queue_depth; }
fn n976() { let _ = <rt::runtime::RuntimeMetrics>::io_driver_fd_deregistered_count; }
fn n977() { let _ = <rt::runtime::RuntimeMetrics>::io_driver_fd_registered_count; }
fn n978() { let _ = <rt::runtime::RuntimeMetrics>::io_driver_ready_count; }
fn n979() { let _ = <rt::runtime::RuntimeMetrics>::num_alive_tasks; }
fn n980() { let _ = <rt::runtime::RuntimeMetrics>::num_blocking_threads; }
fn n981() { let _ = <rt::runtime::RuntimeMetrics>::num_idle_blocking_threads; }
fn n982() { let _ = <rt::runtime::RuntimeMetrics>::num_workers; }
fn n983() { let _ = <rt::runtime::RuntimeMetrics>::poll_time_histogram_bucket_count; }
fn n984() { let _ = <rt::runtime::RuntimeMetrics>::poll_time_histogram_bucket_range; }
fn n985() { let _ = <rt::runtime::RuntimeMetrics>::poll_time_histogram_enabled; }
fn n986() { let _ = <rt::runtime::RuntimeMetrics>::poll_time_histogram_num_buckets; }
fn n987() { let _ = <rt::runtime::RuntimeMetrics>::remote_schedule_count; }
fn n988() { let _ = <rt::runtime::RuntimeMetrics>::schedule_latency_histogram_bucket_count; }
fn n989() { let _ = <rt::runtime::RuntimeMetrics>::schedule_latency_histogram_bucket_range; }
fn n990() { let _ = <rt::runtime::RuntimeMetrics>::schedule_latency_histogram_enabled; }
fn n991() { let _ = <rt::runtime::RuntimeMetrics>::schedule_latency_histogram_num_buckets; }
fn n992() { let _ = <rt::runtime::RuntimeMetrics>::spawned_tasks_count; }
fn n993() { let _ = <rt::runtime::RuntimeMetrics>::worker_local_queue_depth; }
fn n994() { let _ = <rt::runtime::RuntimeMetrics>::worker_local_schedule_count; }
fn n995() { let _ = <rt::runtime::RuntimeMetrics>::worker_mean_poll_time; }
fn n996() { let _ = <rt::runtime::RuntimeMetrics>::worker_noop_count; }
fn n997() { let _ = <rt::runtime::RuntimeMetrics>::worker_overflow_count; }
fn n998() { let _ = <rt::runtime::RuntimeMetrics>::worker_park_count; }
fn n999() { let _ = <rt::runtime::RuntimeMetrics>::worker_park_unpark_count; }
fn n1000() { let _ = <rt::runtime::RuntimeMetrics>::worker_poll_count; }
fn n1001() { let _ = <rt::runtime::RuntimeMetrics>::worker_steal_count; }
fn n1002() { let _ = <rt::runtime::RuntimeMetrics>::worker_steal_operations; }
fn n1003() { let _ = <rt::runtime::RuntimeMetrics>::worker_thread_id; }
fn n1004() { let _ = <rt::runtime::RuntimeMetrics>::worker_total_busy_duration; }
fn n1005<'a>() { let _ = <rt::runtime::TaskMeta<'a>>::id; }
fn n1006<'a>() { let _ = <rt::runtime::TaskMeta<'a>>::schedule_latency; }
fn n1007<'a>() { let _ = <rt::runtime::TaskMeta<'a>>::spawned_at; }
fn n1008() { let _ = <rt::runtime::TryCurrentError>::is_missing_context; }
fn n1009() { let _ = <rt::runtime::TryCurrentError>::is_thread_local_destroyed; }
fn n1010() { let _ = <rt::signal::unix::Signal>::poll_recv; }
fn n1011() { let _ = <rt::signal::unix::Signal>::recv; }
fn n1012() { let _ = <rt::signal::unix::SignalKind>::alarm; }
fn n1013() { let _ = <rt::signal::unix::SignalKind>::as_raw_value; }
fn n1014() { let _ = <rt::signal::unix::SignalKind>::child; }
fn n1015() { let _ = <rt::signal::unix::SignalKind>::from_raw; }
fn n1016() { let _ = <rt::signal::unix::SignalKind>::hangup; }
fn n1017() { let _ = <rt::signal::unix::SignalKind>::interrupt; }
fn n1018() { let _ = <rt::signal::unix::SignalKind>::io; }
fn n1019() { let _ = <rt::signal::unix::SignalKind>::pipe; }
fn n1020() { let _ = <rt::signal::unix::SignalKind>::quit; }
fn n1021() { let _ = <rt::signal::unix::SignalKind>::terminate; }
fn n1022() { let _ = <rt::signal::unix::SignalKind>::user_defined1; }
fn n1023() { let _ = <rt::signal::unix::SignalKind>::user_defined2; }
fn n1024() { let _ = <rt::signal::unix::SignalKind>::window_change; }
fn n1025() { let _ = <rt::sync::Barrier>::new; }
fn n1026() { let _ = <rt::sync::Barrier>::wait; }
fn n1027() { let _ = <rt::sync::BarrierWaitResult>::is_leader; }
fn n1028<T>() where T: ?Sized { let _ = <rt::sync::Mutex<T>>::blocking_lock; }
fn n1029<T>() where T: ?Sized { let _ = <rt::sync::Mutex<T>>::blocking_lock_owned; }
fn n1030<T>() where T: ?Sized, T: Sized { let _ = <rt::sync::Mutex<T>>::const_new; }
fn n1031<T>() where T: ?Sized { let _ = <rt::sync::Mutex<T>>::get_mut; }
fn n1032<T>() where T: ?Sized, T: Sized { let _ = <rt::sync::Mutex<T>>::into_inner; }
fn n1033<T>() where T: ?Sized { let _ = <rt::sync::Mutex<T>>::lock; }
fn n1034<T>() where T: ?Sized { let _ = <rt::sync::Mutex<T>>::lock_owned; }
fn n1035<T>() where T: ?Sized, T: Sized { let _ = <rt::sync::Mutex<T>>::new; }
fn n1036<T>() where T: ?Sized { let _ = <rt::sync::Mutex<T>>::try_lock; }
fn n1037<T>() where T: ?Sized { let _ = <rt::sync::Mutex<T>>::try_lock_owned; }
fn n1038<'a, T, U, F>() where F: FnOnce(&mut T) -> &mut U, T: ?Sized, U: ?Sized, T: 'a, U: 'a, F: 'a { let _ = <rt::sync::MutexGuard<'a, T>>::map::<U, F>; }
fn n1039<'a, T>() where T: ?Sized, T: 'a { let _ = <rt::sync::MutexGuard<'a, T>>::mutex; }
fn n1040<'a, T, U, F>() where F: FnOnce(&mut T) -> Option<&mut U>, T: ?Sized, U: ?Sized, T: 'a, U: 'a, F: 'a { let _ = <rt::sync::MutexGuard<'a, T>>::try_map::<U, F>; }
fn n1041() { let _ = <rt::sync::Notify>::const_new; }
fn n1042() { let _ = <rt::sync::Notify>::new; }
fn n1043() { let _ = <rt::sync::Notify>::notified; }
fn n1044() { let _ = <rt::sync::Notify>::notified_owned; }
fn n1045() { let _ = <rt::sync::Notify>::notify_last; }
fn n1046() { let _ = <rt::sync::Notify>::notify_one; }
fn n1047() { let _ = <rt::sync::Notify>::notify_waiters; }
fn n1048<T>() { let _ = <rt::sync::OnceCell<T>>::const_new; }
fn n1049<T>() { let _ = <rt::sync::OnceCell<T>>::const_new_with; }
fn n1050<T>() { let _ = <rt::sync::OnceCell<T>>::get; }
fn n1051<T>() { let _ = <rt::sync::OnceCell<T>>::get_mut; }
fn n1052<T, F, Fut>() where F: FnOnce() -> Fut, Fut: Future<Output = T> { let _ = <rt::sync::OnceCell<T>>::get_or_init::<F, Fut>; }
fn n1053<T, E, F, Fut>() where F: FnOnce() -> Fut, Fut: Future<Output = Result<T, E>> { let _ = <rt::sync::OnceCell<T>>::get_or_try_init::<E, F, Fut>; }
fn n1054<T>() { let _ = <rt::sync::OnceCell<T>>::initialized; }
fn n1055<T>() { let _ = <rt::sync::OnceCell<T>>::into_inner; }
fn n1056<T>() { let _ = <rt::sync::OnceCell<T>>::new; }
fn n1057<T>() { let _ = <rt::sync::OnceCell<T>>::new_with; }
fn n1058<T>() { let _ = <rt::sync::OnceCell<T>>::set; }
fn n1059<T>() { let _ = <rt::sync::OnceCell<T>>::take; }
fn n1060<T, U, F>() where F: FnOnce(&mut T) -> &mut U, T: ?Sized, U: ?Sized { let _ = <rt::sync::OwnedMutexGuard<T>>::map::<U, F>; }
fn n1061<T>() where T: ?Sized { let _ = <rt::sync::OwnedMutexGuard<T>>::mutex; }
fn n1062<T, U, F>() where F: FnOnce(&mut T) -> Option<&mut U>, T: ?Sized, U: ?Sized { let _ = <rt::sync::OwnedMutexGuard<T>>::try_map::<U, F>; }
fn n1063<T, U, F, V>() where F: FnOnce(&mut U) -> &mut V, T: ?Sized, U: ?Sized, V: ?Sized { let _ = <rt::sync::OwnedRwLockMappedWriteGuard<T, U>>::map::<F, V>; }
fn n1064<T, U>() where T: ?Sized, U: ?Sized { let _ = <rt::sync::OwnedRwLockMappedWriteGuard<T, U>>::rwlock; }
fn n1065<T, U, F, V>() where F: FnOnce(&mut U) -> Option<&mut V>, T: ?Sized, U: ?Sized, V: ?Sized { let _ = <rt::sync::OwnedRwLockMappedWriteGuard<T, U>>::try_map::<F, V>; }
fn n1066<T, U, F, V>() where F: FnOnce(&U) -> &V, T: ?Sized, U: ?Sized, V: ?Sized { let _ = <rt::sync::OwnedRwLockReadGuard<T, U>>::map::<F, V>; }
fn n1067<T, U>() where T: ?Sized, U: ?Sized { let _ = <rt::sync::OwnedRwLockReadGuard<T, U>>::rwlock; }
fn n1068<T, U, F, V>() where F: FnOnce(&U) -> Option<&V>, T: ?Sized, U: ?Sized, V: ?Sized { let _ = <rt::sync::OwnedRwLockReadGuard<T, U>>::try_map::<F, V>; }
fn n1069<T>() where T: ?Sized { let _ = <rt::sync::OwnedRwLockWriteGuard<T>>::downgrade; }
fn n1070<T, F, U>() where F: FnOnce(&T) -> &U, T: ?Sized, U: ?Sized { let _ = <rt::sync::OwnedRwLockWriteGuard<T>>::downgrade_map::<F, U>; }
fn n1071<T>() where T: ?Sized { let _ = <rt::sync::OwnedRwLockWriteGuard<T>>::into_mapped; }
fn n1072<T, F, U>() where F: FnOnce(&mut T) -> &mut U, T: ?Sized, U: ?Sized { let _ = <rt::sync::OwnedRwLockWriteGuard<T>>::map::<F, U>; }
fn n1073<T>() where T: ?Sized { let _ = <rt::sync::OwnedRwLockWriteGuard<T>>::rwlock; }
fn n1074<T, F, U>() where F: FnOnce(&T) -> Option<&U>, T: ?Sized, U: ?Sized { let _ = <rt::sync::OwnedRwLockWriteGuard<T>>::try_downgrade_map::<F, U>; }
fn n1075<T, F, U>() where F: FnOnce(&mut T) -> Option<&mut U>, T: ?Sized, U: ?Sized { let _ = <rt::sync::OwnedRwLockWriteGuard<T>>::try_map::<F, U>; }
fn n1076() { let _ = <rt::sync::OwnedSemaphorePermit>::forget; }
fn n1077() { let _ = <rt::sync::OwnedSemaphorePermit>::merge; }
fn n1078() { let _ = <rt::sync::OwnedSemaphorePermit>::num_permits; }
fn n1079() { let _ = <rt::sync::OwnedSemaphorePermit>::semaphore; }
fn n1080() { let _ = <rt::sync::OwnedSemaphorePermit>::split; }
fn n1081<T>() where T: ?Sized { let _ = <rt::sync::RwLock<T>>::blocking_read; }
fn n1082<T>() where T: ?Sized { let _ = <rt::sync::RwLock<T>>::blocking_write; }
fn n1083<T>() where T: ?Sized, T: Sized { let _ = <rt::sync::RwLock<T>>::const_new; }
fn n1084<T>() where T: ?Sized, T: Sized { let _ = <rt::sync::RwLock<T>>::const_with_max_readers; }
fn n1085<T>() where T: ?Sized { let _ = <rt::sync::RwLock<T>>::get_mut; }
fn n1086<T>() where T: ?Sized, T: Sized { let _ = <rt::sync::RwLock<T>>::into_inner; }
fn n1087<T>() where T: ?Sized, T: Sized { let _ = <rt::sync::RwLock<T>>::new; }
fn n1088<T>() where T: ?Sized { let _ = <rt::sync::RwLock<T>>::read; }
fn n1089<T>() where T: ?Sized { let _ = <rt::sync::RwLock<T>>::read_owned; }
fn n1090<T>() where T: ?Sized { let _ = <rt::sync::RwLock<T>>::try_read; }
fn n1091<T>() where T: ?Sized { let _ = <rt::sync::RwLock<T>>::try_read_owned; }
fn n1092<T>() where T: ?Sized { let _ = <rt::sync::RwLock<T>>::try_write; }
fn n1093<T>() where T: ?Sized { let _ = <rt::sync::RwLock<T>>::try_write_owned; }
fn n1094<T>() where T: ?Sized, T: Sized { let _ = <rt::sync::RwLock<T>>::with_max_readers; }
fn n1095<T>() where T: ?Sized { let _ = <rt::sync::RwLock<T>>::write; }
fn n1096<T>() where T: ?Sized { let _ = <rt::sync::RwLock<T>>::write_owned; }
fn n1097<'a, T, F, U>() where F: FnOnce(&mut T) -> &mut U, T: ?Sized, U: ?Sized, T: 'a, F: 'a, U: 'a { let _ = <rt::sync::RwLockMappedWriteGuard<'a, T>>::map::<F, U>; }
fn n1098<'a, T, F, U>() where F: FnOnce(&mut T) -> Option<&mut U>, T: ?Sized, U: ?Sized, T: 'a, F: 'a, U: 'a { let _ = <rt::sync::RwLockMappedWriteGuard<'a, T>>::try_map::<F, U>; }
fn n1099<'a, T, F, U>() where F: FnOnce(&T) -> &U, T: ?Sized, U: ?Sized, T: 'a, F: 'a, U: 'a { let _ = <rt::sync::RwLockReadGuard<'a, T>>::map::<F, U>; }
fn n1100<'a, T, F, U>() where F: FnOnce(&T) -> Option<&U>, T: ?Sized, U: ?Sized, T: 'a, F: 'a, U: 'a { let _ = <rt::sync::RwLockReadGuard<'a, T>>::try_map::<F, U>; }
fn n1101<'a, T>() where T: ?Sized, T: 'a { let _ = <rt::sync::RwLockWriteGuard<'a, T>>::downgrade; }
fn n1102<'a, T, F, U>() where F: FnOnce(&T) -> &U, T: ?Sized, U: ?Sized, T: 'a, F: 'a, U: 'a { let _ = <rt::sync::RwLockWriteGuard<'a, T>>::downgrade_map::<F, U>; }
fn n1103<'a, T>() where T: ?Sized, T: 'a { let _ = <rt::sync::RwLockWriteGuard<'a, T>>::into_mapped; }
fn n1104<'a, T, F, U>() where F: FnOnce(&mut T) -> &mut U, T: ?Sized, U: ?Sized, T: 'a, F: 'a, U: 'a { let _ = <rt::sync::RwLockWriteGuard<'a, T>>::map::<F, U>; }
fn n1105<'a, T, F, U>() where F: FnOnce(&T) -> Option<&U>, T: ?Sized, U: ?Sized, T: 'a, F: 'a, U: 'a { let _ = <rt::sync::RwLockWriteGuard<'a, T>>::try_downgrade_map::<F, U>; }
fn n1106<'a, T, F, U>() where F: FnOnce(&mut T) -> Option<&mut U>, T: ?Sized, U: ?Sized, T: 'a, F: 'a, U: 'a { let _ = <rt::sync::RwLockWriteGuard<'a, T>>::try_map::<F, U>; }
fn n1107() { let _ = <rt::sync::Semaphore>::MAX_PERMITS; }
fn n1108() { let _ = <rt::sync::Semaphore>::acquire; }
fn n1109() { let _ = <rt::sync::Semaphore>::acquire_many; }
fn n1110() { let _ = <rt::sync::Semaphore>::acquire_many_owned; }
fn n1111() { let _ = <rt::sync::Semaphore>::acquire_owned; }
fn n1112() { let _ = <rt::sync::Semaphore>::add_permits; }
fn n1113() { let _ = <rt::sync::Semaphore>::available_permits; }
fn n1114() { let _ = <rt::sync::Semaphore>::blocking_acquire; }
fn n1115() { let _ = <rt::sync::Semaphore>::blocking_acquire_many; }
fn n1116() { let _ = <rt::sync::Semaphore>::blocking_acquire_many_owned; }
fn n1117() { let _ = <rt::sync::Semaphore>::blocking_acquire_owned; }
fn n1118() { let _ = <rt::sync::Semaphore>::close; }
fn n1119() { let _ = <rt::sync::Semaphore>::const_new; }
fn n1120() { let _ = <rt::sync::Semaphore>::forget_permits; }
fn n1121() { let _ = <rt::sync::Semaphore>::is_closed; }
fn n1122() { let _ = <rt::sync::Semaphore>::new; }
fn n1123() { let _ = <rt::sync::Semaphore>::try_acquire; }
fn n1124() { let _ = <rt::sync::Semaphore>::try_acquire_many; }
fn n1125() { let _ = <rt::sync::Semaphore>::try_acquire_many_owned; }
fn n1126() { let _ = <rt::sync::Semaphore>::try_acquire_owned; }
fn n1127<'a>() { let _ = <rt::sync::SemaphorePermit<'a>>::forget; }
fn n1128<'a>() { let _ = <rt::sync::SemaphorePermit<'a>>::merge; }
fn n1129<'a>() { let _ = <rt::sync::SemaphorePermit<'a>>::num_permits; }
fn n1130<'a>() { let _ = <rt::sync::SemaphorePermit<'a>>::semaphore; }
fn n1131<'a>() { let _ = <rt::sync::SemaphorePermit<'a>>::split; }
fn n1132<T>() { let _ = <rt::sync::SetError<T>>::is_already_init_err; }
fn n1133<T>() { let _ = <rt::sync::SetError<T>>::is_initializing_err; }
fn n1134<T>() { let _ = <rt::sync::SetOnce<T>>::const_new; }
fn n1135<T>() { let _ = <rt::sync::SetOnce<T>>::const_new_with; }
fn n1136<T>() { let _ = <rt::sync::SetOnce<T>>::get; }
fn n1137<T>() { let _ = <rt::sync::SetOnce<T>>::initialized; }
fn n1138<T>() { let _ = <rt::sync::SetOnce<T>>::into_inner; }
fn n1139<T>() { let _ = <rt::sync::SetOnce<T>>::new; }
fn n1140<T>() { let _ = <rt::sync::SetOnce<T>>::new_with; }
fn n1141<T>() { let _ = <rt::sync::SetOnce<T>>::set; }
fn n1142<T>() { let _ = <rt::sync::SetOnce<T>>::wait; }
fn n1143<T>(this: &rt::sync::SetOnceError<T>) { let _ = &this.0; }
fn n1144<T>() where T: Clone { let _ = <rt::sync::broadcast::Receiver<T>>::blocking_recv; }
fn n1145<T>() { let _ = <rt::sync::broadcast::Receiver<T>>::is_closed; }
fn n1146<T>() { let _ = <rt::sync::broadcast::Receiver<T>>::is_empty; }
fn n1147<T>() { let _ = <rt::sync::broadcast::Receiver<T>>::len; }
fn n1148<T>() where T: Clone { let _ = <rt::sync::broadcast::Receiver<T>>::recv; }
fn n1149<T>() where T: Clone { let _ = <rt::sync::broadcast::Receiver<T>>::resubscribe; }
fn n1150<T>() { let _ = <rt::sync::broadcast::Receiver<T>>::same_channel; }
fn n1151<T>() { let _ = <rt::sync::broadcast::Receiver<T>>::sender_strong_count; }
fn n1152<T>() { let _ = <rt::sync::broadcast::Receiver<T>>::sender_weak_count; }
fn n1153<T>() where T: Clone { let _ = <rt::sync::broadcast::Receiver<T>>::try_recv; }
fn n1154<T>() { let _ = <rt::sync::broadcast::Sender<T>>::closed; }
fn n1155<T>() { let _ = <rt::sync::broadcast::Sender<T>>::downgrade; }
fn n1156<T>() { let _ = <rt::sync::broadcast::Sender<T>>::is_empty; }
fn n1157<T>() { let _ = <rt::sync::broadcast::Sender<T>>::len; }
fn n1158<T>() { let _ = <rt::sync::broadcast::Sender<T>>::new; }
fn n1159<T>() { let _ = <rt::sync::broadcast::Sender<T>>::receiver_count; }
fn n1160<T>() { let _ = <rt::sync::broadcast::Sender<T>>::same_channel; }
fn n1161<T>() { let _ = <rt::sync::broadcast::Sender<T>>::send; }
fn n1162<T>() { let _ = <rt::sync::broadcast::Sender<T>>::strong_count; }
fn n1163<T>() { let _ = <rt::sync::broadcast::Sender<T>>::subscribe; }
fn n1164<T>() { let _ = <rt::sync::broadcast::Sender<T>>::weak_count; }
fn n1165<T>() { let _ = <rt::sync::broadcast::WeakSender<T>>::strong_count; }
fn n1166<T>() { let _ = <rt::sync::broadcast::WeakSender<T>>::upgrade; }
fn n1167<T>() { let _ = <rt::sync::broadcast::WeakSender<T>>::weak_count; }
fn n1168<T>(this: &rt::sync::broadcast::error::SendError<T>) { let _ = &this.0; }
fn n1169() { let _ = <rt::sync::futures::Notified<'_>>::enable; }
fn n1170() { let _ = <rt::sync::futures::OwnedNotified>::enable; }
fn n1171<T>() { let _ = <rt::sync::mpsc::OwnedPermit<T>>::release; }
fn n1172<T>() { let _ = <rt::sync::mpsc::OwnedPermit<T>>::same_channel; }
fn n1173<T>() { let _ = <rt::sync::mpsc::OwnedPermit<T>>::same_channel_as_sender; }
fn n1174<T>() { let _ = <rt::sync::mpsc::OwnedPermit<T>>::send; }
fn n1175<T>() { let _ = <rt::sync::mpsc::Permit<'_, T>>::send; }
fn n1176<T>() { let _ = <rt::sync::mpsc::Receiver<T>>::blocking_recv; }
fn n1177<T>() { let _ = <rt::sync::mpsc::Receiver<T>>::blocking_recv_many; }
fn n1178<T>() { let _ = <rt::sync::mpsc::Receiver<T>>::capacity; }
fn n1179<T>() { let _ = <rt::sync::mpsc::Receiver<T>>::close; }
fn n1180<T>() { let _ = <rt::sync::mpsc::Receiver<T>>::is_closed; }
fn n1181<T>() { let _ = <rt::sync::mpsc::Receiver<T>>::is_empty; }
fn n1182<T>() { let _ = <rt::sync::mpsc::Receiver<T>>::len; }
fn n1183<T>() { let _ = <rt::sync::mpsc::Receiver<T>>::max_capacity; }
fn n1184<T>() { let _ = <rt::sync::mpsc::Receiver<T>>::poll_recv; }
fn n1185<T>() { let _ = <rt::sync::mpsc::Receiver<T>>::poll_recv_many; }
fn n1186<T>() { let _ = <rt::sync::mpsc::Receiver<T>>::recv; }
fn n1187<T>() { let _ = <rt::sync::mpsc::Receiver<T>>::recv_many; }
fn n1188<T>() { let _ = <rt::sync::mpsc::Receiver<T>>::sender_strong_count; }
fn n1189<T>() { let _ = <rt::sync::mpsc::Receiver<T>>::sender_weak_count; }
fn n1190<T>() { let _ = <rt::sync::mpsc::Receiver<T>>::try_recv; }
fn n1191<T>() { let _ = <rt::sync::mpsc::Sender<T>>::blocking_send; }
fn n1192<T>() { let _ = <rt::sync::mpsc::Sender<T>>::capacity; }
fn n1193<T>() { let _ = <rt::sync::mpsc::Sender<T>>::closed; }
fn n1194<T>() { let _ = <rt::sync::mpsc::Sender<T>>::downgrade; }
fn n1195<T>() { let _ = <rt::sync::mpsc::Sender<T>>::is_closed; }
fn n1196<T>() { let _ = <rt::sync::mpsc::Sender<T>>::max_capacity; }
fn n1197<T>() { let _ = <rt::sync::mpsc::Sender<T>>::reserve; }
fn n1198<T>() { let _ = <rt::sync::mpsc::Sender<T>>::reserve_many; }
fn n1199<T>() { let _ = <rt::sync::mpsc::Sender<T>>::reserve_owned; }
fn n1200<T>() { let _ = <rt::sync::mpsc::Sender<T>>::same_channel; }
fn n1201<T>() { let _ = <rt::sync::mpsc::Sender<T>>::send; }
fn n1202<T>() { let _ = <rt::sync::mpsc::Sender<T>>::send_timeout; }
fn n1203<T>() { let _ = <rt::sync::mpsc::Sender<T>>::strong_count; }
fn n1204<T>() { let _ = <rt::sync::mpsc::Sender<T>>::try_reserve; }
fn n1205<T>() { let _ = <rt::sync::mpsc::Sender<T>>::try_reserve_many; }
fn n1206<T>() { let _ = <rt::sync::mpsc::Sender<T>>::try_reserve_owned; }
fn n1207<T>() { let _ = <rt::sync::mpsc::Sender<T>>::try_send; }
fn n1208<T>() { let _ = <rt::sync::mpsc::Sender<T>>::weak_count; }
fn n1209<T>() { let _ = <rt::sync::mpsc::UnboundedReceiver<T>>::blocking_recv; }
fn n1210<T>() { let _ = <rt::sync::mpsc::UnboundedReceiver<T>>::blocking_recv_many; }
fn n1211<T>() { let _ = <rt::sync::mpsc::UnboundedReceiver<T>>::close; }
fn n1212<T>() { let _ = <rt::sync::mpsc::UnboundedReceiver<T>>::is_closed; }
fn n1213<T>() { let _ = <rt::sync::mpsc::UnboundedReceiver<T>>::is_empty; }
fn n1214<T>() { let _ = <rt::sync::mpsc::UnboundedReceiver<T>>::len; }
fn n1215<T>() { let _ = <rt::sync::mpsc::UnboundedReceiver<T>>::poll_recv; }
fn n1216<T>() { let _ = <rt::sync::mpsc::UnboundedReceiver<T>>::poll_recv_many; }
fn n1217<T>() { let _ = <rt::sync::mpsc::UnboundedReceiver<T>>::recv; }
fn n1218<T>() { let _ = <rt::sync::mpsc::UnboundedReceiver<T>>::recv_many; }
fn n1219<T>() { let _ = <rt::sync::mpsc::UnboundedReceiver<T>>::sender_strong_count; }
fn n1220<T>() { let _ = <rt::sync::mpsc::UnboundedReceiver<T>>::sender_weak_count; }
fn n1221<T>() { let _ = <rt::sync::mpsc::UnboundedReceiver<T>>::try_recv; }
fn n1222<T>() { let _ = <rt::sync::mpsc::UnboundedSender<T>>::closed; }
fn n1223<T>() { let _ = <rt::sync::mpsc::UnboundedSender<T>>::downgrade; }
fn n1224<T>() { let _ = <rt::sync::mpsc::UnboundedSender<T>>::is_closed; }
fn n1225<T>() { let _ = <rt::sync::mpsc::UnboundedSender<T>>::same_channel; }
fn n1226<T>() { let _ = <rt::sync::mpsc::UnboundedSender<T>>::send; }
fn n1227<T>() { let _ = <rt::sync::mpsc::UnboundedSender<T>>::strong_count; }
fn n1228<T>() { let _ = <rt::sync::mpsc::UnboundedSender<T>>::weak_count; }
fn n1229<T>() { let _ = <rt::sync::mpsc::WeakSender<T>>::strong_count; }
fn n1230<T>() { let _ = <rt::sync::mpsc::WeakSender<T>>::upgrade; }
fn n1231<T>() { let _ = <rt::sync::mpsc::WeakSender<T>>::weak_count; }
fn n1232<T>() { let _ = <rt::sync::mpsc::WeakUnboundedSender<T>>::strong_count; }
fn n1233<T>() { let _ = <rt::sync::mpsc::WeakUnboundedSender<T>>::upgrade; }
fn n1234<T>() { let _ = <rt::sync::mpsc::WeakUnboundedSender<T>>::weak_count; }
fn n1235<T>(this: &rt::sync::mpsc::error::SendError<T>) { let _ = &this.0; }
fn n1236<T>() { let _ = <rt::sync::mpsc::error::SendTimeoutError<T>>::into_inner; }
fn n1237<T>() { let _ = <rt::sync::mpsc::error::TrySendError<T>>::into_inner; }
fn n1238<T>() { let _ = <rt::sync::oneshot::Receiver<T>>::blocking_recv; }
fn n1239<T>() { let _ = <rt::sync::oneshot::Receiver<T>>::close; }
fn n1240<T>() { let _ = <rt::sync::oneshot::Receiver<T>>::is_empty; }
fn n1241<T>() { let _ = <rt::sync::oneshot::Receiver<T>>::is_terminated; }
fn n1242<T>() { let _ = <rt::sync::oneshot::Receiver<T>>::try_recv; }
fn n1243<T>() { let _ = <rt::sync::oneshot::Sender<T>>::closed; }
fn n1244<T>() { let _ = <rt::sync::oneshot::Sender<T>>::is_closed; }
fn n1245<T>() { let _ = <rt::sync::oneshot::Sender<T>>::poll_closed; }
fn n1246<T>() { let _ = <rt::sync::oneshot::Sender<T>>::send; }
fn n1247<T>() { let _ = <rt::sync::watch::Receiver<T>>::borrow; }
fn n1248<T>() { let _ = <rt::sync::watch::Receiver<T>>::borrow_and_update; }
fn n1249<T>() { let _ = <rt::sync::watch::Receiver<T>>::changed; }
fn n1250<T>() { let _ = <rt::sync::watch::Receiver<T>>::has_changed; }
fn n1251<T>() { let _ = <rt::sync::watch::Receiver<T>>::is_closed; }
fn n1252<T>() { let _ = <rt::sync::watch::Receiver<T>>::mark_changed; }
fn n1253<T>() { let _ = <rt::sync::watch::Receiver<T>>::mark_unchanged; }
fn n1254<T>() { let _ = <rt::sync::watch::Receiver<T>>::same_channel; }
fn n1255<T, A1>() where A1: FnMut(&T) -> bool { let _ = |a0, a1: A1| <rt::sync::watch::Receiver<T>>::wait_for(a0, a1); }
fn n1256<'a, T>() where T: 'a { let _ = <rt::sync::watch::Ref<'a, T>>::has_changed; }
fn n1257<T>() { let _ = <rt::sync::watch::Sender<T>>::borrow; }
fn n1258<T>() { let _ = <rt::sync::watch::Sender<T>>::closed; }
fn n1259<T>() { let _ = <rt::sync::watch::Sender<T>>::is_closed; }
fn n1260<T>() { let _ = <rt::sync::watch::Sender<T>>::new; }
fn n1261<T>() { let _ = <rt::sync::watch::Sender<T>>::receiver_count; }
fn n1262<T>() { let _ = <rt::sync::watch::Sender<T>>::same_channel; }
fn n1263<T>() { let _ = <rt::sync::watch::Sender<T>>::send; }
fn n1264<T, F>() where F: FnOnce(&mut T) -> bool { let _ = <rt::sync::watch::Sender<T>>::send_if_modified::<F>; }
fn n1265<T, F>() where F: FnOnce(&mut T) { let _ = <rt::sync::watch::Sender<T>>::send_modify::<F>; }
fn n1266<T>() { let _ = <rt::sync::watch::Sender<T>>::send_replace; }
fn n1267<T>() { let _ = <rt::sync::watch::Sender<T>>::sender_count; }
fn n1268<T>() { let _ = <rt::sync::watch::Sender<T>>::subscribe; }
fn n1269<T>(this: &rt::sync::watch::error::SendError<T>) { let _ = &this.0; }
fn n1270() { let _ = <rt::task::AbortHandle>::abort; }
fn n1271() { let _ = <rt::task::AbortHandle>::id; }
fn n1272() { let _ = <rt::task::AbortHandle>::is_finished; }
fn n1273<'a>() { let _ = <rt::task::Builder<'a>>::name; }
fn n1274<'a>() { let _ = <rt::task::Builder<'a>>::new; }
fn n1275<'a, Fut>() where <Fut as Future>::Output: Send + 'static, Fut: Future + Send + 'static, Fut: 'a { let _ = <rt::task::Builder<'a>>::spawn::<Fut>; }
fn n1276<'a, Function, Output>() where Function: FnOnce() -> Output + Send + 'static, Output: Send + 'static, Function: 'a, Output: 'a { let _ = <rt::task::Builder<'a>>::spawn_blocking::<Function, Output>; }
fn n1277<'a, Function, Output>() where Function: FnOnce() -> Output + Send + 'static, Output: Send + 'static, Function: 'a, Output: 'a { let _ = <rt::task::Builder<'a>>::spawn_blocking_on::<Function, Output>; }
fn n1278<'a, Fut>() where <Fut as Future>::Output: 'static, Fut: Future + 'static, Fut: 'a { let _ = <rt::task::Builder<'a>>::spawn_local::<Fut>; }
fn n1279<'a, Fut>() where <Fut as Future>::Output: 'static, Fut: Future + 'static, Fut: 'a { let _ = <rt::task::Builder<'a>>::spawn_local_on::<Fut>; }
fn n1280<'a, Fut>() where <Fut as Future>::Output: Send + 'static, Fut: Future + Send + 'static, Fut: 'a { let _ = <rt::task::Builder<'a>>::spawn_on::<Fut>; }
fn n1281() { let _ = <rt::task::JoinError>::id; }
fn n1282() { let _ = <rt::task::JoinError>::into_panic; }
fn n1283() { let _ = <rt::task::JoinError>::is_cancelled; }
fn n1284() { let _ = <rt::task::JoinError>::is_panic; }
fn n1285() { let _ = <rt::task::JoinError>::try_into_panic; }
fn n1286<T>() { let _ = <rt::task::JoinHandle<T>>::abort; }
fn n1287<T>() { let _ = <rt::task::JoinHandle<T>>::abort_handle; }
fn n1288<T>() { let _ = <rt::task::JoinHandle<T>>::id; }
fn n1289<T>() { let _ = <rt::task::JoinHandle<T>>::is_finished; }
fn n1290<T>() where T: 'static { let _ = <rt::task::JoinSet<T>>::abort_all; }
fn n1291<T>() where T: 'static { let _ = <rt::task::JoinSet<T>>::build_task; }
fn n1292<T>() where T: 'static { let _ = <rt::task::JoinSet<T>>::detach_all; }
fn n1293<T>() { let _ = <rt::task::JoinSet<T>>::is_empty; }
fn n1294<T>() where T: 'static { let _ = <rt::task::JoinSet<T>>::join_all; }
fn n1295<T>() where T: 'static { let _ = <rt::task::JoinSet<T>>::join_next; }
fn n1296<T>() where T: 'static { let _ = <rt::task::JoinSet<T>>::join_next_with_id; }
fn n1297<T>() { let _ = <rt::task::JoinSet<T>>::len; }
fn n1298<T>() { let _ = <rt::task::JoinSet<T>>::new; }
fn n1299<T>() where T: 'static { let _ = <rt::task::JoinSet<T>>::poll_join_next; }
fn n1300<T>() where T: 'static { let _ = <rt::task::JoinSet<T>>::poll_join_next_with_id; }
fn n1301<T>() where T: 'static { let _ = <rt::task::JoinSet<T>>::shutdown; }
fn n1302<T, F>() where F: Future<Output = T> + Send + 'static, T: 'static, T: Send { let _ = <rt::task::JoinSet<T>>::spawn::<F>; }
fn n1303<T, F>() where F: FnOnce() -> T + Send + 'static, T: 'static, T: Send { let _ = <rt::task::JoinSet<T>>::spawn_blocking::<F>; }
fn n1304<T, F>() where F: FnOnce() -> T + Send + 'static, T: 'static, T: Send { let _ = <rt::task::JoinSet<T>>::spawn_blocking_on::<F>; }
fn n1305<T, F>() where F: Future<Output = T> + 'static, T: 'static { let _ = <rt::task::JoinSet<T>>::spawn_local::<F>; }
fn n1306<T, F>() where F: Future<Output = T> + 'static, T: 'static { let _ = <rt::task::JoinSet<T>>::spawn_local_on::<F>; }
fn n1307<T, F>() where F: Future<Output = T> + Send + 'static, T: 'static, T: Send { let _ = <rt::task::JoinSet<T>>::spawn_on::<F>; }
fn n1308<T>() where T: 'static { let _ = <rt::task::JoinSet<T>>::try_join_next; }
fn n1309<T>() where T: 'static { let _ = <rt::task::JoinSet<T>>::try_join_next_with_id; }
fn n1310<T>() where T: Clone + 'static { let _ = <rt::task::LocalKey<T>>::get; }
fn n1311<T, F>() where F: Future, T: 'static { let _ = <rt::task::LocalKey<T>>::scope::<F>; }
fn n1312<T, F, R>() where F: FnOnce() -> R, T: 'static { let _ = <rt::task::LocalKey<T>>::sync_scope::<F, R>; }
fn n1313<T>() where T: Clone + 'static { let _ = <rt::task::LocalKey<T>>::try_get; }
fn n1314<T, F, R>() where F: FnOnce(&T) -> R, T: 'static { let _ = <rt::task::LocalKey<T>>::try_with::<F, R>; }
fn n1315<T, F, R>() where F: FnOnce(&T) -> R, T: 'static { let _ = <rt::task::LocalKey<T>>::with::<F, R>; }
fn n1316<F>() where F: Future { let _ = <rt::task::LocalSet>::block_on::<F>; }
fn n1317() { let _ = <rt::task::LocalSet>::enter; }
fn n1318() { let _ = <rt::task::LocalSet>::id; }
fn n1319() { let _ = <rt::task::LocalSet>::new; }
fn n1320<F>() where F: Future { let _ = <rt::task::LocalSet>::run_until::<F>; }
fn n1321<F>() where <F as Future>::Output: 'static, F: Future + 'static { let _ = <rt::task::LocalSet>::spawn_local::<F>; }
fn n1322() { let _ = <rt::task::LocalSet>::unhandled_panic; }
fn n1323() { let _ = <rt::task::coop::RestoreOnPending>::made_progress; }
fn n1324<T, F>() where T: 'static { let _ = <rt::task::futures::TaskLocalFuture<T, F>>::take_value; }
fn n1325<'a, T>() where T: 'static, T: 'a { let _ = <rt::task::join_set::Builder<'a, T>>::name; }
fn n1326<'a, T, F>() where F: Future<Output = T> + Send + 'static, T: 'static, T: Send, T: 'a, F: 'a { let _ = <rt::task::join_set::Builder<'a, T>>::spawn::<F>; }
fn n1327<'a, T, F>() where F: FnOnce() -> T + Send + 'static, T: 'static, T: Send, T: 'a, F: 'a { let _ = <rt::task::join_set::Builder<'a, T>>::spawn_blocking::<F>; }
fn n1328<'a, T, F>() where F: FnOnce() -> T + Send + 'static, T: 'static, T: Send, T: 'a, F: 'a { let _ = <rt::task::join_set::Builder<'a, T>>::spawn_blocking_on::<F>; }
fn n1329<'a, T, F>() where F: Future<Output = T> + 'static, T: 'static, T: 'a, F: 'a { let _ = <rt::task::join_set::Builder<'a, T>>::spawn_local::<F>; }
fn n1330<'a, T, F>() where F: Future<Output = T> + 'static, T: 'static, T: 'a, F: 'a { let _ = <rt::task::join_set::Builder<'a, T>>::spawn_local_on::<F>; }
fn n1331<'a, T, F>() where F: Future<Output = T> + Send + 'static, T: 'static, T: Send, T: 'a, F: 'a { let _ = <rt::task::join_set::Builder<'a, T>>::spawn_on::<F>; }
fn n1332<T>() where T: 'static { let _ = <rt::task::JoinSet<T>>::abort_all; }
fn n1333<T>() where T: 'static { let _ = <rt::task::JoinSet<T>>::build_task; }
fn n1334<T>() where T: 'static { let _ = <rt::task::JoinSet<T>>::detach_all; }
fn n1335<T>() { let _ = <rt::task::JoinSet<T>>::is_empty; }
fn n1336<T>() where T: 'static { let _ = <rt::task::JoinSet<T>>::join_all; }
fn n1337<T>() where T: 'static { let _ = <rt::task::JoinSet<T>>::join_next; }
fn n1338<T>() where T: 'static { let _ = <rt::task::JoinSet<T>>::join_next_with_id; }
fn n1339<T>() { let _ = <rt::task::JoinSet<T>>::len; }
fn n1340<T>() { let _ = <rt::task::JoinSet<T>>::new; }
fn n1341<T>() where T: 'static { let _ = <rt::task::JoinSet<T>>::poll_join_next; }
fn n1342<T>() where T: 'static { let _ = <rt::task::JoinSet<T>>::poll_join_next_with_id; }
fn n1343<T>() where T: 'static { let _ = <rt::task::JoinSet<T>>::shutdown; }
fn n1344<T, F>() where F: Future<Output = T> + Send + 'static, T: 'static, T: Send { let _ = <rt::task::JoinSet<T>>::spawn::<F>; }
fn n1345<T, F>() where F: FnOnce() -> T + Send + 'static, T: 'static, T: Send { let _ = <rt::task::JoinSet<T>>::spawn_blocking::<F>; }
fn n1346<T, F>() where F: FnOnce() -> T + Send + 'static, T: 'static, T: Send { let _ = <rt::task::JoinSet<T>>::spawn_blocking_on::<F>; }
fn n1347<T, F>() where F: Future<Output = T> + 'static, T: 'static { let _ = <rt::task::JoinSet<T>>::spawn_local::<F>; }
fn n1348<T, F>() where F: Future<Output = T> + 'static, T: 'static { let _ = <rt::task::JoinSet<T>>::spawn_local_on::<F>; }
fn n1349<T, F>() where F: Future<Output = T> + Send + 'static, T: 'static, T: Send { let _ = <rt::task::JoinSet<T>>::spawn_on::<F>; }
fn n1350<T>() where T: 'static { let _ = <rt::task::JoinSet<T>>::try_join_next; }
fn n1351<T>() where T: 'static { let _ = <rt::task::JoinSet<T>>::try_join_next_with_id; }
fn n1352() { let _ = <rt::time::Instant>::checked_add; }
fn n1353() { let _ = <rt::time::Instant>::checked_duration_since; }
fn n1354() { let _ = <rt::time::Instant>::checked_sub; }
fn n1355() { let _ = <rt::time::Instant>::duration_since; }
fn n1356() { let _ = <rt::time::Instant>::elapsed; }
fn n1357() { let _ = <rt::time::Instant>::from_std; }
fn n1358() { let _ = <rt::time::Instant>::into_std; }
fn n1359() { let _ = <rt::time::Instant>::now; }
fn n1360() { let _ = <rt::time::Instant>::saturating_duration_since; }
fn n1361() { let _ = <rt::time::Interval>::missed_tick_behavior; }
fn n1362() { let _ = <rt::time::Interval>::period; }
fn n1363() { let _ = <rt::time::Interval>::poll_tick; }
fn n1364() { let _ = <rt::time::Interval>::reset; }
fn n1365() { let _ = <rt::time::Interval>::reset_after; }
fn n1366() { let _ = <rt::time::Interval>::reset_at; }
fn n1367() { let _ = <rt::time::Interval>::reset_immediately; }
fn n1368() { let _ = <rt::time::Interval>::set_missed_tick_behavior; }
fn n1369() { let _ = <rt::time::Interval>::tick; }
fn n1370() { let _ = <rt::time::Sleep>::deadline; }
fn n1371() { let _ = <rt::time::Sleep>::is_elapsed; }
fn n1372() { let _ = <rt::time::Sleep>::reset; }
fn n1373<T>() { let _ = <rt::time::Timeout<T>>::get_mut; }
fn n1374<T>() { let _ = <rt::time::Timeout<T>>::get_ref; }
fn n1375<T>() { let _ = <rt::time::Timeout<T>>::into_inner; }
fn n1376() { let _ = <rt::time::error::Error>::at_capacity; }
fn n1377() { let _ = <rt::time::error::Error>::invalid; }
fn n1378() { let _ = <rt::time::error::Error>::is_at_capacity; }
fn n1379() { let _ = <rt::time::error::Error>::is_invalid; }
fn n1380() { let _ = <rt::time::error::Error>::is_shutdown; }
fn n1381() { let _ = <rt::time::error::Error>::shutdown; }
