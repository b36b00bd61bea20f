// SPDX-License-Identifier: MIT

//! One connection of noq with two paths.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use noq::{
    ClientConfig, Endpoint, FourTuple, PathError, PathStatus, ServerConfig, TransportConfig,
};
use smartsbd_quic::noq_controller::PathsFactory;
use tokio::time::{sleep, timeout};

use crate::{CHUNK, Certificate, Failure, MOST_IN_FLIGHT, MOST_UNSENT, NAME, Transfer};

/// Until when the receiver must have given the sender what a second path needs.
const OPENED_WITHIN: Duration = Duration::from_secs(3);

fn transport() -> TransportConfig {
    let mut transport = TransportConfig::default();
    transport
        .max_concurrent_multipath_paths(2)
        .stream_receive_window(MOST_IN_FLIGHT.into())
        .send_window(MOST_UNSENT)
        .send_fairness(false)
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
                    while let Ok(Some(chunk)) = stream.read_chunk(usize::MAX).await {
                        received.fetch_add(chunk.len() as u64, Relaxed);
                    }
                });
            }
            #[expect(unreachable_code, reason = "the type of what ends it")]
            Ok::<(), noq::ConnectionError>(())
        });
    }
    Ok(())
}

/// Send for the time of a transfer.
pub async fn send(transfer: &Transfer) -> Result<(), Failure> {
    let mut transport = transport();
    transport.congestion_controller_factory(Arc::new(PathsFactory::new(transfer.paths.clone())));
    let mut config = ClientConfig::with_root_certificates(transfer.trusted.clone())?;
    config.transport_config(Arc::new(transport));
    let endpoint = Endpoint::client((Ipv4Addr::UNSPECIFIED, 0).into())?;
    let connection = endpoint.connect_with(config, transfer.to, NAME)?.await?;
    let second = FourTuple::new(transfer.to, Some(transfer.from[1]));
    timeout(OPENED_WITHIN, async {
        loop {
            match connection.open_path(second, PathStatus::Available).await {
                // The receiver's connection IDs for it are on their way.
                Err(PathError::RemoteCidsExhausted) => sleep(Duration::from_millis(5)).await,
                opened => return opened,
            }
        }
    })
    .await??;
    let sent = timeout(transfer.time, async {
        // Of one stream, what comes over two paths would have more gaps than a receiver allows.
        loop {
            let mut stream = connection.open_uni().await?;
            stream.write_all(&CHUNK).await?;
            stream.finish()?;
        }
    })
    .await;
    if let Ok::<Result<(), Failure>, _>(ended) = sent {
        ended?;
    }
    connection.close(0_u32.into(), b"");
    endpoint.wait_idle().await;
    Ok(())
}
