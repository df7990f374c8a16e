//! [`NatsServer`] and [`NatsCluster`]: NATS for one test.

use std::path::PathBuf;
use std::time::Duration;
use std::{env, fs, process};

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use super::process::{Process, free_port, wait_for_port};

const TOGETHER_WITHIN: Duration = Duration::from_secs(20);

/// A NATS server on a free port of the loopback interface, killed when it is dropped.
#[derive(Debug)]
pub struct NatsServer {
    process: Process,
    args: Vec<String>,
    port: u16,
    monitor: u16,
    config: Option<PathBuf>,
}

impl NatsServer {
    /// A server that lets everybody in.
    ///
    /// # Panics
    /// `nats-server` is not installed, or does not start.
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// A server with further arguments, such as `["--auth", "token"]`.
    ///
    /// # Panics
    /// As [`start`](Self::start).
    pub async fn start_with(args: &[&str]) -> Self {
        Self::run(args.iter().map(ToString::to_string).collect(), None).await
    }

    /// A server with the text of a configuration file, without ports.
    ///
    /// # Panics
    /// As [`start`](Self::start), or the file cannot be written.
    pub async fn start_configured(config: &str) -> Self {
        let path = env::temp_dir().join(format!("oyez-nats-{}-{:016x}.conf", process::id(), fastrand::u64(..)));
        fs::write(&path, config).expect("a temporary file");
        Self::run(vec!["-c".to_owned(), path.display().to_string()], Some(path)).await
    }

    async fn run(mut args: Vec<String>, config: Option<PathBuf>) -> Self {
        let (port, monitor) = (free_port().await, free_port().await);
        for (name, value) in [("-a", "127.0.0.1".to_owned()), ("-p", port.to_string()), ("-m", monitor.to_string())] {
            args.extend([name.to_owned(), value]);
        }
        let process = Process::start("nats-server", &args);
        let server = Self { process, args, port, monitor, config };
        server.wait().await;
        server
    }

    async fn wait(&self) {
        wait_for_port(self.port).await;
        wait_for_port(self.monitor).await;
    }

    /// Where nodes connect to.
    #[must_use]
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// The port that nodes connect to.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Ends the server with SIGKILL.
    pub fn kill(&mut self) {
        self.process.kill();
    }

    /// Freezes the server: connections stay open and nothing answers.
    ///
    /// # Panics
    /// The signal cannot be sent.
    pub fn stop(&self) {
        self.process.stop();
    }

    /// Lets the server go on after [`stop`](Self::stop).
    ///
    /// # Panics
    /// The signal cannot be sent.
    pub fn cont(&self) {
        self.process.cont();
    }

    /// Replaces the text of the configuration file; the server reads it at the next [`restart`](Self::restart).
    ///
    /// # Panics
    /// It was started without one.
    pub fn configure(&self, config: &str) {
        let path = self.config.as_ref().expect("a server with a configuration file");
        fs::write(path, config).expect("the file can be written");
    }

    /// Starts the server again after [`kill`](Self::kill), on the same port.
    ///
    /// # Panics
    /// As [`start`](Self::start).
    pub async fn restart(&mut self) {
        self.kill();
        self.process = Process::start("nats-server", &self.args);
        self.wait().await;
    }

    /// How many clients are connected.
    ///
    /// # Panics
    /// The server does not tell.
    pub async fn connections(&self) -> usize {
        self.clients().await.len()
    }

    /// The subjects that the clients are subscribed to, one for each subscription.
    ///
    /// # Panics
    /// The server does not tell.
    pub async fn subscriptions(&self) -> Vec<String> {
        let clients = self.clients().await;
        let lists = clients.iter().filter_map(|client| client["subscriptions_list"].as_array());
        lists.flatten().filter_map(|subject| subject.as_str().map(str::to_owned)).collect()
    }

    async fn clients(&self) -> Vec<Value> {
        let mut answer = self.monitor("connz?subs=1").await;
        match answer["connections"].take() {
            Value::Array(clients) => clients,
            _ => Vec::new(),
        }
    }

    /// What the monitoring says under `path`, such as `varz`.
    ///
    /// # Panics
    /// Nothing that is JSON.
    pub async fn monitor(&self, path: &str) -> Value {
        let mut socket = TcpStream::connect(("127.0.0.1", self.monitor)).await.expect("the monitoring port");
        let request = format!("GET /{path} HTTP/1.0\r\n\r\n");
        socket.write_all(request.as_bytes()).await.expect("a request");
        let mut answer = String::new();
        socket.read_to_string(&mut answer).await.expect("an answer");
        let (_, body) = answer.split_once("\r\n\r\n").expect("an HTTP answer");
        serde_json::from_str(body).expect("JSON")
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        if let Some(config) = &self.config {
            _ = fs::remove_file(config);
        }
    }
}

/// Servers that are connected to each other.
#[derive(Debug)]
pub struct NatsCluster {
    /// Each may be killed alone.
    pub servers: Vec<NatsServer>,
}

impl NatsCluster {
    /// Starts servers, and returns when each knows all the others.
    ///
    /// # Panics
    /// As [`NatsServer::start`], or they do not find each other.
    pub async fn start(size: usize) -> Self {
        let mut routes = Vec::with_capacity(size);
        for _ in 0..size {
            routes.push(format!("nats://127.0.0.1:{}", free_port().await));
        }
        let list = routes.join(",");
        let mut servers = Vec::with_capacity(size);
        for route in &routes {
            let args = ["--cluster_name", "oyez", "--cluster", route, "--routes", &list];
            servers.push(NatsServer::start_with(&args).await);
        }
        let cluster = Self { servers };
        let together = timeout(TOGETHER_WITHIN, cluster.wait()).await;
        assert!(together.is_ok(), "the servers of a cluster do not find each other after {TOGETHER_WITHIN:?}");
        cluster
    }

    async fn wait(&self) {
        for server in &self.servers {
            while known_servers(&server.monitor("routez").await) + 1 < self.servers.len() {
                sleep(Duration::from_millis(10)).await;
            }
        }
    }
}

/// How many servers one has routes to; newer ones have several to each.
fn known_servers(routes: &Value) -> usize {
    let mut ids: Vec<_> = routes["routes"].as_array().into_iter().flatten().map(|route| &route["remote_id"]).collect();
    ids.sort_by_key(|id| id.to_string());
    ids.dedup();
    ids.len()
}
