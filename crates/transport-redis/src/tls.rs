//! The certificates of a connection with TLS.

use std::sync::Arc;

use oyez_bus::transport::TransportError;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use tokio_rustls::TlsConnector;

use crate::error::config;

/// The certificates that a program names, in PEM. No `Debug`: it holds a private key.
#[derive(Clone, Default)]
pub(crate) struct Certificates {
    pub(crate) roots: Option<Vec<u8>>,
    pub(crate) client: Option<ClientCertificate>,
}

/// Our own certificate, with its chain, and its key.
#[derive(Clone)]
pub(crate) struct ClientCertificate {
    pub(crate) chain: Vec<u8>,
    pub(crate) key: Vec<u8>,
}

impl Certificates {
    /// What makes connections with these certificates.
    pub(crate) fn connector(&self) -> Result<TlsConnector, TransportError> {
        // The program's choice if it has made one. Ours is not made its default, and rustls is not asked to guess: it
        // panics where the features of two providers are on.
        let provider = CryptoProvider::get_default().cloned().unwrap_or_else(|| Arc::new(ring::default_provider()));
        let config_builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|_| config("the crypto provider knows no version of TLS"))?
            .with_root_certificates(self.root_store()?);
        let settings = match &self.client {
            None => config_builder.with_no_client_auth(),
            Some(client) => {
                let chain = certificates(&client.chain)?;
                let key = PrivateKeyDer::from_pem_slice(&client.key).map_err(|_| config("not a private key in PEM"))?;
                let settings = config_builder.with_client_auth_cert(chain, key);
                settings.map_err(|_| config("the client certificate does not go with its key"))?
            }
        };
        Ok(TlsConnector::from(Arc::new(settings)))
    }

    fn root_store(&self) -> Result<RootCertStore, TransportError> {
        let mut store = RootCertStore::empty();
        match &self.roots {
            Some(pem) => {
                for root in certificates(pem)? {
                    store.add(root).map_err(|_| config("a root certificate cannot be used"))?;
                }
            }
            // Some of the system's are often unusable; those that are left decide.
            None => _ = store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs),
        }
        if store.is_empty() {
            return Err(config("no root certificate"));
        }
        Ok(store)
    }
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, TransportError> {
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    certificates.ok().filter(|found| !found.is_empty()).ok_or_else(|| config("not a certificate in PEM"))
}
