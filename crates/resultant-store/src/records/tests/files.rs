//! Files, blobs, quotas, pages, and what a sweep takes.

use super::*;

pub(super) async fn files_are_kept_and_found(url: String) {
    let records = open(&url).await;
    make(&records, "ann", "s").await;
    let bytes = blob("ann", "content", 7);
    let new = NewFile {
        name: "übersicht.html".to_owned(),
        mime: "text/html".to_owned(),
        description: Some("a report".to_owned()),
        viewer: Some("html".to_owned()),
        origin: Origin::Tool {
            server: "server".to_owned(),
            tool: "tool".to_owned(),
            call: Some(Id::new()),
        },
    };
    let file = records.add_file("s", &new, &bytes, &NO_QUOTAS, Held::Uploaded).await.unwrap();
    assert_eq!((&file.object, file.size), (&bytes.object, 7));
    assert_eq!(records.file("ann", file.key).await.unwrap(), Some(file.clone()));
    assert_eq!(records.file_of_token(file.key).await.unwrap(), Some(file.clone()));
    assert_eq!(records.blob("ann", &bytes.sha256).await.unwrap(), Some(bytes.clone()));
    let known = records.blob("ann", &bytes.sha256).await.unwrap().unwrap();
    assert_eq!(known.pieces, bytes.pieces);

    // The same bytes once more, uploaded once more: the first object stays.
    let again = Blob { object: Id::new().to_string(), ..bytes.clone() };
    let newer = records.add_file("s", &new, &again, &NO_QUOTAS, Held::Uploaded).await.unwrap();
    assert_eq!(newer.object, bytes.object);
    assert!(newer.created_ms > file.created_ms, "the newest is never in doubt");
    let found = records.file_named("ann", Some("s"), "übersicht.html", None).await.unwrap();
    assert_eq!(found, Some(newer.clone()));
    let digest = Some("00");
    let found = records.file_named("ann", Some("s"), "übersicht.html", digest).await.unwrap();
    assert_eq!(found, None);
    assert_eq!(records.file_named("ann", Some("t"), "übersicht.html", None).await.unwrap(), None);
    let found = records.file_named("ann", None, "übersicht.html", Some(&file.sha256)).await;
    assert_eq!(found.unwrap(), Some(newer.clone()));

    let token = token("ann", "s", newer.key);
    records.add_token(&token).await.unwrap();
    assert!(records.delete_file("ann", newer.key).await.unwrap());
    assert!(!records.delete_file("ann", newer.key).await.unwrap());
    assert_eq!(records.token(token.id).await.unwrap(), None);
    assert_eq!(records.files("ann", None, &Page::default()).await.unwrap(), [file]);
    assert_eq!(records.session("ann", "s").await.unwrap().unwrap().bytes, 7);
}

pub(super) async fn quotas_are_exact(url: String) {
    let records = open(&url).await;
    for session in ["s", "t"] {
        make(&records, "ann", session).await;
    }
    // Twelve at once want ten bytes each: the session has room for five, the user for eight.
    let quotas = Quotas { user_bytes_max: 80, session_bytes_max: 50 };
    let mut tasks = Vec::new();
    for number in 0..24 {
        let records = Arc::clone(&records);
        let session = if number % 2 == 0 { "s" } else { "t" };
        let bytes = blob("ann", &number.to_string(), 10);
        tasks.push(tokio::spawn(async move {
            records.add_file(session, &named("x"), &bytes, &quotas, Held::Uploaded).await
        }));
    }
    let mut count = 0;
    for task in tasks {
        match task.await.unwrap() {
            Ok(_) => count += 1,
            Err(StoreError::Quota { name: "user_bytes_max", limit: 80, .. }) => {}
            Err(StoreError::Quota { name: "session_bytes_max", limit: 50, .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(count, 8);
    let files = records.files("ann", None, &Page::default()).await.unwrap();
    assert_eq!(files.len(), 8);
    let refused =
        records.add_file("s", &named("x"), &blob("ann", "y", 1), &quotas, Held::Uploaded).await;
    assert!(matches!(refused, Err(StoreError::Quota { name: "user_bytes_max", .. })));
    // What was refused left nothing behind, and what is given back can be used again, to the byte.
    assert_eq!(records.blob("ann", &blob("ann", "y", 1).sha256).await.unwrap(), None);
    let of_s = files.iter().find(|file| file.session == "s").unwrap();
    assert!(records.delete_file("ann", of_s.key).await.unwrap());
    let eleven =
        records.add_file("s", &named("x"), &blob("ann", "z", 11), &quotas, Held::Uploaded).await;
    assert!(eleven.is_err());
    records
        .add_file("s", &named("x"), &blob("ann", "z", 10), &quotas, Held::Uploaded)
        .await
        .unwrap();
    // An empty file always has room; one that no number can count has none.
    records.add_file("s", &named("x"), &blob("ann", "", 0), &quotas, Held::Uploaded).await.unwrap();
    let huge = records
        .add_file("s", &named("x"), &blob("ann", "h", u64::MAX), &quotas, Held::Uploaded)
        .await;
    assert!(matches!(huge, Err(StoreError::Quota { .. })));
}

pub(super) async fn pages_cover_ten_thousand_files(url: String) {
    let records = open(&url).await;
    make(&records, "ann", "s").await;
    fill(&records, 10_000).await;
    let mut seen: Vec<File> = Vec::new();
    let mut page = Page { count: 700, after: None };
    loop {
        let part = records.files("ann", Some("s"), &page).await.unwrap();
        let Some(last) = part.last() else { break };
        page.after = Some((last.created_ms, last.key.to_string()));
        seen.extend(part);
    }
    let all = Page { count: 20_000, after: None };
    let all = records.files("ann", Some("s"), &all).await.unwrap();
    assert_eq!(all.len(), 10_000);
    assert_eq!(seen, all);
    assert!(all.is_sorted_by(|one, next| {
        (one.created_ms, one.key.to_string()) > (next.created_ms, next.key.to_string())
    }));
}

/// Many files of one session at once, several of the same moment.
pub(super) async fn fill(records: &Records, count: usize) {
    let bytes = blob("ann", "many", 1);
    records.add_raw_blob(&bytes, Held::Uploaded).await.unwrap();
    let mut write = records.database.write().await.unwrap();
    for number in 0..count {
        let sql = "INSERT INTO files (key, owner, session, name, mime, size, sha256, created_ms, \
                   object) VALUES ($1, 'ann', 's', $2, 'text/plain', 1, $3, $4, $5)";
        let query = sqlx::query(sql).bind(Id::new().to_string()).bind(format!("file-{number}.txt"));
        let query = query.bind(&*bytes.sha256).bind((number / 3) as i64).bind(&*bytes.object);
        query.execute(write.on()).await.unwrap();
    }
    write.commit().await.unwrap();
}

pub(super) async fn blobs_go_when_nobody_names_them(url: String) {
    let records = open(&url).await;
    make(&records, "ann", "s").await;
    let file = add(&records, "ann", "s", "a.txt", 10).await;
    let raw = blob("ann", "raw", 20);
    assert_eq!(records.add_raw_blob(&raw, Held::Uploaded).await.unwrap(), raw.object);
    let again = Blob { object: "other".to_owned(), ..raw.clone() };
    assert_eq!(records.add_raw_blob(&again, Held::Uploaded).await.unwrap(), raw.object);
    let mut call = call("ann", "s", 5);
    call.raw = Raw::Blob { sha256: raw.sha256.clone(), size: 20 };
    records.record(Entry::Call(Box::new(call.clone()))).await;
    records.flush().await.unwrap();
    let loose = blob("ann", "loose", 30);
    records.add_raw_blob(&loose, Held::Uploaded).await.unwrap();

    let objects = [file.object.clone(), raw.object.clone(), "unknown".to_owned()];
    let known = records.objects_known(&objects).await.unwrap();
    assert_eq!(known, objects[..2].iter().cloned().collect());

    assert_eq!(records.take_unnamed_blobs(0, 10).await.unwrap(), [], "too young");
    assert_eq!(records.take_unnamed_blobs(i64::MAX, 0).await.unwrap(), [], "none wanted");
    assert_eq!(records.take_unnamed_blobs(i64::MAX, 10).await.unwrap(), [loose]);
    assert_eq!(records.take_unnamed_blobs(i64::MAX, 10).await.unwrap(), []);
    assert_eq!(records.delete_calls_before(6).await.unwrap(), 1);
    assert_eq!(records.take_unnamed_blobs(i64::MAX, 10).await.unwrap(), [raw]);
    assert!(records.delete_file("ann", file.key).await.unwrap());
    let taken = records.take_unnamed_blobs(i64::MAX, 10).await.unwrap();
    assert_eq!(taken.len(), 1);
    assert_eq!(taken[0].object, file.object);
    assert!(records.objects_known(&objects).await.unwrap().is_empty());
}

pub(super) async fn a_swept_blob_is_noticed(url: String) {
    let records = open(&url).await;
    make(&records, "ann", "s").await;
    let file = add(&records, "ann", "s", "a", 10).await;
    let known = records.blob("ann", &file.sha256).await.unwrap().unwrap();
    let again =
        records.add_file("s", &named("b"), &known, &NO_QUOTAS, Held::Already).await.unwrap();
    assert_eq!(again.object, file.object);
    for key in [file.key, again.key] {
        records.delete_file("ann", key).await.unwrap();
    }
    records.take_unnamed_blobs(i64::MAX, 10).await.unwrap();
    let gone = records.add_file("s", &named("b"), &known, &NO_QUOTAS, Held::Already).await;
    assert!(matches!(gone, Err(StoreError::BlobGone)));
    assert_eq!(records.session("ann", "s").await.unwrap().unwrap().bytes, 0);

    // Sweeps that run all the time take no blob that a file names.
    let sweeping = {
        let records = Arc::clone(&records);
        tokio::spawn(async move {
            let mut taken = Vec::new();
            for _ in 0..100 {
                taken.extend(records.take_unnamed_blobs(i64::MAX, 10).await.unwrap());
            }
            taken
        })
    };
    for number in 0..100 {
        let known = records.blob("ann", &blob("ann", "same", 0).sha256).await.unwrap();
        let added = match known {
            Some(known) => {
                records.add_file("s", &named("same"), &known, &NO_QUOTAS, Held::Already).await
            }
            None => {
                let new = blob("ann", "same", 1);
                records.add_file("s", &named("same"), &new, &NO_QUOTAS, Held::Uploaded).await
            }
        };
        let file = match added {
            Err(StoreError::BlobGone) => continue,
            added => added.unwrap(),
        };
        let known = records.objects_known(std::slice::from_ref(&file.object)).await.unwrap();
        assert!(known.contains(&file.object), "round {number}");
        records.delete_file("ann", file.key).await.unwrap();
    }
    let taken = sweeping.await.unwrap();
    let objects: Vec<String> = taken.into_iter().map(|blob| blob.object).collect();
    assert!(records.objects_known(&objects).await.unwrap().is_empty());
}

pub(super) async fn old_things_are_cleared(url: String) {
    let records = open(&url).await;
    for session in ["s", "t"] {
        make(&records, "ann", session).await;
    }
    let mut files = Vec::new();
    for number in 0..6 {
        let session = if number % 2 == 0 { "s" } else { "t" };
        let file = add(&records, "ann", session, &number.to_string(), 10).await;
        let sql = "UPDATE files SET created_ms = $2 WHERE key = $1";
        let query = sqlx::query(sql).bind(file.key.to_string()).bind(number);
        query.execute(&records.database.pool).await.unwrap();
        files.push(file);
    }
    assert_eq!(records.delete_files_before(2).await.unwrap(), 2);
    assert_eq!(records.file("ann", files[1].key).await.unwrap(), None);
    assert!(records.file("ann", files[2].key).await.unwrap().is_some());
    assert_eq!(records.session("ann", "s").await.unwrap().unwrap().bytes, 20);
    // Forty bytes are left; within twenty-five only the two newest stay.
    assert_eq!(records.delete_files_beyond(40).await.unwrap(), 0);
    assert_eq!(records.delete_files_beyond(25).await.unwrap(), 2);
    assert_eq!(records.file("ann", files[3].key).await.unwrap(), None);
    assert!(records.file("ann", files[4].key).await.unwrap().is_some());
    assert_eq!(records.delete_files_beyond(25).await.unwrap(), 0);

    records.record(event("ann", "s", "{}")).await;
    records.flush().await.unwrap();
    assert_eq!(records.delete_events_before(0).await.unwrap(), 0);
    assert_eq!(records.delete_events_before(i64::MAX).await.unwrap(), 1);
    records.record(event("ann", "s", "{}")).await;
    records.flush().await.unwrap();
    let left = records.events("ann", "s", 0, 10).await.unwrap();
    assert_eq!(left.iter().map(|event| event.number).collect::<Vec<_>>(), [2]);

    let used = records.session("ann", "t").await.unwrap().unwrap().used_ms;
    let sql = "UPDATE sessions SET used_ms = used_ms + 1000000 WHERE id = 's'";
    sqlx::query(sql).execute(&records.database.pool).await.unwrap();
    assert_eq!(records.delete_sessions_before(used + 500_000).await.unwrap(), (1, 1));
    assert!(records.session("ann", "s").await.unwrap().is_some());
    assert_eq!(records.delete_sessions_before(i64::MAX).await.unwrap(), (1, 1));
    assert_eq!(records.files("ann", None, &Page::default()).await.unwrap(), []);
}

pub(super) async fn measure(url: String) {
    let records = open(&url).await;
    make(&records, "ann", "s").await;
    fill(&records, 10_000).await;
    let kind = &url[..6];
    for count in [10_000, 100] {
        let page = Page { count, after: None };
        let mut best = std::time::Duration::MAX;
        for _ in 0..20 {
            let start = std::time::Instant::now();
            let files = records.files("ann", Some("s"), &page).await.unwrap();
            assert_eq!(files.len(), count as usize);
            best = best.min(start.elapsed());
        }
        println!("{kind}: list of {count} files: {best:?}");
    }
    for sessions in [1, 100] {
        let start = std::time::Instant::now();
        for number in 0..20_000 {
            let session = format!("s{}", number % sessions);
            if number % 4 == 0 {
                records.record(Entry::Call(Box::new(call("ann", &session, number)))).await;
            } else {
                records.record(event("ann", &session, "{\"tool\": \"a tool of some name\"}")).await;
            }
        }
        records.flush().await.unwrap();
        let rate = 20_000.0 / start.elapsed().as_secs_f64();
        println!("{kind}: {rate:.0} entries a second in {sessions} sessions");
    }
}
