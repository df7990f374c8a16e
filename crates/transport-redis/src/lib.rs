//! Broadcast of oyez events to other processes over Redis pub/sub.
