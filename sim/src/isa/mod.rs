//! Which PTX runs: every instruction form with its section of the manual, what it does and what tests it, and the list
//! of what is not simulated. Generated from it: the book's page, the inputs of the hardware record.

mod pattern;

pub use pattern::expand;
