//! All themes, with resolved colors and inheritance.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

use ratatui::style::{Color, Style};

use crate::theme::color;
use crate::theme::read;
use crate::theme::read::{Draft, Located, Look};
use crate::theme::role::Role;
use config::{Fault, Source};

const SHIPPED: [(&str, &str); 13] = [
    ("dark", include_str!("../../../../themes/dark.toml")),
    ("light", include_str!("../../../../themes/light.toml")),
    ("high-contrast", include_str!("../../../../themes/high-contrast.toml")),
    ("high-contrast-light", include_str!("../../../../themes/high-contrast-light.toml")),
    ("colour-blind", include_str!("../../../../themes/colour-blind.toml")),
    ("ansi16", include_str!("../../../../themes/ansi16.toml")),
    ("mono", include_str!("../../../../themes/mono.toml")),
    ("catppuccin-mocha", include_str!("../../../../themes/catppuccin-mocha.toml")),
    ("dracula", include_str!("../../../../themes/dracula.toml")),
    ("gruvbox-dark", include_str!("../../../../themes/gruvbox-dark.toml")),
    ("gruvbox-light", include_str!("../../../../themes/gruvbox-light.toml")),
    ("nord", include_str!("../../../../themes/nord.toml")),
    ("tokyo-night", include_str!("../../../../themes/tokyo-night.toml")),
];

/// The name of a theme.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ThemeName(Arc<str>);

impl ThemeName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The theme without colors.
    pub fn mono() -> Self {
        "mono".into()
    }
}

impl Default for ThemeName {
    fn default() -> Self {
        "dark".into()
    }
}

impl From<&str> for ThemeName {
    fn from(name: &str) -> Self {
        Self(name.into())
    }
}

impl fmt::Display for ThemeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A possible theme file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThemeFile {
    /// The theme name: the file name without extension.
    pub name: String,
    /// The file, for error messages.
    pub file: String,
    /// The content, or why it cannot be read.
    pub text: Result<String, String>,
}

/// A theme with resolved colors.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The name for settings and `:theme`.
    pub name: ThemeName,
    /// The description in one line.
    pub about: String,
    /// The terminal background for a theme without its own.
    pub behind: Option<Color>,
    /// The style of each role.
    pub styles: [Style; Role::ALL.len()],
}

impl Entry {
    /// Whether it needs more than 16 colors.
    pub fn has_own_colors(&self) -> bool {
        let own = |color: Option<Color>| color.is_some_and(|color| color::rgb(color).is_some());
        self.styles.iter().any(|style| own(style.fg) || own(style.bg))
    }
}

/// All themes there are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Themes {
    entries: Vec<Entry>,
    /// One text per file.
    pub faults: Vec<String>,
}

struct FormDraft {
    name: String,
    file: String,
    text: String,
    draft: Draft,
}

impl Themes {
    /// The built-in themes.
    pub fn shipped() -> Arc<Self> {
        static CATALOG: LazyLock<Arc<Themes>> = LazyLock::new(|| Arc::new(Themes::with(Vec::new())));
        Arc::clone(&CATALOG)
    }

    /// The user's themes replace built-in ones of the same name. Errors are in [`Themes::faults`]; faulty entries and
    /// unreadable files are omitted.
    pub fn with(files: Vec<ThemeFile>) -> Self {
        let mut report = Vec::new();
        let mut own = Vec::new();
        for file in files {
            match file.text {
                Ok(text) => own.push(FormDraft { name: file.name, file: file.file, draft: read::read(&text), text }),
                Err(why) => report.push(format!("{}: {why}", file.file)),
            }
        }
        let shipped: Vec<FormDraft> = SHIPPED
            .iter()
            .map(|(name, text)| FormDraft {
                name: (*name).to_owned(),
                file: format!("themes/{name}.toml"),
                text: (*text).to_owned(),
                draft: read::read(text),
            })
            .collect();
        let mut entries = Vec::new();
        let replaced = |name: &str| own.iter().any(|own| own.name == name);
        let order = shipped.iter().filter(|shipped| !replaced(&shipped.name)).chain(&own);
        for one in order {
            let (entry, faults) = Resolver { own: &own, shipped: &shipped }.entry(one);
            entries.push(entry);
            if !faults.is_empty() {
                report.push(Source::new(&one.file, &one.text).render_all(&faults));
            }
        }
        Self { entries, faults: report }
    }

    /// The themes in display order.
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }

    /// The theme with a name.
    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name.as_str() == name)
    }

    /// The names, separated by commas.
    pub fn names(&self) -> String {
        self.entries.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>().join(", ")
    }
}

struct Resolver<'d> {
    own: &'d [FormDraft],
    shipped: &'d [FormDraft],
}

impl<'d> Resolver<'d> {
    fn entry(&self, one: &'d FormDraft) -> (Entry, Vec<Fault>) {
        let mut faults = one.draft.faults.clone();
        let chain = self.chain(one, &mut faults);
        let mut palette: BTreeMap<&str, &Located> = BTreeMap::new();
        let mut listed: BTreeMap<&str, (&Look, bool)> = BTreeMap::new();
        for (at, drafted) in chain.iter().enumerate() {
            for (name, reported) in &drafted.draft.palette {
                palette.entry(name).or_insert(reported);
            }
            for (name, look) in &drafted.draft.roles {
                listed.entry(name).or_insert((look, at == 0));
            }
        }
        let mut color = |reported: Option<&Located>, here: bool| -> Option<Color> {
            let reported = reported?;
            let text = palette.get(reported.text.as_str()).map_or(reported.text.as_str(), |named| named.text.as_str());
            let color = color::parse(text);
            if color.is_none() && here {
                let known = palette.keys().copied();
                faults.push(read::no_color(reported, known));
            }
            color
        };
        let mut given: BTreeMap<&str, Style> = BTreeMap::new();
        for (name, (look, here)) in &listed {
            let mut style = Style::new().add_modifier(look.add).remove_modifier(look.remove);
            style.fg = color(look.fg.as_ref(), *here);
            style.bg = color(look.bg.as_ref(), *here);
            given.insert(name, style);
        }
        let behind = chain.iter().enumerate().find_map(|(at, one)| Some((one.draft.behind.as_ref()?, at == 0)));
        let behind = behind.and_then(|(reported, here)| color(Some(reported), here));
        faults.sort_by_key(|fault| (fault.at.line, fault.at.column));
        let styles = Role::ALL.map(|role| style(role, &given));
        (Entry { name: one.name.as_str().into(), about: one.draft.about.clone(), behind, styles }, faults)
    }

    /// The nearest first. An invalid parent becomes `dark`.
    fn chain(&self, one: &'d FormDraft, faults: &mut Vec<Fault>) -> Vec<&'d FormDraft> {
        let mut chain = vec![one];
        let mut last = one;
        while let Some(reported) = &last.draft.inherits {
            let known = |found: &&FormDraft| {
                found.name == reported.text && !chain.iter().any(|seen| std::ptr::eq(*seen, *found))
            };
            let Some(next) = self.own.iter().find(known).or_else(|| self.shipped.iter().find(known)) else {
                if std::ptr::eq(last, one) {
                    let names: Vec<&str> =
                        self.own.iter().chain(self.shipped).map(|theme| theme.name.as_str()).collect();
                    let again = chain.iter().any(|seen| seen.name == reported.text);
                    let what = if again { "inherits from itself" } else { "theme not found" };
                    let message = format!("{:?}: {what}", reported.text);
                    faults.push(read::fault("THM-006", reported.at, message, read::hint(&reported.text, &names)));
                    chain.extend(self.shipped.first());
                }
                break;
            };
            chain.push(next);
            last = next;
        }
        chain
    }
}

/// The style of the role, its group, or its fallback.
fn style(role: Role, given: &BTreeMap<&str, Style>) -> Style {
    let mut role = role;
    loop {
        // `text` is a group of its own.
        let found = role.names().find_map(|name| given.get(name));
        match found {
            Some(style) => return *style,
            None if role == Role::Text => return Style::new(),
            None => role = role.fallback(),
        }
    }
}
