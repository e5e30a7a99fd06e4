//! One row of the table of pages ([`Page`](super::page::Page)): its title, the kind of its body, the place of its pane, and the contexts
//! of its keys.

use crate::state::command::Context;

/// What fills the body of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// Rows in columns, under their titles.
    List,
    /// Lines to be scrolled.
    Text,
    /// Fields to be filled in.
    Form,
    /// The text of the configuration.
    Config,
}

/// Where what is known of the row under the cursor stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pane {
    /// There is no pane.
    Nowhere,
    /// Below the rows, in at most this many lines; next to them on a wide screen.
    Below(u16),
    /// The same on a page about one thing, which has its pane on smaller screens too.
    OfOne(u16),
    /// Next to the text of the configuration.
    BesideText,
}

/// A row of the table of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRow {
    /// How breadcrumbs call it; empty for a page that is called by the thing that it is about.
    pub title: &'static str,
    /// What fills it.
    pub body: Body,
    /// Where its pane stands.
    pub pane: Pane,
    /// The contexts in which its keys are looked up, the nearest first.
    pub contexts: &'static [Context],
}

/// Makes `Page` with its table from rows `Name(Content) { title, body, pane, [contexts] }`, and `each_page!`, which runs an expression
/// with the content of a page, whichever it is, where `Page` is imported. So a trait of all contents does not compile until a new page has it.
macro_rules! pages {
    (@list List $page:ident) => { Some(&$page.list) };
    (@list $other:ident $page:ident) => {{ let _ = $page; None }};
    (@list_mut List $page:ident) => { Some(&mut $page.list) };
    (@list_mut $other:ident $page:ident) => {{ let _ = $page; None }};
    ($d:tt $($(#[$doc:meta])* $name:ident($content:ty) { $title:literal, $body:ident, $pane:expr, [$($context:ident),+] })+) => {
        /// A page. The first of the stack is always the queues.
        #[derive(Clone, Debug)]
        pub enum Page {
            $($(#[$doc])* $name($content),)+
        }

        impl Page {
            /// Its row in the table of pages.
            pub const fn row(&self) -> PageRow {
                match self {
                    $(Self::$name(_) => PageRow {
                        title: $title,
                        body: Body::$body,
                        pane: $pane,
                        contexts: &[$(Context::$context),+],
                    },)+
                }
            }

            /// Its name in a person's settings: that of its nearest context.
            pub const fn name(&self) -> &'static str {
                match self.row().contexts {
                    [nearest, ..] => nearest.name(),
                    [] => "",
                }
            }

            /// Its list; `None` where something else fills it.
            pub fn list(&self) -> Option<&dyn List> {
                match self { $(Self::$name(page) => pages!(@list $body page),)+ }
            }

            /// The same, to be changed.
            pub fn list_mut(&mut self) -> Option<&mut dyn List> {
                match self { $(Self::$name(page) => pages!(@list_mut $body page),)+ }
            }
        }

        macro_rules! each_page {
            ($d page:expr, $d content:ident => $d run:expr) => {
                match $d page { $(Page::$name($d content) => $d run,)+ }
            };
        }

        pub(crate) use each_page;
    };
}

pub(crate) use pages;
