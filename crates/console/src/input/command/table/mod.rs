//! The rows of the registry in help order.

mod orders;
mod pages;
mod rows;
mod screen;

use super::row::Command;

const PARTS: [&[Command]; 4] = [rows::ROWS, pages::ROWS, orders::ROWS, screen::ROWS];
const LEN: usize = rows::ROWS.len() + pages::ROWS.len() + orders::ROWS.len() + screen::ROWS.len();
static ALL: [Command; LEN] = joined();

/// All commands, in the order of the help.
pub static COMMANDS: &[Command] = &ALL;

const fn joined() -> [Command; LEN] {
    let mut all = [rows::ROWS[0]; LEN];
    let (mut part, mut at) = (0, 0);
    while part < PARTS.len() {
        let mut row = 0;
        while row < PARTS[part].len() {
            all[at] = PARTS[part][row];
            row += 1;
            at += 1;
        }
        part += 1;
    }
    all
}
