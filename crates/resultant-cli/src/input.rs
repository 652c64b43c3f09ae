//! Where documents come from: files and standard input, whole or line by line.

use std::{
    fs::File,
    io::{self, BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use resultant::Json;

/// A named source of bytes.
pub(crate) struct Source {
    pub(crate) name: String,
    reader: Box<dyn io::Read>,
    /// The size, where it is known before reading.
    pub(crate) size: Option<u64>,
}

/// The sources that are named, or standard input.
pub(crate) fn sources(paths: &[PathBuf]) -> impl Iterator<Item = anyhow::Result<Source>> {
    let standard = paths.is_empty().then(|| Ok(Source::standard_input()));
    standard.into_iter().chain(paths.iter().map(|path| Source::open(path)))
}

impl Source {
    fn standard_input() -> Source {
        Source {
            name: "standard input".to_owned(),
            reader: Box::new(io::stdin().lock()),
            size: None,
        }
    }

    fn open(path: &Path) -> anyhow::Result<Source> {
        if path == Path::new("-") {
            return Ok(Source::standard_input());
        }
        let name = path.display().to_string();
        let file = File::open(path).with_context(|| format!("cannot open {name}"))?;
        let metadata = file.metadata().with_context(|| format!("cannot read {name}"))?;
        let size = metadata.is_file().then_some(metadata.len());
        Ok(Source { name, reader: Box::new(file), size })
    }

    /// Everything.
    pub(crate) fn read_all(mut self) -> anyhow::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(self.size.unwrap_or(0) as usize);
        self.reader
            .read_to_end(&mut bytes)
            .with_context(|| format!("cannot read {}", self.name))?;
        Ok(bytes)
    }

    /// In parts of fixed size.
    pub(crate) fn read_chunks(mut self, mut chunk: impl FnMut(&[u8])) -> anyhow::Result<()> {
        let mut buffer = vec![0; 256 << 10];
        loop {
            let read = self
                .reader
                .read(&mut buffer)
                .with_context(|| format!("cannot read {}", self.name))?;
            if read == 0 {
                return Ok(());
            }
            chunk(&buffer[..read]);
        }
    }

    /// Line by line, without their ends.
    pub(crate) fn lines(self) -> impl Iterator<Item = anyhow::Result<Vec<u8>>> {
        let name = self.name;
        BufReader::new(self.reader).split(b'\n').map(move |line| {
            let mut line = line.with_context(|| format!("cannot read {name}"))?;
            if line.last() == Some(&b'\r') {
                line.pop();
            }
            Ok(line)
        })
    }
}

/// A JSON document in a file of its own.
pub(crate) fn read_json(path: &Path) -> anyhow::Result<Json> {
    let name = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    Json::parse(text).with_context(|| format!("{name} is not JSON"))
}
