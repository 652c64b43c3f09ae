//! A process that is killed while it keeps files, at whatever it is doing then.

use std::{
    collections::HashSet,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Command, Stdio},
};

use super::harness::*;
use crate::{Id, Page, Store};

/// Says which data folder the process that is to be killed works in.
const FOLDER: &str = "RESULTANT_TEST_KILLED_FOLDER";
const KILLS: u64 = 6;

/// The process that is to be killed: keeps and deletes files, and says so when it is done. Nothing
/// where nobody asks for it.
#[test]
fn keeps_files_until_it_is_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let store = Store::open(options(Path::new(&folder), None)).await.unwrap();
        for round in 0..100_000 {
            // Contents come again, new ones and ones that were deleted before.
            let content = bytes(round % 7, 1 + 300_000 * (round % 7) as usize);
            let file = keep(&store, "ada", "one", &content).await.unwrap();
            // Whole lines at once, so that what is read was said.
            let line = format!("\nkept {} {}\n", file.key, round % 7);
            std::io::stdout().write_all(line.as_bytes()).unwrap();
            if round % 3 == 0 {
                let line = format!("\ndeleting {}\n", file.key);
                std::io::stdout().write_all(line.as_bytes()).unwrap();
                store.delete_file("ada", file.key).await.unwrap();
            }
        }
    });
}

#[test]
fn what_was_acknowledged_survives_and_nothing_else_stays() {
    in_folder(|home| async move {
        let (mut kept, mut deleting) = (Vec::new(), HashSet::new());
        for kill in 0..KILLS {
            let mut child = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "store::tests::killed::keeps_files_until_it_is_killed"])
                .args(["--nocapture", "--test-threads=1"])
                .env(FOLDER, &home.options.folder)
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
            let mut left = 5 + 3 * kill;
            let mut is_killed = false;
            // What it had said before it was killed counts, read or not.
            while let Some(Ok(line)) = lines.next() {
                match line.split(' ').collect::<Vec<_>>()[..] {
                    ["kept", key, seed] => {
                        kept.push((key.parse::<Id>().unwrap(), seed.parse::<u64>().unwrap()));
                    }
                    ["deleting", key] => {
                        deleting.insert(key.parse::<Id>().unwrap());
                    }
                    _ => continue,
                }
                left = left.saturating_sub(1);
                if left == 0 && !is_killed {
                    is_killed = true;
                    child.kill().unwrap();
                }
            }
            assert!(!child.wait().unwrap().success(), "it was killed");
            let store = home.open().await;
            for (key, seed) in kept.iter().filter(|(key, _)| !deleting.contains(key)) {
                let file = store.file("ada", *key).await.unwrap().expect("it was acknowledged");
                assert!(read(&store, &file).await.unwrap() == bytes(*seed, file.size as usize));
            }
            store.sweep(&UNNAMED).await.unwrap();
            let page = Page { count: 10_000, after: None };
            let files = store.files("ada", None, &page).await.unwrap();
            for file in &files {
                assert_eq!(read(&store, file).await.unwrap().len() as u64, file.size);
            }
            let mut named: Vec<_> = files.into_iter().map(|file| file.object).collect();
            named.sort();
            named.dedup();
            assert_eq!(objects(&store).await, named, "what nobody names is gone");
            store.close().await;
        }
        assert!(kept.len() as u64 >= KILLS);
    });
}
