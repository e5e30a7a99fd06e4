//! `kornsole demo`.
