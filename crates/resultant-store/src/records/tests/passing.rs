//! Calls and events: what is written in passing, and who hears of it.

use super::*;

pub(super) async fn calls_are_kept_whole(url: String) {
    let records = open(&url).await;
    let mut calls = Vec::new();
    for (number, ending) in
        [Ending::Ok, Ending::ToolError, Ending::Failed, Ending::Refused, Ending::Cancelled]
            .into_iter()
            .enumerate()
    {
        let mut call = call("ann", if number < 3 { "s" } else { "t" }, 100 + number as i64);
        call.ending = ending;
        call.message = (number == 2).then(|| "it broke".to_owned());
        call.arguments = (number != 3).then(|| "{\"a\":1}".to_owned());
        call.tool = format!("tool{number}");
        call.raw = match number {
            0 => Raw::None,
            1 => Raw::Inline(vec![0, 255, 10]),
            2 => Raw::Inline(Vec::new()),
            _ => Raw::Blob { sha256: "ab".to_owned(), size: 5 << 40 },
        };
        records.record(Entry::Call(Box::new(call.clone()))).await;
        calls.push(call);
    }
    // The same call once more is the same call.
    records.record(Entry::Call(Box::new(calls[0].clone()))).await;
    records.flush().await.unwrap();
    for call in &calls {
        assert_eq!(records.call("ann", call.id).await.unwrap().as_ref(), Some(call));
    }
    assert_eq!(records.session("ann", "s").await.unwrap(), None, "a call makes no session");
    let ids = async |filter: &CallFilter, page: &Page| {
        let calls = records.calls("ann", filter, page).await.unwrap();
        assert!(calls.iter().all(|call| call.raw == Raw::None && call.arguments.is_none()));
        calls.into_iter().map(|call| call.id).collect::<Vec<_>>()
    };
    let all = CallFilter::default();
    let mut expected: Vec<Id> = calls.iter().map(|call| call.id).collect();
    expected.reverse();
    assert_eq!(ids(&all, &Page::default()).await, expected);
    let page = Page { count: 2, after: Some((104, calls[4].id.to_string())) };
    assert_eq!(ids(&all, &page).await, expected[1..3]);
    let filter = CallFilter { session: Some("s".to_owned()), ..all.clone() };
    assert_eq!(ids(&filter, &Page::default()).await, expected[2..]);
    let filter = CallFilter { tool: Some("tool3".to_owned()), ..CallFilter::default() };
    assert_eq!(ids(&filter, &Page::default()).await, expected[1..2]);
    let filter = CallFilter { server: Some("none".to_owned()), ..filter };
    assert_eq!(ids(&filter, &Page::default()).await, []);
}

pub(super) async fn calls_add_up(url: String) {
    let records = open(&url).await;
    let none = records.totals(Some("ann"), &CallFilter::default(), TotalsBy::Server).await;
    assert_eq!(none.unwrap(), []);
    for (at, (owner, session, server)) in [
        ("ann", "s", "one"),
        ("ann", "s", "two"),
        ("ann", "t", "one"),
        ("bob", "s", "one"),
        ("ann", "s", "one"),
    ]
    .into_iter()
    .enumerate()
    {
        let mut call = call(owner, session, 100 + at as i64);
        call.server = server.to_owned();
        // Together they need more than 32 bits.
        call.tokens_in = 3 << 30;
        call.tokens_out = at as u64;
        call.ending = if at == 2 { Ending::Refused } else { Ending::Ok };
        records.record(Entry::Call(Box::new(call))).await;
    }
    records.flush().await.unwrap();
    let row = |name: &str, calls: u64, errors: u64, tokens_out: u64| Totals {
        name: name.to_owned(),
        calls,
        errors,
        bytes_in: calls,
        bytes_out: 2 * calls,
        tokens_in: calls * (3 << 30),
        tokens_out,
    };
    let all = CallFilter::default();
    let totals = async |owner: Option<&str>, filter: &CallFilter, by: TotalsBy| {
        records.totals(owner, filter, by).await.unwrap()
    };
    let by_server = totals(Some("ann"), &all, TotalsBy::Server).await;
    assert_eq!(by_server, [row("one", 3, 1, 6), row("two", 1, 0, 1)]);
    let by_session = totals(Some("ann"), &all, TotalsBy::Session).await;
    assert_eq!(by_session, [row("s", 3, 0, 5), row("t", 1, 1, 2)]);
    assert_eq!(totals(None, &all, TotalsBy::Server).await[0], row("one", 4, 1, 9));
    let filter = CallFilter { session: Some("s".to_owned()), ..all.clone() };
    assert_eq!(totals(Some("bob"), &filter, TotalsBy::Server).await, [row("one", 1, 0, 3)]);
    let filter = CallFilter { server: Some("two".to_owned()), ..filter };
    assert_eq!(totals(Some("ann"), &filter, TotalsBy::Session).await, [row("s", 1, 0, 1)]);
    assert_eq!(totals(Some("a\0"), &all, TotalsBy::Server).await, []);
}

pub(super) async fn events_have_one_order(url: String) {
    let records = open(&url).await;
    let mut feed = records.feed("ann", "s", 0);
    let mut tasks = Vec::new();
    for writer in 0..4 {
        let records = Arc::clone(&records);
        tasks.push(tokio::spawn(async move {
            for number in 0..200 {
                records.record(event("ann", "s", &format!("{writer} {number}"))).await;
                records.record(event("bob", "s", "not ann's")).await;
            }
        }));
    }
    let seen = read_feed(&mut feed, 800).await;
    check_order(&seen, 4, 200);
    for task in tasks {
        task.await.unwrap();
    }
    records.flush().await.unwrap();
    assert_eq!(records.newest_event("ann", "s").await.unwrap(), 800);
    assert_eq!(records.events("ann", "s", 790, 5).await.unwrap(), seen[790..795]);
    // A feed that begins later has the rest.
    let rest = read_feed(&mut records.feed("ann", "s", 300), 500).await;
    assert_eq!(rest, seen[300..]);
    assert_eq!(records.session("ann", "s").await.unwrap().unwrap().kind, SessionKind::Mcp);
}

async fn read_feed(feed: &mut crate::Feed, count: usize) -> Vec<Event> {
    let mut seen = Vec::new();
    while seen.len() < count {
        seen.push(feed.next().await.unwrap());
    }
    seen
}

/// Every event once: the numbers have no gap, and what one writer wrote stays in its order.
fn check_order(seen: &[Event], writers: usize, each: usize) {
    let numbers: Vec<i64> = seen.iter().map(|event| event.number).collect();
    let first = numbers[0];
    assert_eq!(numbers, (first..first + numbers.len() as i64).collect::<Vec<_>>());
    let mut next = vec![0; writers];
    for event in seen {
        let (writer, number) = event.data.split_once(' ').unwrap();
        let writer: usize = writer.parse().unwrap();
        assert_eq!(number.parse::<usize>().unwrap(), next[writer]);
        next[writer] += 1;
    }
    assert!(next.iter().all(|count| *count == each), "{next:?}");
}

pub(super) async fn two_gateways_agree_on_the_order(url: String) {
    let gateways = [open(&url).await, open(&url).await];
    let mut feeds: Vec<_> = gateways.iter().map(|records| records.feed("ann", "s", 0)).collect();
    let mut tasks = Vec::new();
    for writer in 0..8 {
        let records = Arc::clone(&gateways[writer % 2]);
        tasks.push(tokio::spawn(async move {
            for number in 0..250 {
                records.record(event("ann", "s", &format!("{writer} {number}"))).await;
                if number % 50 == 0 {
                    records.flush().await.unwrap();
                }
            }
        }));
    }
    let (first, second) = feeds.split_at_mut(1);
    let (first, second) =
        tokio::join!(read_feed(&mut first[0], 2000), read_feed(&mut second[0], 2000));
    assert_eq!(first, second);
    check_order(&first, 8, 250);
    for task in tasks {
        task.await.unwrap();
    }
    // One more in a quiet moment reaches the other gateway too.
    gateways[0].record(event("ann", "s", "last")).await;
    assert_eq!(feeds[1].next().await.unwrap().data, "last");
}

pub(super) async fn numbers_never_go_back_and_a_feed_ends_with_its_session(url: String) {
    let records = open(&url).await;
    let mut feed = records.feed("ann", "s", 0);
    for number in 0..3 {
        records.record(event("ann", "s", &number.to_string())).await;
    }
    assert_eq!(read_feed(&mut feed, 3).await[2].number, 3);
    let mut other = records.feed("bob", "s", 0);
    records.record(event("bob", "s", "his")).await;
    assert_eq!(read_feed(&mut other, 1).await[0].number, 1);
    assert!(records.delete_session("ann", "s").await.unwrap());
    let ended = feed.next().await;
    assert!(matches!(ended, Err(StoreError::NoSession)), "{ended:?}");
    records.record(event("ann", "s", "again")).await;
    // Whoever comes back with the number seen last misses nothing, and gets nothing twice.
    let mut feed = records.feed("ann", "s", 3);
    let next = feed.next().await.unwrap();
    assert_eq!((next.number, &*next.data), (4, "again"));
    // The same where somebody has made it before something happened in it.
    assert!(records.delete_session("ann", "s").await.unwrap());
    // Sessions that were made in the same millisecond are not told apart.
    let now = crate::clock::now_ms();
    while crate::clock::now_ms() == now {
        tokio::task::yield_now().await;
    }
    make(&records, "ann", "s").await;
    let ended = feed.next().await;
    assert!(matches!(ended, Err(StoreError::NoSession)), "{ended:?}");
    records.record(event("ann", "s", "once more")).await;
    assert_eq!(records.feed("ann", "s", 4).next().await.unwrap().number, 5);
    records.record(event("bob", "s", "his again")).await;
    assert_eq!(read_feed(&mut other, 1).await[0].number, 2);
    // What happens in a session that is not there makes it, as what it is.
    for (id, kind) in [("default", SessionKind::Default), ("other", SessionKind::Mcp)] {
        records.record(event("ann", id, "first")).await;
        records.flush().await.unwrap();
        assert_eq!(records.session("ann", id).await.unwrap().unwrap().kind, kind);
    }
}

pub(super) async fn what_is_queued_survives_the_end(url: String) {
    let records = open(&url).await;
    for number in 0..2000 {
        records.record(event("ann", "s", &number.to_string())).await;
    }
    let database = Arc::clone(&records.database);
    drop(records);
    // The database is still there; the writer goes on by itself until its queue is empty.
    let count = async || {
        let sql = "SELECT COUNT(*) FROM events";
        let row = sqlx::query(sql).fetch_one(&database.pool).await.unwrap();
        sqlx::Row::try_get::<i64, _>(&row, 0).unwrap()
    };
    while count().await < 2000 {
        tokio::task::yield_now().await;
    }
    if url == "sqlite::memory:" {
        return;
    }
    let records = open(&url).await;
    for number in 0..1000 {
        records.record(event("ann", "s", &number.to_string())).await;
    }
    records.close().await;
    assert_eq!(records.lost(), 0);
    records.record(event("ann", "s", "too late")).await;
    assert_eq!(records.lost(), 1);
    assert!(records.flush().await.is_err());
    assert!(records.session("ann", "s").await.is_err());
    let records = open(&url).await;
    assert_eq!(records.newest_event("ann", "s").await.unwrap(), 3000);
}

pub(super) async fn an_entry_that_cannot_be_kept_harms_no_other(url: String) {
    let records = open(&url).await;
    records.record(event("ann", "s", "1")).await;
    records.record(event("a\0nn", "s", "2")).await;
    records.record(event("ann", &"x".repeat(600), "3")).await;
    records.record(event("ann", "s", "zero \0 in data")).await;
    let mut odd = call("ann", "s", 1);
    odd.message = Some("zero \0".to_owned());
    records.record(Entry::Call(Box::new(odd.clone()))).await;
    // The database itself refuses this one: a check that only the test knows.
    let is_postgres = url.starts_with("postgres");
    let sql = if is_postgres {
        "ALTER TABLE events ADD CHECK (data <> 'poison')"
    } else {
        "CREATE TRIGGER poison BEFORE INSERT ON events WHEN new.data = 'poison' \
         BEGIN SELECT RAISE(ABORT, 'poison'); END"
    };
    records.flush().await.unwrap();
    sqlx::query(sql).execute(&records.database.pool).await.unwrap();
    for number in 0..100 {
        let data = if number == 42 { "poison".to_owned() } else { number.to_string() };
        records.record(event("ann", "s", &data)).await;
    }
    assert!(records.flush().await.is_err());
    records.flush().await.unwrap();
    assert_eq!(records.lost(), 3);
    let events = records.events("ann", "s", 0, 1000).await.unwrap();
    let numbers: Vec<i64> = events.iter().map(|event| event.number).collect();
    assert_eq!(numbers, (1..=101).collect::<Vec<_>>());
    assert_eq!(events[1].data, "zero \u{fffd} in data");
    let expected: Vec<String> =
        (0..100).filter(|number| *number != 42).map(|number| number.to_string()).collect();
    let data: Vec<&str> = events[2..].iter().map(|event| &*event.data).collect();
    assert_eq!(data, expected);
    let odd = records.call("ann", odd.id).await.unwrap().unwrap();
    assert_eq!(odd.message.as_deref(), Some("zero \u{fffd}"));
}

pub(super) async fn the_file_is_its_owners(url: String) {
    use std::os::unix::fs::PermissionsExt as _;
    let records = open(&url).await;
    make(&records, "ann", "s").await;
    let path = url.strip_prefix("sqlite:").unwrap();
    for end in ["", "-wal", "-shm"] {
        let mode = std::fs::metadata(format!("{path}{end}")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{end}");
    }
}

/// The server goes away and comes back: what was recorded meanwhile is written, once, and those who listen go on.
pub(super) async fn an_outage_loses_nothing(database: postgres::TestDatabase) {
    let records = open(&database.url).await;
    let mut feed = records.feed("ann", "s", 0);
    for number in 0..50 {
        records.record(event("ann", "s", &format!("0 {number}"))).await;
    }
    let mut seen = read_feed(&mut feed, 50).await;
    let server = Arc::clone(&database.server);
    let stopped = tokio::task::spawn_blocking(move || server.kill());
    for number in 50..150 {
        records.record(event("ann", "s", &format!("0 {number}"))).await;
        tokio::task::yield_now().await;
    }
    stopped.await.unwrap();
    // Reading fails in time, and says so.
    let start = std::time::Instant::now();
    assert!(records.session("ann", "s").await.is_err());
    assert!(start.elapsed() < std::time::Duration::from_secs(20));
    let server = Arc::clone(&database.server);
    tokio::task::spawn_blocking(move || server.serve()).await.unwrap();
    records.flush().await.unwrap();
    while seen.len() < 150 {
        // The feed may tell of the outage, and goes on when asked again.
        if let Ok(event) = feed.next().await {
            seen.push(event);
        }
    }
    check_order(&seen, 1, 150);
    assert_eq!(records.newest_event("ann", "s").await.unwrap(), 150);
    assert_eq!(records.lost(), 0);
}
