//! A transport inside of one process, for tests.
