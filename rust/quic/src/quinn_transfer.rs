// SPDX-License-Identifier: MIT

//! Two connections of quinn, one over each path.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use quinn::{ClientConfig, Endpoint, ServerConfig, TransportConfig};
use smartsbd_quic::quinn_controller::PathFactory;
use tokio::time::timeout;

use crate::{CHUNK, Certificate, Failure, MOST_IN_FLIGHT, MOST_UNSENT, NAME, Transfer};

fn transport() -> TransportConfig {
    let mut transport = TransportConfig::default();
    transport
        .stream_receive_window(MOST_IN_FLIGHT.into())
        .send_window(MOST_UNSENT)
        .enable_segmentation_offload(false);
    transport
}

/// Take what comes, and count it; does not end.
pub async fn receive(
    listen: SocketAddr,
    certificate: Certificate,
    received: &Arc<AtomicU64>,
) -> Result<(), Failure> {
    let mut config = ServerConfig::with_single_cert(certificate.chain, certificate.key)?;
    config.transport_config(Arc::new(transport()));
    let endpoint = Endpoint::server(config, listen)?;
    println!("ready");
    while let Some(incoming) = endpoint.accept().await {
        let received = received.clone();
        tokio::spawn(async move {
            let connection = incoming.await?;
            loop {
                let mut stream = connection.accept_uni().await?;
                let received = received.clone();
                tokio::spawn(async move {
                    while let Ok(Some(chunk)) = stream.read_chunk(usize::MAX, true).await {
                        received.fetch_add(chunk.bytes.len() as u64, Relaxed);
                    }
                });
            }
            #[expect(unreachable_code, reason = "the type of what ends it")]
            Ok::<(), quinn::ConnectionError>(())
        });
    }
    Ok(())
}

/// Send for the time of a transfer, over both paths.
pub async fn send(transfer: &Transfer) -> Result<(), Failure> {
    let (first, second) = tokio::join!(send_over(transfer, 0), send_over(transfer, 1));
    first.and(second)
}

async fn send_over(transfer: &Transfer, path: usize) -> Result<(), Failure> {
    let endpoint = Endpoint::client((transfer.from[path], 0).into())?;
    let paths = transfer.paths.clone();
    let mut transport = transport();
    transport.congestion_controller_factory(Arc::new(PathFactory { paths, path }));
    let mut config = ClientConfig::with_root_certificates(transfer.trusted.clone())?;
    config.transport_config(Arc::new(transport));
    let connection = endpoint.connect_with(config, transfer.to, NAME)?.await?;
    let mut stream = connection.open_uni().await?;
    let sent = timeout(transfer.time, async {
        loop {
            stream.write_all(&CHUNK).await?;
        }
    })
    .await;
    if let Ok::<Result<(), quinn::WriteError>, _>(ended) = sent {
        ended?;
    }
    connection.close(0_u32.into(), b"");
    endpoint.wait_idle().await;
    Ok(())
}
