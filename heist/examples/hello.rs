//! A small HTTP/1.1 server: keep-alive, pipelining, and a clean end.
//!
//! ```text
//! cargo run --release --example hello            # port 3000
//! cargo run --release --example hello -- 8080
//! curl http://127.0.0.1:3000/
//! wrk -t2 -c64 -d5s http://127.0.0.1:3000/
//! ```
//!
//! Ctrl-C ends it: no new connections, a moment for those that are open, then a last line.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use heist::io::{self, AsyncReadExt, AsyncWriteExt};
use heist::net::{TcpListener, TcpStream};
use heist::sync::mpsc;
use heist::{signal, time};

/// How long a request line and its headers may be together. Also the size of a connection's buffer.
const MAX_HEAD: usize = 8 * 1024;
/// How long open connections may go on after Ctrl-C.
const GRACE: Duration = Duration::from_secs(2);
/// How long a client that was sent an error may take to read it.
const LINGER: Duration = Duration::from_millis(500);

const HELLO: &str = "Hello, world!\n";

/// What all connections share.
#[derive(Default)]
struct Server {
    stopping: AtomicBool,
    connections: AtomicU64,
    requests: AtomicU64,
}

#[heist::main]
async fn main() -> ExitCode {
    let port = match std::env::args().nth(1).as_deref().map(str::parse::<u16>) {
        None => 3000,
        Some(Ok(port)) => port,
        Some(Err(_)) => {
            eprintln!("usage: hello [port]");
            return ExitCode::FAILURE;
        }
    };
    match run(port).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("hello: port {port}: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(port: u16) -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    println!("listening on http://{}", listener.local_addr()?);

    let server = Arc::new(Server::default());
    // Nothing is ever sent: each connection holds a sender, so the channel closes with the last.
    let (open, mut all_closed) = mpsc::channel::<()>(1);
    let stop = signal::ctrl_c();
    heist::pin!(stop);
    loop {
        let stream = heist::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    // Out of file descriptors, or a peer that is gone again: neither is a reason
                    // to stop, and the first needs time to pass.
                    eprintln!("accept: {error}");
                    time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
            result = &mut stop => {
                result?;
                break;
            }
        };
        server.connections.fetch_add(1, Relaxed);
        let (server, open) = (Arc::clone(&server), open.clone());
        heist::spawn(async move {
            let _open = open;
            // A connection that breaks is the client's business.
            let _ = serve(stream, &server).await;
        });
    }

    println!("stopping");
    drop(listener);
    drop(open);
    server.stopping.store(true, Relaxed);
    let finished = heist::select! {
        _ = all_closed.recv() => "all connections finished",
        () = time::sleep(GRACE) => "some connections were cut off",
        _ = signal::ctrl_c() => "some connections were cut off",
    };
    println!(
        "stopped: {finished}; {} requests on {} connections",
        server.requests.load(Relaxed),
        server.connections.load(Relaxed),
    );
    Ok(())
}

/// Answers the requests of one connection until either side has had enough.
async fn serve(mut stream: TcpStream, server: &Server) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut input = Vec::with_capacity(MAX_HEAD);
    let mut output = Vec::new();
    // How much of `input` is known not to hold the end of a head.
    let mut searched = 0;
    // A request whose body is still coming in, and how much of it.
    let mut request: Option<(Request, u64)> = None;
    loop {
        // Everything that is there is answered by one write.
        let mut used = 0;
        let mut answered = 0;
        let mut outcome = Ok(());
        while outcome.is_ok() {
            let (head, body) = match request.take() {
                Some(request) => request,
                None => {
                    used += leading_newlines(&input[used..]);
                    let Some(end) = end_of_head(&input[used..], searched) else {
                        searched = (input.len() - used).saturating_sub(3);
                        if searched + 3 >= MAX_HEAD {
                            outcome = Err(Stop::With(Failure::HeadTooLarge));
                        }
                        break;
                    };
                    searched = 0;
                    let head = &input[used..used + end];
                    used += end;
                    match Request::parse(head) {
                        Ok(parsed) => {
                            let here = (input.len() - used) as u64;
                            if parsed.expects_continue && parsed.body > here {
                                output.extend_from_slice(b"HTTP/1.1 100 Continue\r\n\r\n");
                            }
                            let body = parsed.body;
                            (parsed, body)
                        }
                        Err(failure) => {
                            outcome = Err(Stop::With(failure));
                            break;
                        }
                    }
                }
            };
            let skipped = body.min((input.len() - used) as u64);
            used += skipped as usize;
            if skipped < body {
                request = Some((head, body - skipped));
                break;
            }
            let keep_alive = head.keep_alive && !server.stopping.load(Relaxed);
            respond(&mut output, "200 OK", HELLO, &head, keep_alive);
            answered += 1;
            if !keep_alive {
                outcome = Err(Stop::Politely);
            }
        }
        if let Err(Stop::With(failure)) = &outcome {
            failure.respond(&mut output);
        }
        if !output.is_empty() {
            server.requests.fetch_add(answered, Relaxed);
            stream.write_all(&output).await?;
            output.clear();
        }
        if outcome.is_err() {
            return finish(stream).await;
        }
        input.drain(..used);
        // There is room: a head that fills the buffer was refused above.
        if stream.read_buf(&mut input).await? == 0 {
            return Ok(());
        }
    }
}

/// Closes the connection so that the client gets to read the answer: to close a socket with
/// unread bytes would reset it.
async fn finish(mut stream: TcpStream) -> io::Result<()> {
    stream.shutdown().await?;
    let mut rest = [0; 1024];
    let drain = async { while matches!(stream.read(&mut rest).await, Ok(1..)) {} };
    let _ = time::timeout(LINGER, drain).await;
    Ok(())
}

/// Why a connection ends.
enum Stop {
    Politely,
    With(Failure),
}

/// What can be wrong with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Failure {
    BadRequest,
    HeadTooLarge,
    NotImplemented,
    VersionNotSupported,
}

impl Failure {
    fn respond(self, output: &mut Vec<u8>) {
        let status = match self {
            Self::BadRequest => "400 Bad Request",
            Self::HeadTooLarge => "431 Request Header Fields Too Large",
            Self::NotImplemented => "501 Not Implemented",
            Self::VersionNotSupported => "505 HTTP Version Not Supported",
        };
        respond(output, status, "", &Request::default(), false);
    }
}

/// What matters of a request.
#[derive(Debug, Default, PartialEq, Eq)]
struct Request {
    is_head: bool,
    is_http_1_0: bool,
    keep_alive: bool,
    expects_continue: bool,
    body: u64,
}

impl Request {
    /// Reads a request line and headers; `head` ends with the empty line.
    fn parse(head: &[u8]) -> Result<Self, Failure> {
        let mut lines = head.split(|&b| b == b'\n').map(|line| {
            // Up to the empty line every line has its line feed; the return before it is expected,
            // and forgiven if missing.
            line.strip_suffix(b"\r").unwrap_or(line)
        });
        let mut request = Self::parse_first_line(lines.next().unwrap_or_default())?;
        let (mut hosts, mut length, mut connection) = (0, None, Connection::default());
        for line in lines.take_while(|line| !line.is_empty()) {
            let colon = line.iter().position(|&b| b == b':');
            let (name, value) = line.split_at(colon.ok_or(Failure::BadRequest)?);
            let value = value[1..].trim_ascii();
            // A name is a token; this also refuses folded lines and blanks before the colon, with
            // which servers in a row can be made to disagree.
            if !is_token(name) || value.iter().any(|b| matches!(b, 0 | b'\r')) {
                return Err(Failure::BadRequest);
            }
            if name.eq_ignore_ascii_case(b"content-length") {
                let value = parse_length(value).ok_or(Failure::BadRequest)?;
                if length.replace(value).is_some_and(|other| other != value) {
                    return Err(Failure::BadRequest);
                }
            } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
                return Err(Failure::NotImplemented);
            } else if name.eq_ignore_ascii_case(b"connection") {
                connection.add(value);
            } else if name.eq_ignore_ascii_case(b"host") {
                hosts += 1;
            } else if name.eq_ignore_ascii_case(b"expect") {
                request.expects_continue =
                    !request.is_http_1_0 && value.eq_ignore_ascii_case(b"100-continue");
            }
        }
        if hosts > 1 || (hosts == 0 && !request.is_http_1_0) {
            return Err(Failure::BadRequest);
        }
        request.body = length.unwrap_or(0);
        request.keep_alive = !connection.close && (!request.is_http_1_0 || connection.keep_alive);
        Ok(request)
    }

    /// `METHOD target HTTP/1.x`
    fn parse_first_line(line: &[u8]) -> Result<Self, Failure> {
        let mut words = line.split(|&b| b == b' ');
        let (method, target, version) = (words.next(), words.next(), words.next());
        let (Some(method), Some(target), Some(version), None) =
            (method, target, version, words.next())
        else {
            return Err(Failure::BadRequest);
        };
        let clean = |b: &u8| b.is_ascii_graphic() || *b >= 0x80;
        if !is_token(method) || target.is_empty() || !target.iter().all(clean) {
            return Err(Failure::BadRequest);
        }
        let is_http_1_0 = match version {
            b"HTTP/1.1" => false,
            b"HTTP/1.0" => true,
            [b'H', b'T', b'T', b'P', b'/', b'0'..=b'9', b'.', b'0'..=b'9'] => {
                return Err(Failure::VersionNotSupported);
            }
            _ => return Err(Failure::BadRequest),
        };
        Ok(Self {
            is_head: method == b"HEAD",
            is_http_1_0,
            ..Self::default()
        })
    }
}

/// The options of the `Connection` headers that concern us.
#[derive(Default)]
struct Connection {
    close: bool,
    keep_alive: bool,
}

impl Connection {
    fn add(&mut self, value: &[u8]) {
        for option in value.split(|&b| b == b',').map(<[u8]>::trim_ascii) {
            self.close |= option.eq_ignore_ascii_case(b"close");
            self.keep_alive |= option.eq_ignore_ascii_case(b"keep-alive");
        }
    }
}

fn is_token(word: &[u8]) -> bool {
    let is_token_byte = |b: &u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(b);
    !word.is_empty() && word.iter().all(is_token_byte)
}

/// Digits and nothing else: `parse` would take a sign too.
fn parse_length(value: &[u8]) -> Option<u64> {
    if !value.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(value).ok()?.parse().ok()
}

/// Empty lines before a request are skipped: some clients send one after a body.
fn leading_newlines(input: &[u8]) -> usize {
    input
        .iter()
        .take_while(|b| matches!(b, b'\r' | b'\n'))
        .count()
}

/// Where the head ends, its empty line included. The first `searched` bytes need no second look.
fn end_of_head(input: &[u8], searched: usize) -> Option<usize> {
    let from = searched.min(input.len());
    let mut rest = from;
    while let Some(newline) = input[rest..].iter().position(|&b| b == b'\n') {
        rest += newline + 1;
        match input[rest..] {
            [b'\n', ..] => return Some(rest + 1),
            [b'\r', b'\n', ..] => return Some(rest + 2),
            _ => {}
        }
    }
    None
}

fn respond(output: &mut Vec<u8>, status: &str, body: &str, request: &Request, keep_alive: bool) {
    let connection = match (keep_alive, request.is_http_1_0) {
        (false, _) => "connection: close\r\n",
        (true, true) => "connection: keep-alive\r\n",
        (true, false) => "",
    };
    let length = body.len();
    // A Vec takes whatever is written to it.
    let _ = std::io::Write::write_fmt(
        output,
        format_args!(
            "HTTP/1.1 {status}\r\ncontent-type: text/plain\r\ncontent-length: {length}\r\n{connection}\r\n"
        ),
    );
    if !request.is_head {
        output.extend_from_slice(body.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(head: &str) -> Result<Request, Failure> {
        assert_eq!(end_of_head(head.as_bytes(), 0), Some(head.len()));
        Request::parse(head.as_bytes())
    }

    #[test]
    fn requests_that_are_right() {
        let get = parse("GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
        assert!(get.keep_alive && !get.is_head && get.body == 0);
        assert!(parse("HEAD /x?y HTTP/1.1\nhost:\n\n").unwrap().is_head);
        let post =
            "POST / HTTP/1.1\r\nHost: a\r\ncontent-LENGTH:  12 \r\nExpect: 100-Continue\r\n\r\n";
        let post = parse(post).unwrap();
        assert!(post.body == 12 && post.expects_continue);
        let close = "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, Close\r\n\r\n";
        assert!(!parse(close).unwrap().keep_alive);
        assert!(!parse("GET / HTTP/1.0\r\n\r\n").unwrap().keep_alive);
        let keep = "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
        assert!(parse(keep).unwrap().keep_alive);
    }

    #[test]
    fn requests_that_are_wrong() {
        use Failure::{BadRequest, NotImplemented, VersionNotSupported};
        for (head, failure) in [
            ("GET /\r\n\r\n", BadRequest),
            ("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", BadRequest),
            ("G@T / HTTP/1.1\r\nHost: a\r\n\r\n", BadRequest),
            ("GET / HTTP/1.1\r\n\r\n", BadRequest),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", BadRequest),
            ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", BadRequest),
            ("GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", BadRequest),
            ("GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", BadRequest),
            (
                "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n",
                BadRequest,
            ),
            (
                "GET / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n",
                BadRequest,
            ),
            (
                "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                BadRequest,
            ),
            (
                "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n",
                BadRequest,
            ),
            (
                "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
                NotImplemented,
            ),
            ("GET / HTTP/2.0\r\n\r\n", VersionNotSupported),
            ("GET / HTTQ/1.1\r\n\r\n", BadRequest),
        ] {
            assert_eq!(parse(head), Err(failure), "{head:?}");
        }
    }

    #[test]
    fn the_end_is_found_whatever_was_searched_before() {
        for head in ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET /\n\n"] {
            let request = format!("{head}GET");
            for cut in 0..head.len() {
                assert_eq!(end_of_head(&head.as_bytes()[..cut], 0), None);
                let searched = cut.saturating_sub(3);
                let end = end_of_head(request.as_bytes(), searched);
                assert_eq!(end, Some(head.len()), "cut at {cut}");
            }
        }
    }
}
