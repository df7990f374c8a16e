//! An axum handler that emits. The program sends itself one request, prints the response, and ends.

#![expect(clippy::print_stdout, reason = "the example shows what happens")]

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use oyez::{Event, EventBus};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "user.created")]
struct UserCreated {
    email: String,
}

#[derive(Deserialize)]
struct SignUp {
    email: String,
}

/// axum drops a handler's future when the client hangs up, and an `emit` inside of it with all that waits.
/// A detached one goes on, and the client need not wait for the subscribers.
async fn sign_up(State(bus): State<EventBus>, Json(form): Json<SignUp>) -> (StatusCode, String) {
    let answer = format!("welcome {}\n", form.email);
    match bus.emit_detached(UserCreated { email: form.email }) {
        Ok(_) => (StatusCode::CREATED, answer),
        Err(error) => (StatusCode::SERVICE_UNAVAILABLE, format!("{error}\n")),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = EventBus::new();
    bus.on(async |user: Arc<UserCreated>| {
        tokio::time::sleep(Duration::from_millis(20)).await;
        println!("mail sent to {}", user.email);
    });

    let app = Router::new().route("/users", post(sign_up)).with_state(bus.clone());
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let (stop, stopped) = oneshot::channel::<()>();
    let server = axum::serve(listener, app).with_graceful_shutdown(async { _ = stopped.await });
    let server = tokio::spawn(server.into_future());

    println!("{}", request(address, r#"{"email":"ada@example.com"}"#).await?.trim_end());

    // First no more requests, then no more events: what the last request emitted is still handled.
    drop(stop);
    server.await??;
    let report = bus.shutdown(Duration::from_secs(5)).await;
    println!("all handled: {}", report.is_clean());
    Ok(())
}

async fn request(address: SocketAddr, json: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    let head = "POST /users HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json";
    stream.write_all(format!("{head}\r\ncontent-length: {}\r\n\r\n{json}", json.len()).as_bytes()).await?;
    let mut response = String::new();
    stream.read_to_string(&mut response).await?;
    Ok(response)
}
