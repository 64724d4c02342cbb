//! The same on both databases, and what only PostgreSQL can do.
//!
//! PostgreSQL is where `DATABASE_URL` says; `compat/apps/run` starts one.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use sqlx::postgres::{PgListener, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection, PgConnection, PgPool};
use store::{Error, Store};
use tokio::task::JoinSet;
use tokio::time::timeout;

const LIMIT: Duration = Duration::from_secs(120);

#[test]
fn no_real_tokio() {
    guard::assert_no_other_tokio();
}

fn server() -> String {
    std::env::var("DATABASE_URL")
        .expect("DATABASE_URL names a PostgreSQL to test with; compat/apps/run starts one")
}

/// A database of its own on the server, dropped at the end.
struct Database {
    name: String,
    url: String,
}

impl Database {
    async fn create() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("heist_{}_{number}", std::process::id());
        let server = server();
        let mut connection = PgConnection::connect(&server)
            .await
            .expect("the server is there");
        let create = AssertSqlSafe(format!("CREATE DATABASE {name}"));
        sqlx::raw_sql(create)
            .execute(&mut connection)
            .await
            .unwrap();
        let (start, _) = server.rsplit_once('/').expect("a URL with a database");
        Self {
            url: format!("{start}/{name}"),
            name,
        }
    }

    async fn pool(&self, connections: u32) -> PgPool {
        let options = PgPoolOptions::new().max_connections(connections);
        options
            .acquire_timeout(LIMIT)
            .connect(&self.url)
            .await
            .unwrap()
    }

    async fn drop(self) {
        let mut connection = PgConnection::connect(&server()).await.unwrap();
        let drop = AssertSqlSafe(format!("DROP DATABASE {} WITH (FORCE)", self.name));
        sqlx::raw_sql(drop).execute(&mut connection).await.unwrap();
    }
}

/// Money moves between ten accounts, from eight sides at once, and none is lost or made.
async fn accounts(url: &str) {
    let store = Store::open(url, 5).await.unwrap();
    // Migrations that have run do not run again.
    drop(Store::open(url, 1).await.unwrap());
    for id in 0..10 {
        store.create(id, 100).await.unwrap();
    }
    assert!(
        matches!(store.create(3, 0).await, Err(Error::Database(_))),
        "taken"
    );
    let mut movers = JoinSet::new();
    for mover in 0..8 {
        let store = store.clone();
        movers.spawn(async move {
            let (mut moved, mut refused) = (0, 0);
            for step in 0..25_i64 {
                let source = (mover * 7 + step * 3) % 10;
                let target = (source + 1 + step % 9) % 10;
                match store.transfer(source, target, 1 + step * 3).await {
                    Ok(()) => moved += 1,
                    Err(Error::Refused) => refused += 1,
                    Err(error) => panic!("{error:?}"),
                }
            }
            (moved, refused)
        });
    }
    let done = timeout(LIMIT, movers.join_all())
        .await
        .expect("nobody waits for ever");
    let (moved, refused) = done
        .iter()
        .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    assert_eq!(moved + refused, 200);
    assert_eq!(store.total().await.unwrap(), 1_000);
    assert_eq!(
        store.transfers().await.unwrap(),
        moved,
        "what was refused left nothing"
    );
    for id in 0..10 {
        assert!(store.balance(id).await.unwrap() >= 0);
    }

    // A transaction that is dropped in the middle was never there.
    let before = store.balance(0).await.unwrap();
    let mut transaction = store.pool().begin().await.unwrap();
    sqlx::query("UPDATE accounts SET balance = balance + 5 WHERE id = 0")
        .execute(&mut *transaction)
        .await
        .unwrap();
    drop(transaction);
    assert_eq!(store.balance(0).await.unwrap(), before);
    timeout(LIMIT, store.pool().close())
        .await
        .expect("the pool closes");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn accounts_on_postgresql() {
    let database = Database::create().await;
    accounts(&database.url).await;
    database.drop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn accounts_on_sqlite() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("accounts.db");
    accounts(&format!("sqlite://{}?mode=rwc", path.display())).await;
}

#[tokio::test]
async fn accounts_on_sqlite_and_one_thread() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("accounts.db");
    accounts(&format!("sqlite://{}?mode=rwc", path.display())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn notifications_come_in_order() {
    let database = Database::create().await;
    let pool = database.pool(3).await;
    let mut listener = PgListener::connect_with(&pool).await.unwrap();
    listener.listen("news").await.unwrap();
    let speaking = tokio::spawn({
        let pool = pool.clone();
        async move {
            for number in 0..300 {
                sqlx::query("SELECT pg_notify('news', $1)")
                    .bind(number.to_string())
                    .execute(&pool)
                    .await
                    .unwrap();
            }
        }
    });
    for number in 0..300 {
        let news = timeout(LIMIT, listener.recv())
            .await
            .expect("it comes")
            .unwrap();
        assert_eq!(
            (news.channel(), news.payload()),
            ("news", &*number.to_string())
        );
    }
    speaking.await.unwrap();
    // What is told in a transaction that is rolled back was not told.
    let mut transaction = pool.begin().await.unwrap();
    sqlx::query("SELECT pg_notify('news', 'lie')")
        .execute(&mut *transaction)
        .await
        .unwrap();
    transaction.rollback().await.unwrap();
    sqlx::query("SELECT pg_notify('news', 'truth')")
        .execute(&pool)
        .await
        .unwrap();
    let news = timeout(LIMIT, listener.recv())
        .await
        .expect("it comes")
        .unwrap();
    assert_eq!(news.payload(), "truth");
    drop(listener);
    pool.close().await;
    database.drop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_pool_makes_wait_and_a_cancelled_query_harms_nobody() {
    let database = Database::create().await;
    let pool = database.pool(2).await;
    let first = pool.acquire().await.unwrap();
    let second = pool.acquire().await.unwrap();
    assert!(
        timeout(Duration::from_millis(50), pool.acquire())
            .await
            .is_err(),
        "both are taken"
    );
    let waiting = tokio::spawn({
        let pool = pool.clone();
        async move { pool.acquire().await.map(drop) }
    });
    drop(first);
    timeout(LIMIT, waiting)
        .await
        .expect("one is free again")
        .unwrap()
        .unwrap();
    drop(second);

    // Queries are given up while the server is at them; the pool has connections all the same.
    let began = Instant::now();
    for _ in 0..5 {
        let slow = sqlx::query("SELECT pg_sleep(1)").execute(&pool);
        assert!(timeout(Duration::from_millis(20), slow).await.is_err());
    }
    let mut queries = JoinSet::new();
    for number in 0..20_i32 {
        let pool = pool.clone();
        queries.spawn(async move {
            let query = sqlx::query_scalar::<_, i32>("SELECT $1 + 1").bind(number);
            assert_eq!(query.fetch_one(&pool).await.unwrap(), number + 1);
        });
    }
    timeout(LIMIT, queries.join_all())
        .await
        .expect("the pool works");
    assert!(began.elapsed() < Duration::from_secs(60));
    pool.close().await;
    database.drop().await;
}
