//! The macro for the table of pages ([`Page`](super::page::Page)).

use crate::state::command::Context;

/// The kind of a page's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// Rows in columns.
    List,
    /// Lines to be scrolled.
    Text,
    /// Fields to be filled in.
    Form,
    /// The configuration editor.
    Config,
}

/// Where the selected row's details are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pane {
    /// There is no pane.
    Nowhere,
    /// With this maximum height; next to the rows on a wide screen.
    Below(u16),
    /// Like `Below`, also on smaller screens.
    OfOne(u16),
    /// Next to the text of the configuration.
    SideText,
}

/// A row of the table of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRow {
    /// Empty: the name of the object.
    pub title: &'static str,
    /// The kind of its body.
    pub body: Body,
    /// The location of its pane.
    pub pane: Pane,
    /// The contexts of its keys, the nearest first.
    pub contexts: &'static [Context],
}

/// Makes `Page` from rows `Name(Content) { title, body, pane, [contexts] }`, and `each_page!`, which runs an expression
/// with the content of any page. The content types must implement all used traits.
macro_rules! pages {
    (@list List $page:ident) => { Some(&$page.list) };
    (@list $other:ident $page:ident) => {{ let _ = $page; None }};
    (@list_mut List $page:ident) => { Some(&mut $page.list) };
    (@list_mut $other:ident $page:ident) => {{ let _ = $page; None }};
    ($d:tt $($(#[$doc:meta])* $name:ident($content:ty) { $title:literal, $body:ident, $pane:expr, [$($context:ident),+] })+) => {
        /// The first of the stack is always the queues.
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

            /// The settings name of its nearest context.
            pub const fn name(&self) -> &'static str {
                match self.row().contexts {
                    [nearest, ..] => nearest.name(),
                    [] => "",
                }
            }

            /// The list of the page, if any.
            pub fn list(&self) -> Option<&dyn List> {
                match self { $(Self::$name(page) => pages!(@list $body page),)+ }
            }

            /// The list of the page, mutable.
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
