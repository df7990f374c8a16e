//! Other programs on a NATS server: its protocol by hand, as far as the suite needs it.

use std::net::Ipv4Addr;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// Publishes on a NATS server, and returns when the server has it.
///
/// # Panics
/// The server does not take it.
pub async fn nats_publish(port: u16, subject: &str, payload: &[u8]) {
    let mut socket = BufReader::new(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.expect("the server listens"));
    let mut command = format!("CONNECT {{\"verbose\":false}}\r\nPUB {subject} {}\r\n", payload.len()).into_bytes();
    command.extend_from_slice(payload);
    command.extend(b"\r\nPING\r\n");
    socket.write_all(&command).await.expect("the server reads");
    loop {
        let line = read_line(&mut socket).await;
        assert!(!line.starts_with("-ERR"), "NATS says {line}");
        if line == "PONG" {
            return;
        }
    }
}

async fn read_line(socket: &mut BufReader<TcpStream>) -> String {
    let mut line = String::new();
    let read = socket.read_line(&mut line).await.expect("the server answers");
    assert!(read > 0, "the server closed the connection");
    line.trim_end().to_owned()
}
