//! Accounts in a database: sqlx, on PostgreSQL and on SQLite.
