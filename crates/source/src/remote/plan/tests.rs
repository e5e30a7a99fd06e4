use super::*;

const S: Duration = Duration::from_secs(1);
const MS: Duration = Duration::from_millis(1);

fn p() -> Arc<str> {
    Arc::from("default")
}

fn plan() -> Plan {
    let mut plan = Plan::new(2 * S);
    let of: [fn(Arc<str>) -> Query; 5] = [Query::Queues, Query::Apps, Query::Nodes, Query::Users, Query::Completed];
    let all = of.into_iter().map(|of| of(p())).chain([Query::Config]);
    all.for_each(|query| plan.add(query, Duration::ZERO));
    plan
}

/// Answers everything due until `end`, each in `took`; returns the times of the requests.
fn run(plan: &mut Plan, from: Duration, end: Duration, took: impl Fn(&Query) -> Duration) -> Vec<(Duration, Query)> {
    let mut asked = Vec::new();
    let mut now = from;
    while now < end {
        for query in plan.take_due(now) {
            plan.done(&query, took(&query), Duration::ZERO);
            asked.push((now, query));
        }
        now += 100 * MS;
    }
    asked
}

fn count(asked: &[(Duration, Query)], query: &Query) -> usize {
    asked.iter().filter(|(_, other)| other == query).count()
}

#[test]
fn the_screen_is_refreshed_first_and_the_rest_at_a_limited_rate() {
    let mut plan = plan();
    plan.set_focus(Focus { partition: p(), kind: FocusKind::Nodes }, Duration::ZERO);
    let first = plan.take_due(Duration::ZERO);
    assert_eq!(first, [Query::Partitions, Query::Queues(p()), Query::Nodes(p()), Query::Config]);
    assert_eq!(plan.take_due(S), [], "no more than that at once");
    first.iter().for_each(|query| plan.done(query, MS, MS));
    let asked = run(&mut plan, S, 61 * S, |_| MS);
    assert_eq!(count(&asked, &Query::Nodes(p())), 30, "every two seconds");
    assert_eq!(count(&asked, &Query::Queues(p())), 30);
    assert_eq!(count(&asked, &Query::Apps(p())), 4, "every sixteen");
    assert_eq!(count(&asked, &Query::Completed(p())), 2);
}

#[test]
fn slow_and_costly_answers_stretch_their_interval() {
    let mut plan = plan();
    plan.set_focus(Focus { partition: p(), kind: FocusKind::Apps(None) }, Duration::ZERO);
    let asked = run(&mut plan, Duration::ZERO, 60 * S, |query| if *query == Query::Apps(p()) { S } else { MS });
    assert_eq!(count(&asked, &Query::Apps(p())), 6, "ten times what it took");
    assert_eq!(count(&asked, &Query::Queues(p())), 30, "nobody else waits for it");
}

#[test]
fn without_changes_lists_are_read_seldom_but_the_partitions_are_not() {
    let mut plan = Plan::new(2 * S);
    plan.add(Query::Queues(p()), Duration::ZERO);
    let queries = plan.take_due(Duration::ZERO);
    assert_eq!(queries, [Query::Partitions, Query::Queues(p())]);
    let mut due = |fed: bool, cost: Duration| {
        if fed {
            plan.fed(Duration::ZERO);
        }
        queries
            .iter()
            .map(|query| {
                plan.done(query, 150 * MS, cost);
                plan.entries[query].due
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(due(false, 150 * MS), [Duration::from_millis(7500); 2], "2 % of a core");
    assert_eq!(due(true, 30 * MS), [2 * S, 30 * S], "0.1 % while events report every change");
    assert_eq!(due(true, 150 * MS), [Duration::from_millis(7500), 120 * S], "but each two minutes");
    plan.expedite(|_| true, S);
    assert_eq!(plan.entries[&queries[1]].due, 9 * S, "an event shortens that");
}

#[test]
fn opening_another_page_sends_a_query_and_drops_single_objects() {
    let mut plan = plan();
    run(&mut plan, Duration::ZERO, 2 * S, |_| MS);
    let app = Query::App(p(), AppId::from("a"));
    plan.set_focus(Focus { partition: p(), kind: FocusKind::App(AppId::from("a")) }, 3 * S);
    assert!(plan.take_due(3 * S).contains(&app));
    plan.done(&app, MS, MS);
    plan.set_focus(Focus { partition: p(), kind: FocusKind::Users }, 4 * S);
    assert!(!plan.has(&app));
    assert_eq!(plan.take_due(4 * S), [Query::Users(p())], "the others are under way");
}

#[test]
fn changes_cause_refreshes_at_a_limited_rate() {
    let mut plan = plan();
    run(&mut plan, Duration::ZERO, S, |_| MS);
    plan.expedite(|query| matches!(query, Query::Queues(_)), S);
    assert_eq!(plan.take_due(S), [Query::Queues(p())]);
    plan.done(&Query::Queues(p()), MS, MS);
    plan.expedite(|query| matches!(query, Query::Queues(_)), S);
    assert_eq!(plan.take_due(S + 100 * MS), []);
    assert_eq!(plan.take_due(S + 500 * MS), [Query::Queues(p())]);
}

#[test]
fn what_failed_is_tried_when_it_is_reported() {
    let mut plan = Plan::new(2 * S);
    let query = plan.take_due(Duration::ZERO).remove(0);
    assert_eq!(plan.take_due(9 * S), [], "it is under way");
    plan.failed(&query, 10 * S);
    assert_eq!(plan.next_due(), Some(10 * S));
    plan.all_due(9 * S);
    assert_eq!(plan.take_due(9 * S), [Query::Partitions]);
}
