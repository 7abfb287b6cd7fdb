//! exercises
