//! Between the shapes on the wire and what a person sees.

pub mod read;
