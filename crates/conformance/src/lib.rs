//! The suites that every transport passes, the servers they run against, and the faults they inject.
