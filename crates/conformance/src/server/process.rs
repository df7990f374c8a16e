//! [`Process`]: a server's process that a test may kill, stop and continue; and the port it listens on.

use std::env;
use std::io::ErrorKind;
use std::net::UdpSocket as Reservation;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

const LOOPBACK: &str = "127.0.0.1";
const STARTED_WITHIN: Duration = Duration::from_secs(20);

/// A child process, killed and reaped when it is dropped. What it prints is thrown away.
#[derive(Debug)]
pub struct Process {
    child: Child,
}

impl Process {
    /// Starts `program`, which is looked for in `PATH` and where servers are installed.
    ///
    /// # Panics
    /// It is not installed, or cannot be started.
    #[must_use]
    pub fn start(program: &str, args: &[String]) -> Self {
        let mut command = Command::new(locate(program));
        command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        match command.spawn() {
            Ok(child) => Self { child },
            Err(error) if error.kind() == ErrorKind::NotFound => panic!("{}", how_to_install(program)),
            Err(error) => panic!("`{program}` cannot be started: {error}"),
        }
    }

    /// Its process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has not ended by itself.
    ///
    /// # Panics
    /// The system does not tell.
    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("the state of a child process").is_none()
    }

    /// Ends it with SIGKILL, and returns when it is gone.
    pub fn kill(&mut self) {
        // An error means that it has ended already.
        _ = self.child.kill();
        _ = self.child.wait();
    }

    /// Freezes it with SIGSTOP: its sockets stay open and nothing answers.
    ///
    /// # Panics
    /// The signal cannot be sent.
    pub fn stop(&self) {
        self.signal("STOP");
    }

    /// Lets it go on after [`stop`](Self::stop), with SIGCONT.
    ///
    /// # Panics
    /// The signal cannot be sent.
    pub fn cont(&self) {
        self.signal("CONT");
    }

    fn signal(&self, signal: &str) {
        // The shell's own `kill`: a crate for two signals is not worth it, and std sends SIGKILL only.
        let command = format!("kill -{signal} {}", self.id());
        let sent = Command::new("sh").args(["-c", &command]).status().expect("a shell");
        assert!(sent.success(), "`{command}` failed");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A port of the loopback interface on which nobody listens, and that this function gives to nobody else, in this process
/// or another, as long as this process lives: a server can come back on it.
///
/// # Panics
/// There is none.
#[must_use]
pub async fn free_port() -> u16 {
    static RESERVED: Mutex<Vec<Reservation>> = Mutex::new(Vec::new());
    // Below the ports that systems give to outgoing connections, one of which could take it while the server is down.
    for _ in 0..10_000 {
        let port = fastrand::u16(10_000..32_000);
        // Holding the UDP port of the same number is the reservation; the kernel ends it with the process.
        if let Ok(reservation) = Reservation::bind((LOOPBACK, port))
            && std::net::TcpListener::bind((LOOPBACK, port)).is_ok()
        {
            RESERVED.lock().unwrap_or_else(PoisonError::into_inner).push(reservation);
            return port;
        }
    }
    panic!("no free port on {LOOPBACK}")
}

/// Waits until something takes connections on `port`.
///
/// # Panics
/// Nothing does for 20 seconds.
pub async fn wait_for_port(port: u16) {
    let listening = async {
        while TcpStream::connect((LOOPBACK, port)).await.is_err() {
            sleep(Duration::from_millis(10)).await;
        }
    };
    let waited = timeout(STARTED_WITHIN, listening).await;
    assert!(waited.is_ok(), "nothing listens on port {port} after {STARTED_WITHIN:?}");
}

/// The whole path of a program, or its name where it is not found.
fn locate(program: &str) -> PathBuf {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain(["/usr/sbin", "/usr/local/sbin", "/usr/local/bin"].map(PathBuf::from));
    let mut candidates = folders.map(|folder| folder.join(program));
    candidates.find(|candidate| candidate.is_file()).unwrap_or_else(|| Path::new(program).to_owned())
}

fn how_to_install(program: &str) -> String {
    let how = match program {
        "redis-server" => {
            "install Redis 6 or newer (Debian: `apt-get install redis-server`; macOS: `brew install redis`)"
        }
        "nats-server" => {
            "install NATS 2.9 or newer (Debian: `apt-get install nats-server`; macOS: `brew install nats-server`; \
             others: https://github.com/nats-io/nats-server/releases)"
        }
        _ => "install it",
    };
    format!("`{program}` is not in PATH, and this test needs a real one: {how}, and run the test again")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_port_is_given_once() {
        let (mut ports, wanted) = (std::collections::HashSet::new(), 200);
        for _ in 0..wanted {
            ports.insert(free_port().await);
        }
        assert_eq!(ports.len(), wanted);
    }

    #[test]
    fn a_process_is_stopped_continued_and_killed() {
        let mut process = Process::start("sleep", &["60".to_owned()]);
        process.stop();
        assert!(process.is_running());
        process.cont();
        process.kill();
        assert!(!process.is_running());
    }

    #[test]
    #[should_panic(expected = "this test needs a real one: install it")]
    fn a_missing_program_is_told_in_a_plain_sentence() {
        _ = Process::start("no-such-server", &[]);
    }
}
