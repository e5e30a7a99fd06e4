//! What the recordings show of the program.

use std::fs;
use std::path::Path;

const CLAIMS: [(&str, &str); 14] = [
    ("see a queue drain, what holds it, and that it goes and comes back", "draining"),
    ("find out why an application was rejected", "rejected"),
    ("find out which limit holds another one back", "held-back"),
    ("see where a submission would go, and who may submit", "placement"),
    ("see what happened, what it looked like, and whether the numbers agree", "events"),
    ("move and kill an application of the own queue", "orders"),
    ("see which access an application of another queue would take", "denied"),
    ("edit the configuration and bring it into force", "edit"),
    ("see why an edit would be rejected", "refused"),
    ("change a queue without writing YAML", "forms"),
    ("find a stuck draining queue, see what holds it, move that away, and watch the queue go", "stuck"),
    ("submit an application, ask for more, and give it back", "workload"),
    ("see who did what, bring a configuration back, and see the moment before", "records"),
    ("look at another partition, and at all nodes in one picture", "partitions"),
];

#[test]
fn what_a_person_can_is_shown_from_the_help_on() {
    for (claim, tape) in CLAIMS {
        let text = fs::read_to_string(format!("recordings/{tape}.tape"))
            .unwrap_or_else(|error| panic!("{claim}: {tape}.tape cannot read it: {error}"));
        let typed = text.lines().find(|line| line.starts_with("Type"));
        assert_eq!(typed, Some("Type \"?\""), "{tape}.tape, by which one can {claim}");
    }
}

fn sources(dir: &Path, into: &mut String) {
    for entry in fs::read_dir(dir).expect("the folder is read") {
        let path = entry.expect("the folder is read").path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push_str(&fs::read_to_string(&path).expect("a source file is text"));
        }
    }
}

#[test]
fn listed_values_are_shown() {
    let readme = fs::read_to_string("recordings/README.md").expect("it is there");
    let table = readme.split("<!-- shown -->").nth(1).and_then(|rest| rest.split("<!-- /shown -->").next());
    let rows: Vec<&str> =
        table.expect("the table is there").lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    assert!(rows.len() > 15, "{rows:?}");
    let mut all = String::new();
    for dir in ["src", "crates", "tests"] {
        sources(Path::new(dir), &mut all);
    }
    for row in rows {
        let shown = row.trim_end_matches('|').rsplit_once('|').map_or("", |(_, shown)| shown);
        let named: Vec<&str> = shown.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "nothing shows {row}");
        for name in named {
            let there = match name.strip_suffix(".tape") {
                Some(_) => Path::new("recordings").join(name).exists(),
                None if name.starts_with("cargo bench --bench ") => {
                    Path::new(&format!("benches/{}.rs", name.rsplit(' ').next().unwrap_or_default())).exists()
                }
                None => all.contains(&format!("fn {name}(")),
            };
            assert!(there, "{name} is not there");
        }
    }
}
