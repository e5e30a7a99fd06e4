//! The arithmetic compared with the worked examples and with plain maps.

use proptest::prelude::*;

use super::*;

fn res(pairs: &[(&str, i64)]) -> Resource {
    pairs.iter().copied().collect()
}

/// EX-26, row by row.
#[test]
fn worked_example_ex_26() {
    let m10 = res(&[("memory", 10)]);
    let m5g1 = res(&[("memory", 5), ("gpu", 1)]);
    assert!(!m10.fit_in(&m5g1));
    assert!(m10.fit_in_max_undef(&m5g1));
    assert!(Resource::new().fit_in_max_undef(&m5g1));
    assert!(res(&[("memory", -5)]).fit_in(&res(&[("memory", 0)])));
    assert!(!res(&[("memory", -5)]).fit_in(&res(&[("memory", 1)])));
    assert!(res(&[("a", 2), ("b", 1)]).strictly_greater(&res(&[("a", 1), ("b", 1)])));
    assert!(!res(&[("a", 2)]).strictly_greater(&res(&[("b", 1)])));
    assert!(res(&[("a", 0), ("b", 1)]).strictly_greater_than_zero());
    assert!(!res(&[("a", -1), ("b", 1)]).strictly_greater_than_zero());
    assert!(!Resource::new().strictly_greater_than_zero());
    let (a5b2, a3c1) = (res(&[("a", 5), ("b", 2)]), res(&[("a", 3), ("c", 1)]));
    assert_same(&a5b2.min_strict(&a3c1), &[("a", 3), ("b", 0), ("c", 0)]);
    assert_same(&a5b2.min_permissive(&a3c1), &[("a", 3), ("b", 2), ("c", 1)]);
    assert_same(&res(&[("a", 5)]).sub_only_existing(&res(&[("a", 7), ("b", 1)])), &[("a", -2)]);
    let score = res(&[("m", 10)]).fit_in_score(&res(&[("m", 100), ("v", 1)]));
    assert!((score - 1.9).abs() < 1e-12);
    let used = res(&[("m", 1024), ("v", 0)]).used_percent(&res(&[("m", 100), ("v", 1), ("g", 9)]));
    assert_same(&used, &[("m", 9), ("v", 100)]);
}

/// Also compares which names are present; `==` treats an absent name as 0.
fn assert_same(have: &Resource, want: &[(&str, i64)]) {
    assert_eq!(have.iter().collect::<Vec<_>>(), res(want).iter().collect::<Vec<_>>());
}

#[test]
fn absent_zero_and_unset_are_different() {
    let zero = res(&[("memory", 0)]);
    let wanted = res(&[("memory", 1)]);
    assert_eq!(zero, Resource::new());
    assert!(!zero.fit_in_max_undef(&wanted));
    assert!(Resource::new().fit_in_max_undef(&wanted));
    assert_eq!(Resource::min_permissive_unset(None, None), None);
    assert_eq!(Resource::min_permissive_unset(Some(&zero), None), Some(zero.clone()));
}

const NAMES: [&str; 5] = ["memory", "vcore", "gpu", "ephemeral-storage", "zz"];

fn any_resource() -> impl Strategy<Value = Resource> {
    let amount = prop_oneof![
        4 => -20i64..20,
        1 => Just(i64::MAX),
        1 => Just(i64::MIN),
    ];
    prop::collection::vec((prop::sample::select(&NAMES), amount), 0..6).prop_map(|pairs| pairs.into_iter().collect())
}

/// The rules word by word over plain maps.
mod plain {
    use super::*;

    pub fn names(a: &Resource, b: &Resource) -> Vec<&'static str> {
        NAMES.into_iter().filter(|n| a.get(n).is_some() || b.get(n).is_some()).collect()
    }

    pub fn fit_in(larger: &Resource, smaller: &Resource) -> bool {
        smaller.iter().all(|(n, want)| want <= larger.amount(n).max(0))
    }

    pub fn fit_in_max_undef(larger: &Resource, smaller: &Resource) -> bool {
        smaller.iter().all(|(n, want)| match larger.get(n) {
            None => true,
            Some(have) => want <= have.max(0),
        })
    }

    pub fn strictly_greater(a: &Resource, b: &Resource) -> bool {
        names(a, b).iter().all(|n| a.amount(n) >= b.amount(n)) && names(a, b).iter().any(|n| a.amount(n) > b.amount(n))
    }
}

proptest! {
    #[test]
    fn comparisons_agree_with_the_plain_reading(a in any_resource(), b in any_resource()) {
        prop_assert_eq!(a.fit_in(&b), plain::fit_in(&a, &b));
        prop_assert_eq!(a.fit_in_max_undef(&b), plain::fit_in_max_undef(&a, &b));
        prop_assert_eq!(a.strictly_greater(&b), plain::strictly_greater(&a, &b));
        prop_assert_eq!(a == b, plain::names(&a, &b).iter().all(|n| a.amount(n) == b.amount(n)));
        prop_assert_eq!(a.strictly_greater_than_zero(), plain::strictly_greater(&a, &Resource::new()));
    }

    #[test]
    fn arithmetic_works_by_name(a in any_resource(), b in any_resource()) {
        let (sum, difference) = (a.add(&b), a.sub(&b));
        let (mut sum_in_place, mut difference_in_place) = (a.clone(), a.clone());
        sum_in_place.add_assign(&b);
        difference_in_place.sub_assign(&b);
        for name in plain::names(&a, &b) {
            let (l, r) = (a.get(name), b.get(name));
            prop_assert_eq!(sum.get(name), Some(a.amount(name).saturating_add(b.amount(name))));
            prop_assert_eq!(difference.get(name), Some(a.amount(name).saturating_sub(b.amount(name))));
            prop_assert_eq!(a.sub_only_existing(&b).get(name), l.map(|l| l.saturating_sub(b.amount(name))));
            prop_assert_eq!(a.sub_eliminate_negative(&b).get(name), Some(difference.amount(name).max(0)));
            prop_assert_eq!(a.min_strict(&b).get(name), Some(a.amount(name).min(b.amount(name))));
            prop_assert_eq!(a.max(&b).get(name), Some(a.amount(name).max(b.amount(name))));
            let permissive = match (l, r) { (Some(l), Some(r)) => Some(l.min(r)), _ => l.or(r) };
            prop_assert_eq!(a.min_permissive(&b).get(name), permissive);
        }
        prop_assert_eq!(sum.iter().count(), plain::names(&a, &b).len());
        prop_assert_eq!(sum_in_place.iter().collect::<Vec<_>>(), sum.iter().collect::<Vec<_>>());
        prop_assert_eq!(difference_in_place.iter().collect::<Vec<_>>(), difference.iter().collect::<Vec<_>>());
    }

    #[test]
    fn adding_and_subtracting_returns_the_original(a in any_resource(), b in any_resource()) {
        let far = |r: &Resource| r.iter().any(|(_, v)| v.unsigned_abs() > u64::from(u32::MAX));
        prop_assume!(!far(&a) && !far(&b));
        prop_assert_eq!(a.add(&b).sub(&b), a);
    }

    #[test]
    fn what_fits_the_smaller_of_two_fits_both(a in any_resource(), b in any_resource(), want in any_resource()) {
        let both = a.fit_in_max_undef(&want) && b.fit_in_max_undef(&want);
        prop_assert_eq!(a.min_permissive(&b).fit_in_max_undef(&want), both);
    }
}
