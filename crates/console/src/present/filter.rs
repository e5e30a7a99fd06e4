//! The filter of lists: fuzzy, `=` for an exact name, `!` for the inverse.
//!
//! A fuzzy filter matches letters in order. Contiguous matches hide scattered ones, which are too many in long paths.
//! Scattered letters match names only, or paths if they contain a dot.

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// A parsed filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    invert: bool,
    exact: bool,
    needle: String,
}

impl Filter {
    /// Parses a filter; `None` if it is empty.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (invert, text) = text.strip_prefix('!').map_or((false, text), |rest| (true, rest));
        let (exact, text) = text.strip_prefix('=').map_or((false, text), |rest| (true, rest));
        let needle = text.trim().to_lowercase();
        (!needle.is_empty()).then_some(Self { invert, exact, needle })
    }

    /// Whether each item passes. `texts`: its texts, name first.
    pub fn select<T, const N: usize>(
        &self,
        items: impl Iterator<Item = T>,
        texts: impl Fn(&T) -> [&str; N],
    ) -> Vec<bool> {
        let items: Vec<T> = items.collect();
        let whole: Vec<bool> = items.iter().map(|item| texts(item).iter().any(|text| self.means(text))).collect();
        // Only without contiguous matches, and never to hide something.
        if self.exact || self.invert || whole.contains(&true) {
            return whole.into_iter().map(|whole| whole != self.invert).collect();
        }
        let mut sieve = Sieve::new(self);
        items.iter().map(|item| sieve.finds(&texts(item))).collect()
    }

    fn means(&self, text: &str) -> bool {
        if self.exact { same(text, &self.needle) } else { contains_text(text, &self.needle) }
    }
}

struct Sieve<'f> {
    filter: &'f Filter,
    matcher: Matcher,
    pattern: Pattern,
    buffer: Vec<char>,
}

impl<'f> Sieve<'f> {
    fn new(filter: &'f Filter) -> Self {
        Self {
            filter,
            matcher: Matcher::new(Config::DEFAULT),
            pattern: fuzzy_pattern(&filter.needle),
            buffer: Vec::new(),
        }
    }

    fn finds(&mut self, texts: &[&str]) -> bool {
        // They match nearly any path; only a needle with a dot means a path.
        let examined = if self.filter.needle.contains('.') { texts.len() } else { 1 };
        texts
            .iter()
            .take(examined)
            .any(|text| self.pattern.score(Utf32Str::new(text, &mut self.buffer), &mut self.matcher).is_some())
    }
}

fn fuzzy_pattern(needle: &str) -> Pattern {
    Pattern::new(needle, CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy)
}

fn same(text: &str, needle: &str) -> bool {
    if text.is_ascii() { text.eq_ignore_ascii_case(needle) } else { text.to_lowercase() == needle }
}

fn contains_text(text: &str, needle: &str) -> bool {
    if !text.is_ascii() {
        return text.to_lowercase().contains(needle);
    }
    // Fast path for names without capitals.
    if text.contains(needle) {
        return true;
    }
    if !text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return false;
    }
    let (text, needle) = (text.as_bytes(), needle.as_bytes());
    text.windows(needle.len()).any(|window| window.eq_ignore_ascii_case(needle))
}

/// The best `most` items, in order if nothing is typed. Prefix matches are first, then better ones, then shorter items.
pub fn complete<T: AsRef<str>>(typed: &str, items: impl Iterator<Item = T>, most: usize) -> Vec<T> {
    if typed.trim().is_empty() {
        return items.take(most).collect();
    }
    let lower = typed.to_lowercase();
    let (mut first, mut others) = (Best::of(most), Vec::new());
    for (place, item) in items.enumerate() {
        if starts(item.as_ref(), &lower) {
            first.take((0, item.as_ref().len(), place), item);
        } else if first.retained.len() < most {
            others.push((place, item));
        }
    }
    // All prefix matches rank equally.
    let mut found = first.sorted();
    if found.len() < most {
        let (mut matcher, pattern, mut buffer) = (Matcher::new(Config::DEFAULT), fuzzy_pattern(typed), Vec::new());
        let mut rest = Best::of(most - found.len());
        for (place, item) in others {
            if let Some(score) = pattern.score(Utf32Str::new(item.as_ref(), &mut buffer), &mut matcher) {
                rest.take((u32::MAX - score, item.as_ref().len(), place), item);
            }
        }
        found.extend(rest.sorted());
    }
    found
}

struct Best<T> {
    most: usize,
    retained: Vec<((u32, usize, usize), T)>,
    worst: Option<(u32, usize, usize)>,
}

impl<T> Best<T> {
    fn of(most: usize) -> Self {
        Self { most, retained: Vec::new(), worst: None }
    }

    fn take(&mut self, rank: (u32, usize, usize), item: T) {
        if self.worst.is_some_and(|worst| rank > worst) {
            return;
        }
        self.retained.push((rank, item));
        if self.retained.len() >= self.most.saturating_mul(8) {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if self.most > 0 && self.most < self.retained.len() {
            let (_, (worst, _), _) = self.retained.select_nth_unstable_by_key(self.most - 1, |(rank, _)| *rank);
            self.worst = Some(*worst);
        }
        self.retained.truncate(self.most);
    }

    fn sorted(mut self) -> Vec<T> {
        self.cut();
        self.retained.sort_unstable_by_key(|(rank, _)| *rank);
        self.retained.into_iter().map(|(_, item)| item).collect()
    }
}

fn starts(text: &str, lower: &str) -> bool {
    if text.is_ascii() {
        return text.as_bytes().get(..lower.len()).is_some_and(|head| head.eq_ignore_ascii_case(lower.as_bytes()));
    }
    text.to_lowercase().starts_with(lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUEUES: [&str; 6] =
        ["root", "root.prod", "root.prod.etl", "root.prod.eng", "root.tenants", "root.tenants.late-run"];

    fn passing(filter: &str) -> Vec<&'static str> {
        let Some(filter) = Filter::parse(filter) else { return QUEUES.to_vec() };
        let retained = filter.select(QUEUES.iter(), |path| [path.rsplit('.').next().unwrap(), path]);
        QUEUES.into_iter().zip(retained).filter(|(_, retained)| *retained).map(|(path, _)| path).collect()
    }

    #[test]
    fn prefers_whole_pieces_to_scattered_letters() {
        assert_eq!(passing("etl"), ["root.prod.etl"]);
        assert_eq!(passing("lru"), ["root.tenants.late-run"]);
        assert_eq!(passing("te.la"), ["root.tenants.late-run"]);
        assert_eq!(passing("ETL"), ["root.prod.etl"]);
        assert_eq!(passing("xyz"), Vec::<&str>::new());
        assert_eq!(passing("  "), QUEUES);
    }

    #[test]
    fn exact_means_the_whole_name() {
        assert_eq!(passing("=prod"), ["root.prod"]);
        assert_eq!(passing("=root.prod.eng"), ["root.prod.eng"]);
        assert_eq!(passing("=pro"), Vec::<&str>::new());
    }

    #[test]
    fn inverts() {
        assert_eq!(passing("!prod"), ["root", "root.tenants", "root.tenants.late-run"]);
        assert_eq!(passing("!=prod").len(), 5);
        assert_eq!(passing("!"), QUEUES);
    }

    #[test]
    fn completes_prefixes_first() {
        let words = ["reverse", "queues", "quit", "queue"];
        assert_eq!(complete("qu", words.iter(), 9), [&"quit", &"queue", &"queues"]);
        assert_eq!(complete("", words.iter(), 2).len(), 2);
    }

    #[test]
    fn the_best_of_many_are_those_of_all() {
        let words: Vec<String> =
            (0..3_000).map(|at| format!("{}-{}", ["app", "web", "Apple"][at % 3], at * 7 % 3_000)).collect();
        for typed in ["app", "a", "99", "w-1", "APP-12", "none"] {
            let all = complete(typed, words.iter(), usize::MAX);
            for most in [0, 1, 7, 50] {
                assert_eq!(complete(typed, words.iter(), most), all[..most.min(all.len())], "{most} for {typed}");
            }
        }
    }
}
