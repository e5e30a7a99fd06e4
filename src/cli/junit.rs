//! Results as JUnit XML for CI systems.

use std::fmt::Write as _;

use super::html::escaped;

/// A passed or failed result.
pub struct Case {
    /// The checked item, for example the file.
    pub class: String,
    /// The name of the result.
    pub name: String,
    /// The duration in seconds.
    pub time: f64,
    /// The failure: a line, and the whole text.
    pub failure: Option<(String, String)>,
}

/// A document with one suite, which names the core of the results.
pub fn document(suite: &str, core: &str, cases: &[Case]) -> String {
    let failures = cases.iter().filter(|case| case.failure.is_some()).count();
    let time: f64 = cases.iter().fold(0.0, |sum, case| sum + case.time);
    let counts = format!("tests=\"{}\" failures=\"{failures}\" time=\"{time:.3}\"", cases.len());
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, "<testsuites {counts}>");
    let _ = writeln!(out, "  <testsuite name=\"{}\" errors=\"0\" skipped=\"0\" {counts}>", escaped(suite));
    let property = format!("<property name=\"core\" value=\"{}\"/>", escaped(core));
    let _ = writeln!(out, "    <properties>{property}</properties>");
    for Case { class, name, time, failure } in cases {
        let (class, name) = (escaped(class), escaped(name));
        let _ = write!(out, "    <testcase classname=\"{class}\" name=\"{name}\" time=\"{time:.3}\"");
        let _ = match failure {
            None => writeln!(out, "/>"),
            Some((line, text)) => writeln!(
                out,
                ">\n      <failure message=\"{}\">{}</failure>\n    </testcase>",
                escaped(line),
                escaped(text)
            ),
        };
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_inside_their_element() {
        let failure = Some(("a \"b\"".to_owned(), "<x> & \u{1b}[1m\u{202e}".to_owned()));
        let case = Case { class: "q.yaml".to_owned(), name: "W-001".to_owned(), time: 0.25, failure };
        let out = document("check", "1.9.0", &[case]);
        assert!(out.contains("<property name=\"core\" value=\"1.9.0\"/>"), "{out}");
        assert!(document("check", "1.9.0", &[]).contains("time=\"0.000\""));
        assert!(out.contains("tests=\"1\" failures=\"1\" time=\"0.250\""), "{out}");
        assert!(out.contains("message=\"a &quot;b&quot;\">&lt;x&gt; &amp; \u{fffd}[1m\\u{202e}</failure>"), "{out}");
    }
}
