//! Each test has a `redis-server` of its own, as a child process.

use std::net::TcpListener;
use std::process::Stdio;
use std::time::Duration;

use cache::Visits;
use futures_util::StreamExt;
use redis::aio::MultiplexedConnection;
use redis::{AsyncCommands, Client};
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

const LIMIT: Duration = Duration::from_secs(120);

#[test]
fn no_real_tokio() {
    guard::assert_no_other_tokio();
}

struct Redis {
    child: Child,
    port: u16,
    directory: TempDir,
}

impl Redis {
    async fn start() -> Self {
        // The kernel gives each listener another port, and does not give one again at once.
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let directory = tempfile::tempdir().unwrap();
        let child = Self::launch(port, &directory).await;
        Self {
            child,
            port,
            directory,
        }
    }

    async fn launch(port: u16, directory: &TempDir) -> Child {
        let mut child = Command::new("redis-server")
            .args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "yes"])
            .args([
                "--appendfsync",
                "always",
                "--port",
                &port.to_string(),
                "--dir",
            ])
            .arg(directory.path())
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("redis-server is installed; compat/apps/run installs it");
        let client = Client::open(format!("redis://127.0.0.1:{port}")).unwrap();
        let up = async {
            while client.get_multiplexed_async_connection().await.is_err() {
                assert!(
                    child.try_wait().unwrap().is_none(),
                    "redis-server has ended"
                );
                sleep(Duration::from_millis(10)).await;
            }
        };
        timeout(LIMIT, up).await.expect("redis-server answers");
        child
    }

    fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    async fn connection(&self) -> MultiplexedConnection {
        let client = Client::open(self.url()).unwrap();
        client.get_multiplexed_async_connection().await.unwrap()
    }

    async fn kill(&mut self) {
        self.child.kill().await.unwrap();
        assert!(!self.child.wait().await.unwrap().success());
    }

    async fn restart(&mut self) {
        self.child = Self::launch(self.port, &self.directory).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pipelines_from_many_tasks_over_one_connection() {
    let redis = Redis::start().await;
    let visits = Visits::connect(&redis.url()).await.unwrap();
    let mut visitors = JoinSet::new();
    for visitor in 0..50 {
        let visits = visits.clone();
        visitors.spawn(async move {
            let own = format!("page-{visitor}");
            for visit in 1..=20 {
                let counts = visits.visit(&["home", &own, "home"]).await.unwrap();
                assert_eq!(counts[1], visit);
                assert_eq!(
                    counts[2],
                    counts[0] + 1,
                    "nothing comes between: it is atomic"
                );
            }
        });
    }
    timeout(LIMIT, visitors.join_all()).await.unwrap();
    assert_eq!(visits.count("home").await.unwrap(), 2_000);

    // A pipeline of ten thousand, and a value larger than any buffer.
    let mut connection = redis.connection().await;
    let mut pipeline = redis::pipe();
    for number in 0..10_000 {
        pipeline.rpush("list", number).ignore();
    }
    pipeline.lrange("list", 0, -1);
    let (list,): (Vec<u32>,) = pipeline.query_async(&mut connection).await.unwrap();
    assert!(list.into_iter().eq(0..10_000));
    let large = "x".repeat(3_000_000);
    let () = connection.set("large", &large).await.unwrap();
    assert!(connection.get::<_, String>("large").await.unwrap() == large);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_published_comes_to_all_in_order() {
    let redis = Redis::start().await;
    let visits = Visits::connect(&redis.url()).await.unwrap();
    let client = Client::open(redis.url()).unwrap();
    let mut listeners = JoinSet::new();
    for _ in 0..10 {
        let mut pubsub = client.get_async_pubsub().await.unwrap();
        pubsub.subscribe("news").await.unwrap();
        listeners.spawn(async move {
            let mut messages = pubsub.on_message();
            for number in 0..200_u32 {
                let message = messages.next().await.expect("the server is there");
                assert_eq!(message.get_payload::<u32>().unwrap(), number);
            }
        });
    }
    for number in 0..200 {
        assert_eq!(
            visits.announce("news", &number.to_string()).await.unwrap(),
            10
        );
    }
    timeout(LIMIT, listeners.join_all()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_is_cut_comes_back() {
    let redis = Redis::start().await;
    let visits = Visits::connect(&redis.url()).await.unwrap();
    let mut other = redis.connection().await;
    let mut ids = Vec::new();
    for _ in 0..5 {
        let id = visits.connection_id().await.unwrap();
        assert!(!ids.contains(&id), "another connection than before");
        let killed: u32 = redis::cmd("CLIENT")
            .arg(&["KILL", "ID"])
            .arg(id)
            .query_async(&mut other)
            .await
            .unwrap();
        assert_eq!(killed, 1);
        ids.push(id);
        // The command that finds the connection cut fails; soon after, there is another one.
        let back = async {
            while visits.visit(&["home"]).await.is_err() {
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(LIMIT, back).await.expect("it comes back");
    }
    assert!(visits.count("home").await.unwrap() >= 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_killed_and_started_again() {
    let mut redis = Redis::start().await;
    let visits = Visits::connect(&redis.url()).await.unwrap();
    assert_eq!(visits.visit(&["home"]).await.unwrap(), [1]);
    redis.kill().await;
    let failed = timeout(LIMIT, visits.count("home"))
        .await
        .expect("an error, not a wait");
    assert!(failed.is_err());
    redis.restart().await;
    let back = async {
        loop {
            match visits.count("home").await {
                Ok(count) => return count,
                Err(_) => sleep(Duration::from_millis(5)).await,
            }
        }
    };
    let count = timeout(LIMIT, back).await.expect("it comes back");
    assert_eq!(count, 1, "what was written is still there");
    assert_eq!(visits.visit(&["home"]).await.unwrap(), [2]);
}
