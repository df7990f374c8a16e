//! `--redis` and `--nats`: what is emitted here is heard in other processes, for which `broadcast` is an example.

use std::error::Error;

use oyez::{EventBus, Link};

use crate::cli::Args;

const PREFIX: &str = "webhooks";

/// Joins the bus to those who share its servers: to none, one, or both.
pub async fn attach(bus: &EventBus, args: &Args) -> Result<Vec<Link>, Box<dyn Error>> {
    let mut links = Vec::new();
    if let Some(url) = &args.redis {
        links.push(over_redis(bus, url, PREFIX).await?);
    }
    if let Some(url) = &args.nats {
        links.push(over_nats(bus, url, PREFIX).await?);
    }
    Ok(links)
}

#[cfg(feature = "redis")]
async fn over_redis(bus: &EventBus, url: &str, prefix: &str) -> Result<Link, Box<dyn Error>> {
    let transport = oyez::RedisTransport::connect(url, prefix).await?;
    Ok(bus.attach(transport).await?)
}

#[cfg(not(feature = "redis"))]
async fn over_redis(_: &EventBus, _: &str, _: &str) -> Result<Link, Box<dyn Error>> {
    Err("--redis needs the feature `redis`: run cargo with `--features redis`".into())
}

#[cfg(feature = "nats")]
async fn over_nats(bus: &EventBus, url: &str, prefix: &str) -> Result<Link, Box<dyn Error>> {
    let transport = oyez::NatsTransport::connect(url, prefix).await?;
    Ok(bus.attach(transport).await?)
}

#[cfg(not(feature = "nats"))]
async fn over_nats(_: &EventBus, _: &str, _: &str) -> Result<Link, Box<dyn Error>> {
    Err("--nats needs the feature `nats`: run cargo with `--features nats`".into())
}
