//! `resultant normalize`: a result in, what an audience gets out.

use std::{
    io::{self, IsTerminal as _, Write as _},
    process::ExitCode,
};

use anyhow::Context as _;
use resultant::{
    Any, Artifact, Budget, ClientOptions, Json, Note, Outcome, ReadOptions, Reply, ResourceReply,
    Rule, Schema, SchemaLimits, SyntaxError,
};
use resultant_gateway::Text;

use crate::{
    EXIT_INPUT,
    args::{Audience, InputKind, NormalizeArguments},
    files::{Folder, FolderSink},
    input::{Source, read_json, sources},
    terminal::{escaped, printable},
};

/// A larger input is read in chunks: its long strings become files, and memory stays flat.
const WHOLE_BYTES_MAX: u64 = 64 << 20;

pub(crate) fn run(arguments: &NormalizeArguments) -> anyhow::Result<ExitCode> {
    let job = Job::new(arguments)?;
    let mut code = ExitCode::SUCCESS;
    for source in sources(&arguments.inputs) {
        let source = source?;
        if arguments.jsonl {
            job.lines(source)?;
        } else if !job.document(source)? {
            code = ExitCode::from(EXIT_INPUT);
        }
    }
    Ok(code)
}

/// Everything that is the same for each document.
struct Job<'a> {
    arguments: &'a NormalizeArguments,
    options: ReadOptions,
    client: ClientOptions,
    folder: Option<Folder>,
    is_pretty: bool,
}

/// What a document comes to.
struct Written {
    text: Text,
    notes: Vec<Note>,
    files: Vec<Artifact>,
}

impl<'a> Job<'a> {
    fn new(arguments: &'a NormalizeArguments) -> anyhow::Result<Job<'a>> {
        if arguments.input == InputKind::Resource && arguments.uri.is_none() {
            anyhow::bail!("a resource needs its address: add --uri URI");
        }
        let mut budget = Budget::default();
        if let Some(bytes) = arguments.budget_bytes {
            // Whoever gives bytes means bytes.
            budget = Budget { bytes: bytes.get(), tokens: usize::MAX, ..budget };
        }
        let schema = match &arguments.output_schema {
            Some(path) => {
                let json = read_json(path)?;
                let compile = || Schema::compile(&json, &SchemaLimits::default());
                let schema = (!json.is_null()).then(compile).transpose();
                schema.with_context(|| format!("{} is no usable schema", path.display()))?
            }
            None => None,
        };
        Ok(Job {
            arguments,
            options: ReadOptions { schema, ..Default::default() },
            client: ClientOptions { protocol: arguments.protocol, budget, ..Default::default() },
            folder: arguments.files.as_deref().map(Folder::create).transpose()?,
            is_pretty: !arguments.jsonl && io::stdout().is_terminal(),
        })
    }

    /// One document; `false` where it is not JSON.
    fn document(&self, source: Source) -> anyhow::Result<bool> {
        let name = source.name.clone();
        let is_large = source.size.is_some_and(|size| size > WHOLE_BYTES_MAX);
        if is_large && self.arguments.input == InputKind::Result {
            self.large_document(source)?;
            return Ok(true);
        }
        match self.normalize(source.read_all()?) {
            Ok(written) => {
                self.print(written, &mut FolderSink::new(None))?;
                Ok(true)
            }
            Err(error) => {
                eprintln!("resultant: {name} is not JSON: {error}");
                Ok(false)
            }
        }
    }

    fn large_document(&self, source: Source) -> anyhow::Result<()> {
        let mut sink = FolderSink::new(self.folder.as_ref());
        let mut reader = self.options.reader(&mut sink);
        source.read_chunks(|chunk| reader.feed(chunk))?;
        let outcome = reader.finish();
        self.print(self.write(outcome, Audience::Contract), &mut sink)
    }

    /// A document a line. A broken one gives an error object, and the rest goes on.
    fn lines(&self, source: Source) -> anyhow::Result<()> {
        for (index, line) in source.lines().enumerate() {
            match self.normalize(line?) {
                Ok(written) => self.print(written, &mut FolderSink::new(None))?,
                Err(error) => print_line(&broken_line(index, &error))?,
            }
        }
        Ok(())
    }

    fn normalize(&self, bytes: Vec<u8>) -> Result<Written, SyntaxError> {
        match self.arguments.input {
            InputKind::Result => Ok(self.write(self.options.try_read(bytes)?, Audience::Contract)),
            InputKind::Value => {
                let reply = Reply::from(Any::from_tagged(&parse(bytes)?))
                    .profile(self.arguments.profile)
                    .protocol(self.arguments.protocol);
                let (result, notes) = reply.to_json_and_notes();
                if matches!(self.arguments.to, None | Some(Audience::Client)) {
                    return Ok(Written { text: Text::Json(result), notes, files: Vec::new() });
                }
                let mut written = self.write(self.options.try_read(&result)?, Audience::Client);
                written.notes.splice(0..0, notes);
                Ok(written)
            }
            InputKind::Resource => {
                let uri = self.arguments.uri.as_deref().unwrap_or_default();
                let value = Any::from_tagged(&parse(bytes)?);
                let reply = ResourceReply::of(uri, self.arguments.mime_type.as_deref(), value)
                    .profile(self.arguments.profile)
                    .protocol(self.arguments.protocol);
                let (result, notes) = reply.to_json_and_notes();
                Ok(Written { text: Text::Json(result), notes, files: Vec::new() })
            }
        }
    }

    /// An outcome for the audience that is asked for.
    fn write(&self, outcome: Outcome, default: Audience) -> Written {
        let mut files = outcome.artifacts.clone();
        let text = match self.arguments.to.unwrap_or(default) {
            Audience::Contract => Text::Json(outcome.to_contract()),
            Audience::Envelope => Text::Json(outcome.to_envelope()),
            Audience::View => Text::Json(outcome.to_view(&self.client.budget)),
            Audience::Model => {
                let model = outcome.to_model(&self.client.budget);
                files.extend(model.offloaded);
                Text::Exact(model.text)
            }
            Audience::Client => {
                let client = outcome.to_client(&self.client);
                files.extend(client.offloaded);
                Text::Json(client.json)
            }
        };
        Written { text, notes: outcome.notes, files }
    }

    fn print(&self, written: Written, sink: &mut FolderSink) -> anyhow::Result<()> {
        let Written { text, mut notes, files } = written;
        if let Some(folder) = &self.folder {
            for (name, now) in folder.write(&files, sink)? {
                let message = format!("`{name}` is there already; the file is written as `{now}`");
                notes.push(Note::remark(Rule::R6, "", message));
            }
        }
        print_text(&text, self.is_pretty)?;
        if !self.arguments.quiet {
            print_notes(&notes, self.arguments.explain)?;
        }
        Ok(())
    }
}

fn parse(bytes: Vec<u8>) -> Result<Json, SyntaxError> {
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    Json::parse(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
}

/// What stands for a line that is not JSON.
fn broken_line(index: usize, error: &SyntaxError) -> String {
    let message = Json::string(&format!("line {} is not JSON: {error}", index + 1));
    format!(
        "{{\"error\":{{\"message\":{},\"line\":{},\"column\":{}}}}}",
        message.as_text(),
        index + 1,
        error.column
    )
}

/// Notes on standard error: JSON lines for programs, sentences for people.
pub(crate) fn print_notes(notes: &[Note], is_explained: bool) -> anyhow::Result<()> {
    let mut out = io::stderr().lock();
    for note in notes {
        match is_explained {
            true => writeln!(out, "{}", printable(&note.to_string()))?,
            false => writeln!(out, "{}", escaped(&note.to_json().to_string()))?,
        }
    }
    Ok(())
}

/// A result on standard output. A terminal gets nothing from a server that it would obey; a pipe
/// gets the bytes as they are.
pub(crate) fn print_text(text: &Text, is_pretty: bool) -> anyhow::Result<()> {
    let is_terminal = io::stdout().is_terminal();
    match text {
        Text::Whole { contract, .. } => print_text(&Text::Json(contract.clone()), is_pretty),
        Text::Json(json) if is_pretty => print_line(&escaped(&json.to_pretty())),
        Text::Json(json) if is_terminal => print_line(&escaped(json.as_text())),
        Text::Json(json) => print_line(json.as_text()),
        Text::Exact(text) if is_terminal => print_line(&escaped(text)),
        Text::Exact(text) => print_line(text),
    }
}

fn print_line(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.write_all(b"\n")?;
    out.flush()?;
    Ok(())
}
