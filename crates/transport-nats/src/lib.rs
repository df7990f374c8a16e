//! Broadcast of oyez events to other processes over NATS.
