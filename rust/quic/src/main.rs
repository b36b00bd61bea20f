// SPDX-License-Identifier: MIT

//! Sends as much as two paths take for some seconds, or receives it; writes a qlog.
//!
//! ```sh
//! sbd-quic receive noq|quinn ADDRESS CERTIFICATE
//! sbd-quic send noq|quinn coupled|uncoupled|verdicts SECONDS ADDRESS LOCAL LOCAL CERTIFICATE QLOG
//! ```
//!
//! Each path leaves from one of two local addresses. The receiver writes its certificate to the file, says `ready`, and,
//! when it is ended by SIGTERM, how many bytes came. The sender writes a line of JSON at the end.

mod noq_transfer;
mod quinn_transfer;

use std::fmt::Display;
use std::fs::File;
use std::io::BufWriter;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use rustls::RootCertStore;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use smartsbd::Mode;
use smartsbd_quic::coupled_paths::CoupledPaths;
use smartsbd_quic::event_log::EventLog;
use tokio::signal::unix::{SignalKind, signal};

type Failure = Box<dyn std::error::Error>;

const USAGE: &str = "sbd-quic receive noq|quinn ADDRESS CERTIFICATE, or
sbd-quic send noq|quinn coupled|uncoupled|verdicts SECONDS ADDRESS LOCAL LOCAL CERTIFICATE QLOG";
/// In the certificate of the receiver.
const NAME: &str = "localhost";
/// What a stream and a connection may have in flight, bytes: more than any window here.
const MOST_IN_FLIGHT: u32 = 16 << 20;
/// What a sender has given to its stack, bytes.
const MOST_UNSENT: u64 = 1 << 20;
/// What is given to the stack at once.
static CHUNK: [u8; 64 << 10] = [0; 64 << 10];

/// What carries a transfer.
#[derive(Clone, Copy)]
enum Stack {
    Noq,
    Quinn,
}

impl FromStr for Stack {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        match word {
            "noq" => Ok(Self::Noq),
            "quinn" => Ok(Self::Quinn),
            _ => Err(()),
        }
    }
}

/// What a sender is to do.
struct Transfer {
    paths: Arc<CoupledPaths>,
    to: SocketAddr,
    from: [IpAddr; 2],
    trusted: Arc<RootCertStore>,
    time: Duration,
}

/// A certificate and its key.
struct Certificate {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

/// A certificate for [`NAME`], which is written to a file.
fn certificate(file: &str) -> Result<Certificate, Failure> {
    let made = rcgen::generate_simple_self_signed(vec![NAME.into()])?;
    let certificate = CertificateDer::from(made.cert);
    // Whole or not there: the sender may be waiting for it.
    let part = format!("{file}.part");
    std::fs::write(&part, &certificate)?;
    std::fs::rename(&part, file)?;
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    Ok(Certificate {
        chain: vec![certificate],
        key: key.into(),
    })
}

fn trusted(file: &str) -> Result<Arc<RootCertStore>, Failure> {
    let mut trusted = RootCertStore::empty();
    trusted.add(CertificateDer::from(std::fs::read(Path::new(file))?))?;
    Ok(Arc::new(trusted))
}

async fn taking(
    stack: Stack,
    listen: SocketAddr,
    certificate: Certificate,
    received: &Arc<AtomicU64>,
) -> Result<(), Failure> {
    match stack {
        Stack::Noq => noq_transfer::receive(listen, certificate, received).await,
        Stack::Quinn => quinn_transfer::receive(listen, certificate, received).await,
    }
}

/// Take what comes until SIGTERM; say how much it was.
async fn receive(stack: Stack, listen: SocketAddr, file: &str) -> Result<(), Failure> {
    let received = Arc::new(AtomicU64::new(0));
    let certificate = named(certificate(file), file)?;
    let mut ended = signal(SignalKind::terminate())?;
    let done = tokio::select! {
        done = taking(stack, listen, certificate, &received) => done,
        _ = ended.recv() => Ok(()),
    };
    println!(r#"{{"received_bytes":{}}}"#, received.load(Relaxed));
    done
}

/// An argument as what it has to be, or a line that names it.
fn parsed<T: FromStr>(word: &str, what: &str) -> Result<T, Failure> {
    word.parse()
        .map_err(|_| format!("{word}: no {what}").into())
}

fn named<T, E: Display>(done: Result<T, E>, file: &str) -> Result<T, Failure> {
    done.map_err(|error| format!("{file}: {error}").into())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("sbd-quic: {failure}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: &[&str]) -> Result<(), Failure> {
    match *arguments {
        ["receive", stack, address, file] => {
            let listen = parsed(address, "address with a port")?;
            receive(parsed(stack, "stack: noq or quinn")?, listen, file).await
        }
        ["send", stack, mode, seconds, to, first, second, file, qlog] => {
            let stack = parsed(stack, "stack: noq or quinn")?;
            let mode = match mode {
                "coupled" => Mode::Lia,
                "uncoupled" => Mode::Uncoupled,
                "verdicts" => Mode::Verdicts,
                _ => return Err(format!("{mode}: none of coupled, uncoupled, verdicts").into()),
            };
            let to = parsed(to, "address with a port")?;
            let from = [parsed(first, "address")?, parsed(second, "address")?];
            let time = named(
                Duration::try_from_secs_f64(parsed(seconds, "number")?),
                seconds,
            )?;
            let trusted = named(trusted(file), file)?;
            // At last: what is there is not lost to a mistyped word.
            let log = EventLog::new(Box::new(BufWriter::new(named(File::create(qlog), qlog)?)));
            let transfer = Transfer {
                paths: Arc::new(CoupledPaths::new(mode, Some(log))),
                to,
                from,
                trusted,
                time,
            };
            match stack {
                Stack::Noq => noq_transfer::send(&transfer).await?,
                Stack::Quinn => quinn_transfer::send(&transfer).await?,
            }
            let outcome = transfer.paths.finish()?;
            println!(
                r#"{{"acked_bytes":{:?},"judgements":{},"verdict":"{:?}","score_q10":{}}}"#,
                outcome.acked_bytes, outcome.judgements, outcome.verdict, outcome.score_q10
            );
            Ok(())
        }
        _ => Err(USAGE.into()),
    }
}
