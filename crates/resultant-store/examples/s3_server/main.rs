//! An S3 server as a process, to test against: the protocol is real, the objects are files.
//!
//! ```text
//! s3_server --root DIR --access-key KEY --secret-key SECRET [--bucket NAME]…
//!           [--listen 127.0.0.1:0] [--faults FILE] [--attached]
//! ```
//!
//! It prints `http://ADDRESS` on standard output once it listens, and runs until it is told to end
//! (SIGTERM), with `--attached` also until its standard input closes, so that it does not outlive a
//! test that was killed. Buckets are addressed by path. Objects appear by renaming, whole or not at
//! all.
//!
//! The file that `--faults` names is read at each request and says what is wrong with the store just
//! then; see [`faults`].

mod faults;

use std::{error::Error, fs, io::Write as _, net::SocketAddr, path::PathBuf, sync::Arc};

use hyper::{Request, body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto::Builder,
};
use s3s::{auth::SimpleAuth, service::S3ServiceBuilder};
use tokio::net::TcpListener;

use self::faults::Faults;

const USAGE: &str = "usage: s3_server --root DIR --access-key KEY --secret-key SECRET \
                     [--bucket NAME]… [--listen ADDRESS] [--faults FILE] [--attached]";

/// What was asked for on the command line.
struct Options {
    root: PathBuf,
    listen: SocketAddr,
    access_key: String,
    secret_key: String,
    buckets: Vec<String>,
    faults: Option<PathBuf>,
    is_attached: bool,
}

impl Options {
    fn read(mut words: impl Iterator<Item = String>) -> Result<Options, Box<dyn Error>> {
        let (mut root, mut access_key, mut secret_key, mut faults) = (None, None, None, None);
        let mut listen = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut buckets = Vec::new();
        let mut is_attached = false;
        while let Some(word) = words.next() {
            if word == "--attached" {
                is_attached = true;
                continue;
            }
            let value = words.next().ok_or(USAGE)?;
            match word.as_str() {
                "--root" => root = Some(PathBuf::from(value)),
                "--listen" => listen = value.parse()?,
                "--access-key" => access_key = Some(value),
                "--secret-key" => secret_key = Some(value),
                "--bucket" => buckets.push(value),
                "--faults" => faults = Some(PathBuf::from(value)),
                _ => return Err(format!("there is no option {word}\n{USAGE}").into()),
            }
        }
        Ok(Options {
            root: root.ok_or(USAGE)?,
            listen,
            access_key: access_key.ok_or(USAGE)?,
            secret_key: secret_key.ok_or(USAGE)?,
            buckets,
            faults,
            is_attached,
        })
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::read(std::env::args().skip(1))?;
    for bucket in &options.buckets {
        fs::create_dir_all(options.root.join(bucket))?;
    }
    let objects = s3s_fs::FileSystem::new(&options.root).map_err(|error| format!("{error:?}"))?;
    let mut service = S3ServiceBuilder::new(objects);
    service.set_auth(SimpleAuth::from_single(options.access_key, options.secret_key));
    let service = service.build();
    let faults = Arc::new(Faults::new(options.faults));

    let listener = TcpListener::bind(options.listen).await?;
    let mut output = std::io::stdout().lock();
    writeln!(output, "http://{}", listener.local_addr()?)?;
    output.flush()?;
    drop(output);
    if options.is_attached {
        end_with_standard_input();
    }

    loop {
        let (socket, _) = listener.accept().await?;
        let (service, faults) = (service.clone(), Arc::clone(&faults));
        tokio::spawn(async move {
            let answer = service_fn(move |request: Request<Incoming>| {
                let (service, faults) = (service.clone(), Arc::clone(&faults));
                async move { faults.answer(request, &service).await }
            });
            // A client that goes away is its own affair.
            let _ = Builder::new(TokioExecutor::new())
                .serve_connection(TokioIo::new(socket), answer)
                .await;
        });
    }
}

/// Whoever started us holds the other end, and is gone when it closes.
fn end_with_standard_input() {
    std::thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(0);
    });
}
