//! Writes the tokenizer's vocabulary in the form that the program counts with: three tables that are
//! used where they lie in the program's file. Nothing has to be loaded, and memory that all
//! processes share is all that it takes; the tokenizer that the vocabulary comes from would take
//! 70 MB of each.

#[path = "src/tokens/place.rs"]
mod place;

use std::{env, error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/tokens/place.rs");
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
    let folder = env::var_os("OUT_DIR").ok_or("no folder to write to")?;
    let numbers = |numbers: &[u32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    let files: [(&str, Vec<u8>); 3] =
        [("tokens", bytes), ("token_ends", numbers(&ends)), ("token_table", numbers(&table))];
    for (name, bytes) in files {
        fs::write(Path::new(&folder).join(name), bytes)?;
    }
    Ok(())
}
