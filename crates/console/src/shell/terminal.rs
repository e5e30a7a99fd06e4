//! The terminal: taken, drawn, and always restored.
//!
//! Invariants:
//! - [`restore`] is complete, and calling it twice is harmless;
//! - a panic in any thread restores first, so that its report is readable;
//! - only whole frames are written, in synchronized updates, to avoid tearing over slow lines.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::clipboard::CopyToClipboard;
use crossterm::cursor::Show;
use crossterm::event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture};
use crossterm::style::ResetColor;
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode,
};
use crossterm::{execute, queue};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Size;
use ratatui::{Frame, Terminal};

use alerts::rule::Osc;

static TAKEN: AtomicBool = AtomicBool::new(false);

/// The taken terminal; dropping it restores the terminal.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Frames>>,
    frames: Frames,
    mouse: bool,
}

impl Screen {
    /// Takes the terminal.
    pub fn take() -> io::Result<Self> {
        restore_on_panic();
        enter()?;
        let frames = Frames::default();
        let terminal = Terminal::new(CrosstermBackend::new(frames.clone())).inspect_err(|_| restore())?;
        Ok(Self { terminal, frames, mouse: false })
    }

    /// Takes the terminal again, and forgets its content.
    pub fn retake(&mut self) -> io::Result<()> {
        enter()?;
        self.mouse = false;
        self.forget()
    }

    /// Copies with OSC 52, through tmux if necessary.
    pub fn copy(&mut self, text: &str) -> io::Result<()> {
        if !taken() {
            return Ok(());
        }
        let mut sequence = Vec::new();
        queue!(sequence, CopyToClipboard::to_clipboard_from(text))?;
        let mut out = io::stdout().lock();
        out.write_all(&sequence)?;
        if std::env::var_os("TMUX").is_some_and(|value| !value.is_empty()) {
            out.write_all(b"\x1bPtmux;")?;
            for byte in sequence {
                if byte == 0x1b {
                    out.write_all(b"\x1b")?;
                }
                out.write_all(&[byte])?;
            }
            out.write_all(b"\x1b\\")?;
        }
        out.flush()
    }

    /// Notifies. External text cannot end the escape sequence.
    pub fn notify(&mut self, bell: bool, by: Option<Osc>, text: &str) -> io::Result<()> {
        if !taken() {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        out.write_all(notification(bell, by, text).as_bytes())?;
        out.flush()
    }

    /// Starts or stops mouse capture.
    pub fn listen_to_mouse(&mut self, listen: bool) -> io::Result<()> {
        if listen == self.mouse {
            return Ok(());
        }
        self.mouse = listen;
        let mut out = io::stdout().lock();
        match (taken(), listen) {
            (false, _) => Ok(()),
            (true, true) => execute!(out, EnableMouseCapture),
            (true, false) => execute!(out, DisableMouseCapture),
        }
    }

    /// Forgets the content: the next frame is drawn completely.
    pub fn forget(&mut self) -> io::Result<()> {
        // `clear` would query the cursor, and the input thread would read the answer.
        self.terminal.resize(self.terminal.size()?.into())
    }

    /// The size in columns and lines.
    pub fn size(&self) -> io::Result<Size> {
        self.terminal.size()
    }

    /// Draws a frame; only changes are written.
    pub fn draw(&mut self, render: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(render)?;
        self.frames.release()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// False after a panic in any thread.
pub fn taken() -> bool {
    TAKEN.load(Ordering::SeqCst)
}

fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste).inspect_err(|_| restore())
}

/// Whether the terminal was closed or disconnected.
pub fn is_gone(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let gone = [Errno::IO, Errno::PIPE, Errno::NXIO, Errno::NOTTY, Errno::BADF, Errno::NODEV];
    error.kind() == io::ErrorKind::BrokenPipe || Errno::from_io_error(error).is_some_and(|code| gone.contains(&code))
}

/// Errors of the key reader do not show that.
pub fn is_closed() -> bool {
    rustix::termios::tcgetattr(io::stdout()).is_err()
}

/// Ignores errors: nothing more can be done.
pub fn restore() {
    let mut out = io::stdout().lock();
    if TAKEN.swap(false, Ordering::SeqCst) {
        let _ = execute!(out, EndSynchronizedUpdate, DisableMouseCapture, DisableBracketedPaste);
        let _ = execute!(out, ResetColor, LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
    }
}

fn restore_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let (report, errors) = color_eyre::config::HookBuilder::default().into_hooks();
        // Fails if installed already.
        let _ = errors.install();
        std::panic::set_hook(Box::new(move |info| {
            restore();
            // If standard error is closed too, a panic here would abort.
            let _ = writeln!(io::stderr().lock(), "{}", report.panic_report(info));
        }));
    });
}

/// Content left during a panic is never written: it would appear on the shell's screen.
#[derive(Clone, Default)]
struct Frames {
    bytes: Rc<RefCell<Vec<u8>>>,
}

impl Frames {
    /// Writes the frame, but not after a restore.
    fn release(&self) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let mut bytes = self.bytes.borrow_mut();
        if !taken() {
            bytes.clear();
        }
        if bytes.is_empty() {
            return Ok(());
        }
        let mut frame = Vec::with_capacity(bytes.len() + 16);
        queue!(frame, BeginSynchronizedUpdate)?;
        frame.append(&mut bytes);
        queue!(frame, EndSynchronizedUpdate)?;
        out.write_all(&frame)?;
        out.flush()
    }
}

impl Write for Frames {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    /// The backend flushes several times per frame.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn notification(bell: bool, by: Option<Osc>, text: &str) -> String {
    let safe = |c: char| if c.is_control() { ' ' } else { c };
    // Semicolons separate the parts of a sequence.
    let text: String = text.chars().map(safe).map(|c| if c == ';' { ',' } else { c }).take(200).collect();
    let sequence = match by {
        None => String::new(),
        Some(Osc::Osc9) => format!("\x1b]9;{text}\x07"),
        Some(Osc::Osc777) => format!("\x1b]777;notify;kornsole;{text}\x07"),
        Some(Osc::Osc99) => format!("\x1b]99;;{text}\x1b\\"),
    };
    if bell { format!("\x07{sequence}") } else { sequence }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notification_cannot_be_ended_by_its_text() {
        let text = "queue a\x07b;c\x1b]0;x";
        assert_eq!(notification(true, None, text), "\x07");
        assert_eq!(notification(false, Some(Osc::Osc9), text), "\x1b]9;queue a b,c ]0,x\x07");
        assert_eq!(notification(true, Some(Osc::Osc777), "a"), "\x07\x1b]777;notify;kornsole;a\x07");
        assert_eq!(notification(false, Some(Osc::Osc99), "a"), "\x1b]99;;a\x1b\\");
    }
}
