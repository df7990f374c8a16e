//! [`Feed`]: emits one delivery after the other, and counts.

use std::error::Error;
use std::fmt::Display;
use std::process::ExitCode;

use oyez::{EventBus, Link};

use crate::cli::{Lines, Stop, Terminal, with_causes};
use crate::delivery::Delivery;

pub struct Feed {
    bus: EventBus,
    links: Vec<Link>,
    terminal: Terminal,
    stop: Stop,
    /// How many deliveries were emitted.
    pub emitted: u64,
    /// How many lines were malformed, or had something that no event could be made of.
    pub refused: u64,
    /// Whether the input could not be read to its end.
    pub broken_off: bool,
    /// Whether Ctrl-C came before the end.
    pub stopped: bool,
}

impl Feed {
    pub fn new(bus: EventBus, links: Vec<Link>, terminal: Terminal, stop: Stop) -> Self {
        Self { bus, links, terminal, stop, emitted: 0, refused: 0, broken_off: false, stopped: false }
    }

    /// Emits the deliveries of all lines as they come, and then the same again until each was emitted `repeat` times.
    pub async fn run(&mut self, mut lines: Lines, repeat: u64) {
        let mut again = Vec::new();
        while let Some((number, text)) = self.next(&mut lines).await {
            match Delivery::parse(number, &text) {
                Ok(delivery) => {
                    if self.emit(&delivery).await && repeat > 1 {
                        again.push(delivery);
                    }
                }
                Err(error) => self.refuse(format_args!("line {number}, column {}", error.column()), &error),
            }
        }
        if repeat > 1 {
            self.terminal.expect((again.len() as u64).saturating_mul(repeat));
        }
        for delivery in (1..repeat).flat_map(|_| &again) {
            self.stopped |= self.stop.is_asked();
            if self.stopped {
                break;
            }
            self.emit(delivery).await;
        }
    }

    /// The next line that is not blank, with its number.
    async fn next(&mut self, lines: &mut Lines) -> Option<(u64, Vec<u8>)> {
        let line = tokio::select! {
            biased;
            () = self.stop.asked() => {
                self.stopped = true;
                return None;
            }
            line = lines.recv() => line?,
        };
        match line {
            Ok(line) => Some(line),
            Err(error) => {
                self.terminal.say(format_args!("the input breaks off: {error}"));
                self.broken_off = true;
                None
            }
        }
    }

    /// True if the event was emitted. What became of it in each handler, the meter knows.
    async fn emit(&mut self, delivery: &Delivery) -> bool {
        self.room().await;
        let outcome = delivery.emit(&self.bus).await;
        match &outcome {
            Ok(_) => self.emitted += 1,
            Err(error) => self.refuse(format_args!("line {}", delivery.line), &**error),
        }
        self.terminal.step();
        outcome.is_ok()
    }

    /// Waits until the links can take more, or the user asks to stop. An emit itself waits for no server, and a full outbox
    /// drops events; `--repeat` would fill one.
    async fn room(&mut self) {
        let room = async {
            for link in &self.links {
                link.room().await;
            }
        };
        tokio::select! {
            biased;
            () = self.stop.asked() => {}
            () = room => {}
        }
    }

    fn refuse(&mut self, place: impl Display, error: &(dyn Error + 'static)) {
        self.refused += 1;
        self.terminal.say(format_args!("{place}: {}", with_causes(error)));
    }

    /// What the program ends with: 2 for an input that broke off, 1 for a refused line if those matter.
    pub fn exit_code(&self, strict: bool) -> ExitCode {
        match self {
            Self { broken_off: true, .. } => ExitCode::from(2),
            Self { refused: 1.., .. } if strict => ExitCode::from(1),
            _ => ExitCode::SUCCESS,
        }
    }
}
