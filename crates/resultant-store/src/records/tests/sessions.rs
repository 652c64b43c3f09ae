//! Sessions, tokens, dashboards, keys; opening; whose things they are.

use super::*;

pub(super) async fn sessions_come_and_go(url: String) {
    let records = open(&url).await;
    let made = records.open_session("ann", "s1", SessionKind::Api, "One").await.unwrap();
    let again = records.open_session("ann", "s1", SessionKind::Mcp, "Two").await.unwrap();
    assert_eq!(made, again, "the first one stays");
    assert_eq!(records.session("ann", "s1").await.unwrap(), Some(made));
    for number in 2..=5 {
        make(&records, "ann", &format!("s{number}")).await;
    }
    let mut seen = Vec::new();
    let mut page = Page { count: 2, after: None };
    loop {
        let part = records.sessions("ann", &page).await.unwrap();
        let Some(last) = part.last() else { break };
        page.after = Some((last.used_ms, last.id.clone()));
        seen.extend(part);
    }
    assert!(seen.is_sorted_by_key(|s| std::cmp::Reverse((s.used_ms, s.id.clone()))));
    assert_eq!(seen.len(), 5);

    let file = add(&records, "ann", "s1", "a.txt", 10).await;
    let other = add(&records, "ann", "s2", "b.txt", 5).await;
    let of_file = token("ann", "s2", file.key);
    records.add_token(&of_file).await.unwrap();
    let of_other = token("ann", "s2", other.key);
    records.add_token(&of_other).await.unwrap();
    records.record(event("ann", "s1", "{}")).await;
    let kept = call("ann", "s1", 1);
    records.record(Entry::Call(Box::new(kept.clone()))).await;
    records.flush().await.unwrap();
    for persistence in [Persistence::Session, Persistence::Pinned] {
        let id = format!("{persistence:?}");
        records.update_dashboard(&dashboard("ann", "s1", &id, persistence)).await.unwrap();
    }
    assert!(records.delete_session("ann", "s1").await.unwrap());
    assert!(!records.delete_session("ann", "s1").await.unwrap());
    assert_eq!(records.session("ann", "s1").await.unwrap(), None);
    assert_eq!(records.file("ann", file.key).await.unwrap(), None);
    assert_eq!(records.token(of_file.id).await.unwrap(), None);
    assert_eq!(records.token(of_other.id).await.unwrap(), Some(of_other));
    assert_eq!(records.events("ann", "s1", 0, 10).await.unwrap(), []);
    assert_eq!(records.call("ann", kept.id).await.unwrap(), Some(kept));
    let left = records.dashboards("ann", Some("s1")).await.unwrap();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].persistence, Persistence::Pinned);
    // The bytes were given back: five are left of the other session.
    let quotas = Quotas { user_bytes_max: 15, session_bytes_max: 15 };
    let ten = blob("ann", "ten", 10);
    records.add_file("s2", &named("ten"), &ten, &quotas, Held::Uploaded).await.unwrap();
}

pub(super) async fn another_owner_finds_nothing(url: String) {
    let records = open(&url).await;
    make(&records, "ann", "s").await;
    let file = add(&records, "ann", "s", "a.txt", 10).await;
    let token = token("ann", "s", file.key);
    records.add_token(&token).await.unwrap();
    records.record(event("ann", "s", "{}")).await;
    let call = call("ann", "s", 1);
    records.record(Entry::Call(Box::new(call.clone()))).await;
    records.flush().await.unwrap();
    let mine = dashboard("ann", "s", "d", Persistence::Pinned);
    let mine = records.update_dashboard(&mine).await.unwrap();

    let page = Page::default();
    for owner in ["bob", "ANN", "ann ", ""] {
        assert_eq!(records.session(owner, "s").await.unwrap(), None);
        assert_eq!(records.sessions(owner, &page).await.unwrap(), []);
        assert!(!records.delete_session(owner, "s").await.unwrap());
        assert_eq!(records.file(owner, file.key).await.unwrap(), None);
        for session in [None, Some("s")] {
            let named = records.file_named(owner, session, "a.txt", None).await.unwrap();
            assert_eq!(named, None);
            assert_eq!(records.files(owner, session, &page).await.unwrap(), []);
            assert_eq!(records.dashboards(owner, session).await.unwrap(), []);
        }
        assert!(!records.delete_file(owner, file.key).await.unwrap());
        assert_eq!(records.blob(owner, &file.sha256).await.unwrap(), None);
        assert_eq!(records.blob(owner, &file.sha256).await.unwrap(), None);
        assert_eq!(records.call(owner, call.id).await.unwrap(), None);
        assert_eq!(records.calls(owner, &CallFilter::default(), &page).await.unwrap(), []);
        assert_eq!(records.events(owner, "s", 0, 10).await.unwrap(), []);
        assert_eq!(records.newest_event(owner, "s").await.unwrap(), 0);
        assert_eq!(records.tokens_of_file(owner, file.key, 0).await.unwrap(), []);
        for scope in [
            TokenScope::Token(token.id),
            TokenScope::File(file.key),
            TokenScope::Session("s".to_owned()),
        ] {
            assert_eq!(records.revoke(owner, &scope).await.unwrap(), 0);
        }
        let theirs = Dashboard { owner: owner.to_owned(), ..mine.clone() };
        assert!(!records.delete_dashboard(&theirs).await.unwrap());
        let theirs = blob(owner, "x", 1);
        let refused = records.add_file("s", &named("x"), &theirs, &NO_QUOTAS, Held::Uploaded).await;
        assert!(matches!(refused, Err(StoreError::NoSession)));
    }
    // The same bytes are another object for another owner.
    make(&records, "bob", "s").await;
    let theirs = add(&records, "bob", "s", "a.txt", 10).await;
    assert_eq!(theirs.sha256, file.sha256);
    assert_ne!(theirs.object, file.object);
    assert_eq!(records.token(token.id).await.unwrap(), Some(token));
    assert_eq!(records.dashboards("ann", Some("s")).await.unwrap().len(), 1);
}

pub(super) async fn strange_ids_are_not_there(url: String) {
    let records = open(&url).await;
    let long = "x".repeat(5000);
    for strange in ["\0", "a\0b", &long] {
        assert_eq!(records.session("ann", strange).await.unwrap(), None);
        assert_eq!(records.session(strange, "s").await.unwrap(), None);
        let made = records.open_session("ann", strange, SessionKind::Api, "").await;
        assert!(matches!(made, Err(StoreError::NoSession)));
        let files = records.files("ann", Some(strange), &Page::default()).await.unwrap();
        assert_eq!(files, []);
        assert_eq!(records.file_named("ann", None, strange, None).await.unwrap(), None);
        assert!(!records.delete_session("ann", strange).await.unwrap());
        assert_eq!(records.newest_event(strange, "s").await.unwrap(), 0);
        let scope = TokenScope::Session(strange.to_owned());
        assert_eq!(records.revoke("ann", &scope).await.unwrap(), 0);
        let odd = dashboard("ann", strange, "d", Persistence::Pinned);
        let made = records.update_dashboard(&odd).await;
        assert!(matches!(made, Err(StoreError::NoSession)));
    }
    // What only looks like SQL is an id like any other.
    let odd = "'; DROP TABLE sessions; -- $1 %_\\ \u{202e}ü";
    make(&records, odd, odd).await;
    let file = add(&records, odd, odd, odd, 1).await;
    let found = records.file_named(odd, Some(odd), odd, Some(&file.sha256)).await.unwrap();
    assert_eq!(found, Some(file));
}

pub(super) async fn dashboards_are_one_per_server_and_id(url: String) {
    let records = open(&url).await;
    let mut first = dashboard("ann", "s1", "d", Persistence::Session);
    records.update_dashboard(&first).await.unwrap();
    first.title = Some("new".to_owned());
    first.is_open = false;
    let made = records.update_dashboard(&first).await.unwrap();
    assert_eq!(made.title.as_deref(), Some("new"));
    assert!(!made.is_open);
    assert_eq!(records.dashboards("ann", Some("s1")).await.unwrap(), [made]);
    assert_eq!(records.dashboards("ann", Some("s2")).await.unwrap(), []);
    assert_eq!(records.dashboards("ann", None).await.unwrap().len(), 1);

    let pinned = dashboard("ann", "s1", "d", Persistence::Pinned);
    let pinned = records.update_dashboard(&pinned).await.unwrap();
    assert_eq!(records.dashboards("ann", Some("s2")).await.unwrap(), std::slice::from_ref(&pinned));
    // Many at once, from many sessions, still leave one.
    let mut tasks = Vec::new();
    for number in 0..8 {
        let records = Arc::clone(&records);
        let one = dashboard("ann", &format!("t{number}"), "d", Persistence::Pinned);
        tasks.push(tokio::spawn(async move { records.update_dashboard(&one).await }));
    }
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    let left = records.dashboards("ann", None).await.unwrap();
    assert_eq!(left.len(), 1);
    // Another server's has nothing to do with it.
    let mut foreign = dashboard("ann", "s1", "d", Persistence::Pinned);
    foreign.server = "other".to_owned();
    let foreign = records.update_dashboard(&foreign).await.unwrap();
    assert_eq!(records.dashboards("ann", None).await.unwrap().len(), 2);
    assert!(records.delete_dashboard(&left[0]).await.unwrap());
    assert!(!records.delete_dashboard(&left[0]).await.unwrap());
    assert_eq!(records.dashboards("ann", None).await.unwrap(), [foreign]);
}

pub(super) async fn what_is_not_said_of_a_dashboard_stays(url: String) {
    let records = open(&url).await;
    let silent = DashboardUpdate {
        title: None,
        url: None,
        mode: None,
        persistence: None,
        token: None,
        ..dashboard("ann", "s1", "d", Persistence::Session)
    };
    let made = records.update_dashboard(&silent).await.unwrap();
    assert_eq!(made.persistence, Persistence::Session, "where nobody said it");

    let mut whole = dashboard("ann", "s1", "d", Persistence::Pinned);
    (whole.title, whole.mode) = (Some("One".to_owned()), Some("split".to_owned()));
    let whole = records.update_dashboard(&whole).await.unwrap();
    let named = DashboardUpdate { title: Some("Two".to_owned()), ..silent.clone() };
    let named = records.update_dashboard(&named).await.unwrap();
    assert_eq!(named, Dashboard { title: Some("Two".to_owned()), ..whole.clone() });
    // The pinned one is the same in every session.
    let elsewhere = DashboardUpdate { session: "s2".to_owned(), ..silent.clone() };
    let elsewhere = records.update_dashboard(&elsewhere).await.unwrap();
    assert_eq!(elsewhere, Dashboard { session: "s2".to_owned(), ..named });
    assert_eq!(records.dashboards("ann", None).await.unwrap(), [elsewhere]);
    // A token is for the page that it came with.
    let moved = Some("https://other.example".to_owned());
    let moved = DashboardUpdate { session: "s2".to_owned(), url: moved, ..silent.clone() };
    let moved = records.update_dashboard(&moved).await.unwrap();
    assert_eq!((moved.token, moved.persistence), (None, Persistence::Pinned));
    let url = Some("https://example.org".to_owned());
    let token = Some(FrameToken("new".to_owned()));
    let back = DashboardUpdate { url, token, ..silent.clone() };
    assert!(records.update_dashboard(&back).await.unwrap().token.is_some());
    let same = DashboardUpdate { token: None, ..back };
    assert_eq!(records.update_dashboard(&same).await.unwrap().token, None, "it was said anew");
    // Nobody else's is touched.
    let foreign = DashboardUpdate { server: "other".to_owned(), ..silent.clone() };
    assert_eq!(records.update_dashboard(&foreign).await.unwrap().url, None);
    let bobs = DashboardUpdate { owner: "bob".to_owned(), ..silent };
    assert_eq!(records.update_dashboard(&bobs).await.unwrap().url, None);
}

pub(super) async fn dashboards_of_an_older_version_stay(url: String) {
    let records = open(&url).await;
    let made = dashboard("ann", "s1", "d", Persistence::Pinned);
    let made = records.update_dashboard(&made).await.unwrap();
    let before = "DROP INDEX dashboards_pinned;
        UPDATE resultant_version SET version = 3;";
    sqlx::raw_sql(before).execute(&records.database.pool).await.unwrap();
    records.close().await;
    let records = open(&url).await;
    assert_eq!(records.dashboards("ann", None).await.unwrap(), [made]);
}

pub(super) async fn keys_turn(url: String) {
    let records = open(&url).await;
    let mut tasks = Vec::new();
    for _ in 0..8 {
        let records = Arc::clone(&records);
        tasks.push(tokio::spawn(async move { records.keys(1000, 50).await.unwrap() }));
    }
    let mut kids = std::collections::HashSet::new();
    for task in tasks {
        let keys = task.await.unwrap();
        kids.insert((keys[0].kid, keys[0].secret));
    }
    assert_eq!(kids.len(), 1, "all sign with the same key");
    assert_eq!(records.keys(1049, 50).await.unwrap().len(), 1);
    let keys = records.keys(1050, 50).await.unwrap();
    assert_eq!(keys.iter().map(|key| key.created_s).collect::<Vec<_>>(), [1050, 1000]);
    assert_ne!(keys[0].kid, keys[1].kid);
    assert_eq!(records.delete_keys_before(5000).await.unwrap(), 1);
    let left = records.keys(1051, 50).await.unwrap();
    assert_eq!(left.iter().map(|key| key.kid).collect::<Vec<_>>(), [keys[0].kid]);
}

pub(super) async fn tokens_are_counted_and_taken_back(url: String) {
    let records = open(&url).await;
    let file = Id::new();
    let first = token("ann", "s", file);
    records.add_token(&first).await.unwrap();
    let mut second = token("ann", "s", file);
    second.minted_s += 1;
    records.add_token(&second).await.unwrap();
    let found = records.tokens_of_file("ann", file, 199).await.unwrap();
    assert_eq!(found, [second.clone(), first.clone()]);
    assert_eq!(records.tokens_of_file("ann", file, 200).await.unwrap(), []);

    // Sixteen at once want three of ten bytes each; three get them.
    let mut tasks = Vec::new();
    for _ in 0..16 {
        let records = Arc::clone(&records);
        let id = first.id;
        tasks.push(tokio::spawn(async move { records.use_token(id, 3, Some(10), 7).await }));
    }
    let mut count = 0;
    for task in tasks {
        count += usize::from(task.await.unwrap().unwrap());
    }
    assert_eq!(count, 3);
    let used = records.token(first.id).await.unwrap().unwrap();
    assert_eq!((used.uses, used.served_bytes, used.used_ms), (3, 9, 7));
    assert!(records.use_token(first.id, 1, Some(10), 8).await.unwrap());
    assert!(!records.use_token(first.id, 1, Some(10), 8).await.unwrap());
    records.give_back(first.id, 4).await.unwrap();
    assert!(records.use_token(first.id, 4, Some(10), 8).await.unwrap());
    records.give_back(first.id, 400).await.unwrap();
    assert_eq!(records.token(first.id).await.unwrap().unwrap().served_bytes, 0);
    assert!(records.use_token(first.id, 1 << 40, None, 8).await.unwrap());
    // An empty file is served once.
    assert!(records.use_token(second.id, 0, Some(0), 8).await.unwrap());
    assert!(!records.use_token(second.id, 0, Some(0), 8).await.unwrap());

    assert_eq!(records.revoke("ann", &TokenScope::Token(first.id)).await.unwrap(), 1);
    assert_eq!(records.revoke("ann", &TokenScope::Token(first.id)).await.unwrap(), 0);
    assert!(!records.use_token(first.id, 0, None, 9).await.unwrap());
    assert_eq!(records.revoke("ann", &TokenScope::File(file)).await.unwrap(), 1);
    let third = token("ann", "s", file);
    records.add_token(&third).await.unwrap();
    assert_eq!(records.revoke("ann", &TokenScope::Session("s".to_owned())).await.unwrap(), 1);
    assert_eq!(records.tokens_of_file("ann", file, 0).await.unwrap(), []);
    assert!(!records.use_token(Id::new(), 0, None, 9).await.unwrap());
    assert_eq!(records.delete_tokens_before(200).await.unwrap(), 0);
    assert_eq!(records.delete_tokens_before(201).await.unwrap(), 3);
}

pub(super) async fn eight_open_at_once(url: String) {
    let mut tasks = Vec::new();
    for number in 0..8 {
        let url = url.clone();
        tasks.push(tokio::spawn(async move {
            let records = open(&url).await;
            make(&records, "ann", &format!("s{number}")).await;
            records.keys(1000, 50).await.unwrap()[0].kid
        }));
    }
    let mut kids = Vec::new();
    for task in tasks {
        kids.push(task.await.unwrap());
    }
    assert!(kids.iter().all(|kid| *kid == kids[0]), "{kids:?}");
    let records = open(&url).await;
    assert_eq!(records.sessions("ann", &Page::default()).await.unwrap().len(), 8);
    let rows = sqlx::query("SELECT version FROM resultant_version");
    assert_eq!(rows.fetch_all(&records.database.pool).await.unwrap().len(), 1);
}

pub(super) async fn a_newer_version_is_refused(url: String) {
    let records = open(&url).await;
    let update = sqlx::query("UPDATE resultant_version SET version = 1000");
    update.execute(&records.database.pool).await.unwrap();
    records.close().await;
    let error = Records::open(&url).await.unwrap_err();
    assert!(matches!(error, StoreError::Version { found: 1000, .. }), "{error}");
}
