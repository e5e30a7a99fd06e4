//! Built-in themes are legible; errors in a user's theme have no other effect.

use ratatui::style::{Color, Modifier};

use crate::theme::catalog::Entry;
use crate::theme::check;
use crate::theme::check::LEGIBLE;
use crate::theme::*;

fn own(files: &[(&str, &str)]) -> Themes {
    let file = |(name, text): &(&str, &str)| ThemeFile {
        name: (*name).to_owned(),
        file: format!("{name}.toml"),
        text: Ok((*text).to_owned()),
    };
    Themes::with(files.iter().map(file).collect())
}

fn message(text: &str) -> String {
    own(&[("mine", text)]).faults.join("\n")
}

#[test]
fn every_shipped_theme_loads_and_is_legible() {
    let themes = Themes::shipped();
    assert_eq!(themes.faults, [""; 0]);
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../themes")).unwrap().count();
    assert_eq!(themes.iter().count(), files, "each file of themes/ is in the binary");
    let wrong: Vec<String> = themes
        .iter()
        .flat_map(|entry| check::check(entry).into_iter().map(|wrong| format!("{}: {wrong}", entry.name)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(themes.iter().all(|entry| !entry.about.is_empty()));
}

#[test]
fn themes_of_high_contrast_have_seven_to_one() {
    for name in ["high-contrast", "high-contrast-light"] {
        let themes = Themes::shipped();
        let entry = themes.get(name).unwrap();
        for role in Role::ALL.into_iter().filter(|role| role.is_text()) {
            for ground in [Role::Page, Role::Selection] {
                let contrast = check::contrast(entry, role, ground);
                assert!(contrast.is_none_or(|found| found >= 7.0), "{name}: {} {contrast:?}", role.name());
            }
        }
    }
}

#[test]
fn themes_in_rgb_have_the_contrast_of_every_text() {
    for entry in Themes::shipped().iter().filter(|entry| entry.has_own_colors()) {
        for role in Role::ALL.into_iter().filter(|role| role.is_text()) {
            // `dark` uses the terminal's default for plain text.
            let own = entry.styles[role as usize].fg.is_none_or(|fg| fg == Color::Reset);
            assert!(own || check::contrast(entry, role, Role::Page).is_some(), "{}: {}", entry.name, role.name());
        }
    }
}

#[test]
fn terminals_of_256_colors_read_them_nearly_as_well() {
    for entry in Themes::shipped().iter() {
        let styles = entry.styles.map(|mut style| {
            style.fg = style.fg.map(color::nearest);
            style.bg = style.bg.map(color::nearest);
            style
        });
        let reduced = Entry { styles, ..entry.clone() };
        for role in Role::ALL.into_iter().filter(|role| role.is_text()) {
            for ground in [Role::Page, Role::Selection] {
                let contrast = check::contrast(&reduced, role, ground);
                let least = LEGIBLE - 0.7;
                assert!(contrast.is_none_or(|found| found >= least), "{}: {} {contrast:?}", entry.name, role.name());
            }
        }
    }
}

#[test]
fn mono_has_no_color_and_ansi16_only_those_of_the_terminal() {
    let themes = Themes::shipped();
    let mono = themes.get("mono").unwrap();
    assert!(mono.styles.iter().all(|style| style.fg.is_none() && style.bg.is_none()));
    assert!(!themes.get("ansi16").unwrap().has_own_colors());
}

fn seen(rgb: [u8; 3], matrix: [[f64; 3]; 3]) -> [f64; 3] {
    let linear = rgb.map(|channel| (f64::from(channel) / 255.0).powf(2.2));
    let row =
        |row: [f64; 3]| (0..3).map(|at| row[at] * linear[at]).sum::<f64>().clamp(0.0, 1.0).powf(1.0 / 2.2) * 255.0;
    matrix.map(row)
}

#[test]
fn the_colors_of_the_color_blind_theme_are_distinct_without_any_one_kind_of_cones() {
    const PROTAN: [[f64; 3]; 3] =
        [[0.152_286, 1.052_583, -0.204_868], [0.114_503, 0.786_281, 0.099_216], [-0.003_882, -0.048_116, 1.051_998]];
    const DEUTAN: [[f64; 3]; 3] =
        [[0.367_322, 0.860_646, -0.227_968], [0.280_085, 0.672_501, 0.047_413], [-0.011_820, 0.042_940, 0.968_881]];
    const TRITAN: [[f64; 3]; 3] =
        [[1.255_528, -0.076_749, -0.178_779], [-0.078_411, 0.930_809, 0.147_602], [0.004_733, 0.691_367, 0.303_900]];
    let themes = Themes::shipped();
    let least = |name: &str| -> f64 {
        let entry = themes.get(name).unwrap();
        let rgb = |role: Role| color::rgb(entry.styles[role as usize].fg.unwrap()).unwrap();
        let states = [Role::Good, Role::Warning, Role::Error].map(rgb);
        let pairs = [(0, 1), (0, 2), (1, 2)];
        let far = |matrix: [[f64; 3]; 3], (a, b): (usize, usize)| {
            let (a, b) = (seen(states[a], matrix), seen(states[b], matrix));
            (0..3).map(|at| (a[at] - b[at]).powi(2)).sum::<f64>().sqrt()
        };
        let each = [PROTAN, DEUTAN, TRITAN].map(|matrix| pairs.map(|pair| far(matrix, pair)));
        each.into_iter().flatten().fold(f64::MAX, f64::min)
    };
    assert!(least("colour-blind") > 60.0, "{}", least("colour-blind"));
    assert!(least("colour-blind") > least("dark"), "it does more for this than the theme that was not made for it");
}

#[test]
fn a_role_inherits_the_style_of_its_group_or_of_a_related_role() {
    let themes = own(&[(
        "mine",
        "[roles]\ntext = \"#010101\"\nstate = \"#020202\"\n\"state.stopped\" = \"#030303\"\ngood = \"#040404\"\n",
    )]);
    let theme = Theme::new(&themes, &"mine".into(), Depth::True, false);
    let fg = |role| theme.style(role).fg;
    let gray = |value| Some(Color::Rgb(value, value, value));
    assert_eq!([fg(Role::StateDraining), fg(Role::StateStopped)], [gray(2), gray(3)], "the group, then its own");
    assert_eq!([fg(Role::DiffAdd), fg(Role::Accent), fg(Role::Dim)], [gray(4), gray(1), gray(1)], "what is near");
}

#[test]
fn inherited_roles_use_the_palette_of_the_inheriting_theme() {
    let themes = own(&[
        ("base", "inherits = \"dark\"\n[palette]\naccent = 17\n"),
        ("mine", "inherits = \"base\"\n[palette]\ngood = 18\n"),
    ]);
    assert_eq!(themes.faults, [""; 0]);
    let theme = Theme::new(&themes, &"mine".into(), Depth::True, false);
    let fg = |role| theme.style(role).fg;
    let expected = [Some(Color::Indexed(17)), Some(Color::Indexed(18)), Some(Color::Indexed(179))];
    assert_eq!([fg(Role::Accent), fg(Role::Good), fg(Role::Warning)], expected);
    assert!(theme.style(Role::Strong).add_modifier.contains(Modifier::BOLD));
}

#[test]
fn a_user_theme_has_precedence_over_a_shipped_one_and_may_inherit_from_it() {
    let themes = own(&[("dark", "inherits = \"dark\"\n[palette]\naccent = \"red\"\n")]);
    assert_eq!(themes.faults, [""; 0]);
    assert_eq!(themes.iter().count(), Themes::shipped().iter().count());
    let theme = Theme::new(&themes, &ThemeName::default(), Depth::True, false);
    assert_eq!(theme.style(Role::Accent).fg, Some(Color::Red));
    assert_eq!(theme.style(Role::Good).fg, Some(Color::Indexed(108)));
}

#[test]
fn faults_are_reported_with_their_places() {
    insta::assert_snapshot!(message(
        "abuot = \"typo\"\n\
         about = 3\n\
         inherits = \"drak\"\n\
         palette = { blue = \"#12345\" }\n\
         [roles]\n\
         \"state.drainign\" = \"red\"\n\
         accent = \"bleu\"\n\
         text.dim = \"red\"\n\
         good = [\"green\"]\n\
         error = { fg = \"red\", add = [\"blod\", 3], bgg = \"red\" }\n"
    ));
}

#[test]
fn no_toml_is_reported_with_its_place() {
    let themes = own(&[("mine", "[roles]\naccent = red\ngood = \"green\"\n")]);
    let message = themes.faults.join("\n");
    assert!(message.starts_with("mine.toml:2:10: error[THM-001]: no TOML:"), "{message}");
    let theme = Theme::new(&themes, &"mine".into(), Depth::True, false);
    assert_eq!(theme.style(Role::Good).fg, Some(Color::Green), "the rest holds");
}

#[test]
fn inheriting_in_a_circle_is_reported_and_ends() {
    let themes = own(&[("a", "inherits = \"b\"\n"), ("b", "inherits = \"a\"\n"), ("c", "inherits = \"c\"\n")]);
    assert_eq!(themes.faults.len(), 1, "only c names nothing but itself: {}", themes.faults.join("\n"));
    assert!(themes.faults[0].contains("c.toml:1:12: error[THM-006]"), "{}", themes.faults[0]);
    let theme = Theme::new(&themes, &"c".into(), Depth::True, false);
    assert_eq!(theme.style(Role::Good).fg, Some(Color::Indexed(108)), "the default is inherited in its place");
}

#[test]
fn a_file_that_cannot_be_read_is_reported() {
    let file =
        ThemeFile { name: "x".to_owned(), file: "x.toml".to_owned(), text: Err("cannot read it: gone".to_owned()) };
    let themes = Themes::with(vec![file]);
    assert_eq!(themes.faults, ["x.toml: cannot read it: gone"]);
    assert!(themes.get("x").is_none());
}

#[test]
fn a_terminal_gets_what_it_can_show() {
    let themes = Themes::shipped();
    let fg = |name: &str, depth, role| Theme::new(&themes, &name.into(), depth, false).style(role).fg;
    assert_eq!(fg("nord", Depth::True, Role::Good), Some(Color::Rgb(0xa3, 0xbe, 0x8c)));
    assert!(matches!(fg("nord", Depth::Indexed, Role::Good), Some(Color::Indexed(_))));
    assert_eq!(fg("nord", Depth::Sixteen, Role::Good), Some(Color::Green));
    assert_eq!(fg("nord", Depth::None, Role::Good), None);
    assert_eq!(fg("no-such-theme", Depth::True, Role::Good), Some(Color::Indexed(108)));
}

#[test]
fn what_cannot_be_read_or_seen_is_found() {
    let gray = "[roles]\npage = { bg = \"#ffffff\" }\ntext = \"#777777\"\nmatch = \"#000000\"\n";
    let themes = own(&[("mine", gray)]);
    let wrong = check::check(themes.get("mine").unwrap());
    assert!(wrong.contains(&"text on page: the contrast is 4.48, the minimum is 4.5".to_owned()), "{wrong:?}");
    assert!(wrong.iter().any(|wrong| wrong.starts_with("match differs by color alone")), "{wrong:?}");
    assert!(wrong.iter().any(|wrong| wrong.starts_with("selection is not visible")), "{wrong:?}");
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn unusual_texts_are_accepted(text in any::<String>()) {
            let _ = message(&text);
        }

        #[test]
        fn parts_in_any_order_load(parts in proptest::collection::vec(prop_oneof![
            Just("[roles]\n"), Just("[palette]\n"), Just("text = "), Just("\"text.dim\" = "), Just("\"red\"\n"), Just("{ fg = 3 }\n"),
            Just("inherits = \"mine\"\n"), Just("inherits = \"dark\"\n"), Just("= ["), Just("}\n"), Just("behind = 300\n"),
        ], 0..20)) {
            let themes = own(&[("mine", &parts.concat())]);
            prop_assert!(themes.get("mine").is_some());
        }
    }
}
