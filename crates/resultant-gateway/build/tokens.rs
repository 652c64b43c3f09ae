//! Writes the tokenizer's vocabulary in the form that the program counts with: three tables that are
//! used where they lie in the program's file. Nothing has to be loaded, and memory that all
//! processes share is all that it takes; the tokenizer that the vocabulary comes from would take
//! 70 MB of each.

use std::{env, error::Error, fs, path::Path, time::SystemTime};

use crate::place;

const NAMES: [&str; 3] = ["tokens", "token_ends", "token_table"];

/// Whether the tables are newer than this script, which has the vocabulary inside.
pub(crate) fn are_current(folder: &Path) -> bool {
    let changed = |path: &Path| fs::metadata(path).and_then(|found| found.modified()).ok();
    let script: Option<SystemTime> = env::current_exe().ok().and_then(|path| changed(&path));
    let Some(script) = script else { return false };
    NAMES.iter().all(|name| changed(&folder.join(name)).is_some_and(|table| table > script))
}

pub(crate) fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    let vocabulary = &bpe_openai::o200k_base().bpe;
    let mut bytes = Vec::new();
    let mut ends = Vec::new();
    let mut table = vec![0_u32; place::PLACES];
    for rank in 0..u32::try_from(vocabulary.num_tokens())? {
        let token = vocabulary.token_bytes(rank);
        bytes.extend_from_slice(token);
        ends.push(u32::try_from(bytes.len())?);
        let free = place::places(token).find(|&place| table[place] == 0);
        table[free.ok_or("the table is full")?] = rank + 1;
    }
    let numbers = |numbers: &[u32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    let tables: [Vec<u8>; 3] = [bytes, numbers(&ends), numbers(&table)];
    for (name, table) in NAMES.iter().zip(tables) {
        fs::write(folder.join(name), table)?;
    }
    Ok(())
}
