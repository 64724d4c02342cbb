//! Accounts in a database: sqlx, the same on PostgreSQL and on SQLite.

use std::time::Duration;

use sqlx::AnyPool;
use sqlx::any::{AnyPoolOptions, install_default_drivers};
use sqlx::migrate::Migrator;

static MIGRATIONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations");

/// What may go wrong with a transfer.
#[derive(Debug)]
pub enum Error {
    /// There is not so much in the account, or no such account.
    Refused,
    /// The database says no.
    Database(sqlx::Error),
}

impl<E: Into<sqlx::Error>> From<E> for Error {
    fn from(error: E) -> Self {
        Self::Database(error.into())
    }
}

/// Accounts and what is in them.
#[derive(Clone, Debug)]
pub struct Store {
    pool: AnyPool,
}

impl Store {
    /// Opens a pool of up to `connections`, and brings the tables up to date.
    pub async fn open(url: &str, connections: u32) -> Result<Self, Error> {
        install_default_drivers();
        let pool = AnyPoolOptions::new()
            .max_connections(connections)
            .acquire_timeout(Duration::from_secs(60))
            .connect(url)
            .await?;
        Migrator::new(std::path::Path::new(MIGRATIONS))
            .await?
            .run(&pool)
            .await?;
        Ok(Self { pool })
    }

    /// The pool.
    pub fn pool(&self) -> &AnyPool {
        &self.pool
    }

    /// Makes an account.
    pub async fn create(&self, id: i64, balance: i64) -> Result<(), Error> {
        sqlx::query("INSERT INTO accounts (id, balance) VALUES ($1, $2)")
            .bind(id)
            .bind(balance)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// What is in an account.
    pub async fn balance(&self, id: i64) -> Result<i64, Error> {
        let query = sqlx::query_scalar("SELECT balance FROM accounts WHERE id = $1").bind(id);
        Ok(query.fetch_one(&self.pool).await?)
    }

    /// What is in all of them.
    pub async fn total(&self) -> Result<i64, Error> {
        let query = sqlx::query_scalar("SELECT CAST(SUM(balance) AS BIGINT) FROM accounts");
        Ok(query.fetch_one(&self.pool).await?)
    }

    /// How many transfers there were.
    pub async fn transfers(&self) -> Result<i64, Error> {
        Ok(sqlx::query_scalar("SELECT COUNT(*) FROM transfers")
            .fetch_one(&self.pool)
            .await?)
    }

    /// Moves money, or does nothing at all.
    pub async fn transfer(&self, source: i64, target: i64, amount: i64) -> Result<(), Error> {
        let mut transaction = self.pool.begin().await?;
        sqlx::query("INSERT INTO transfers (source, target, amount) VALUES ($1, $2, $3)")
            .bind(source)
            .bind(target)
            .bind(amount)
            .execute(&mut *transaction)
            .await?;
        // The smaller id first, always: whoever locks two accounts locks them in this order.
        let mut changes = [(source, -amount), (target, amount)];
        changes.sort_unstable();
        for (id, change) in changes {
            let changed = sqlx::query(
                "UPDATE accounts SET balance = balance + $1 WHERE id = $2 AND balance + $1 >= 0",
            )
            .bind(change)
            .bind(id)
            .execute(&mut *transaction)
            .await?;
            if changed.rows_affected() != 1 {
                // Dropped with no commit, the transaction is rolled back.
                return Err(Error::Refused);
            }
        }
        transaction.commit().await?;
        Ok(())
    }
}
