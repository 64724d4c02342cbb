//! What people do with Redis: pipelines, pub/sub, and a connection that comes back by itself.

use std::time::Duration;

use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{AsyncCommands, Client, RedisResult};

/// Counters of page visits.
#[derive(Clone)]
pub struct Visits {
    redis: ConnectionManager,
}

impl Visits {
    /// Connects. When the connection breaks, the next command makes a new one.
    pub async fn connect(url: &str) -> RedisResult<Self> {
        let config = ConnectionManagerConfig::new()
            .set_number_of_retries(20)
            .set_min_delay(Duration::from_millis(10))
            .set_max_delay(Duration::from_millis(200))
            .set_connection_timeout(Some(Duration::from_secs(10)))
            .set_response_timeout(Some(Duration::from_secs(30)));
        let redis = ConnectionManager::new_with_config(Client::open(url)?, config).await?;
        Ok(Self { redis })
    }

    /// Counts a visit of each page in one round trip, and says how many each has had.
    pub async fn visit(&self, pages: &[&str]) -> RedisResult<Vec<u64>> {
        let mut pipeline = redis::pipe();
        pipeline.atomic();
        for page in pages {
            pipeline.incr(format!("visits:{page}"), 1);
        }
        pipeline.query_async(&mut self.redis.clone()).await
    }

    /// How many visits a page has had.
    pub async fn count(&self, page: &str) -> RedisResult<u64> {
        let count: Option<u64> = self.redis.clone().get(format!("visits:{page}")).await?;
        Ok(count.unwrap_or(0))
    }

    /// Tells everyone who listens, and says how many those are.
    pub async fn announce(&self, channel: &str, text: &str) -> RedisResult<usize> {
        self.redis.clone().publish(channel, text).await
    }

    /// The name that the server has for this connection.
    pub async fn connection_id(&self) -> RedisResult<u64> {
        redis::cmd("CLIENT")
            .arg("ID")
            .query_async(&mut self.redis.clone())
            .await
    }
}
