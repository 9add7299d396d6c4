//! Certificates: of private authorities, of clients, and wrong ones.

use std::sync::Arc;

use omniport::error::ErrorKind;
use omniport::io::http_options::{HttpOptions, Identity, Pem};
use omniport::model::Level;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use tokio_rustls::TlsAcceptor;

use super::server::{mcp, serve};
use super::session::open;

/// A private certificate authority.
pub struct Authority {
    pub pem: String,
    der: rustls::pki_types::CertificateDer<'static>,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    pub fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        Self { pem: certificate.pem(), der: certificate.der().clone(), issuer: Issuer::new(params, key) }
    }

    /// TLS of a server of that name, which wants a certificate of its clients or not.
    pub fn server(&self, name: &str, wants_client: bool) -> TlsAcceptor {
        let (certificate, key) = self.sign(name);
        let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let builder = builder.with_safe_default_protocol_versions().unwrap();
        let builder = match wants_client {
            false => builder.with_no_client_auth(),
            true => {
                let mut roots = rustls::RootCertStore::empty();
                roots.add(self.der.clone()).unwrap();
                let provider = Arc::new(ring::default_provider());
                let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
                builder.with_client_cert_verifier(verifier.unwrap())
            }
        };
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let mut config = builder.with_single_cert(vec![certificate.der().clone()], key).unwrap();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        TlsAcceptor::from(Arc::new(config))
    }

    fn sign(&self, name: &str) -> (rcgen::Certificate, KeyPair) {
        let key = KeyPair::generate().unwrap();
        (CertificateParams::new(vec![name.to_owned()]).unwrap().signed_by(&key, &self.issuer).unwrap(), key)
    }

    /// Options that trust this authority.
    pub fn trusted(&self) -> HttpOptions {
        let mut options = HttpOptions::default();
        options.ca = vec![Pem::Text(self.pem.clone())];
        options
    }
}

#[tokio::test]
async fn y06_a_private_authority_is_trusted_when_it_is_given() {
    let authority = Authority::new();
    let (port, seen) = serve(Some(authority.server("localhost", false)), mcp).await;
    let url = format!("https://localhost:{port}/mcp");
    let error = open(&url, &HttpOptions::default()).await.err().unwrap();
    assert!(error.message().contains("certificate") && error.message().contains("`ca_file`"), "{error}");
    assert_eq!((error.kind(), error.fact("sent"), error.can_retry()), (ErrorKind::Io, Some("no"), false));
    let mut session = open(&url, &authority.trusted()).await.unwrap();
    assert_eq!(session.call("tool").await.unwrap(), "tool");
    assert!(session.reports.lock().unwrap().is_empty());
    let versions: Vec<_> = seen.requests.lock().unwrap().iter().map(|head| head.version).collect();
    assert_eq!(versions, [http::Version::HTTP_2; 2]);
}

#[tokio::test]
async fn y06_the_name_must_be_that_of_the_certificate() {
    let authority = Authority::new();
    let (port, _) = serve(Some(authority.server("other.test", false)), mcp).await;
    let url = format!("https://localhost:{port}/mcp");
    let error = open(&url, &authority.trusted()).await.err().unwrap();
    assert!(error.message().contains("another host name"), "{error}");
    let mut options = HttpOptions::default();
    options.accept_any_certificate = true;
    let mut session = open(&url, &options).await.unwrap();
    assert_eq!(session.call("tool").await.unwrap(), "tool");
    let reports = session.reports.lock().unwrap();
    assert!(matches!(&reports[..], [(Level::Warning, text)] if text.contains("not checked")), "{reports:?}");
}

#[tokio::test]
async fn y06_a_client_shows_its_certificate() {
    let authority = Authority::new();
    let (port, _) = serve(Some(authority.server("localhost", true)), mcp).await;
    let url = format!("https://localhost:{port}/mcp");
    let error = open(&url, &authority.trusted()).await.err().unwrap();
    assert!(error.message().contains("`client_cert`") && !error.can_retry(), "{error}");
    let (certificate, key) = authority.sign("client");
    let one_file = format!("{}{}", key.serialize_pem(), certificate.pem());
    for (certificates, key) in [(certificate.pem(), Some(Pem::Text(key.serialize_pem()))), (one_file, None)] {
        let mut options = authority.trusted();
        options.identity = Some(Identity { certificates: Pem::Text(certificates), key });
        let mut session = open(&url, &options).await.unwrap();
        assert_eq!(session.call("tool").await.unwrap(), "tool");
    }
    let mut options = authority.trusted();
    options.identity = Some(Identity { certificates: Pem::Text(certificate.pem()), key: None });
    let error = open(&url, &options).await.err().unwrap();
    assert!(error.message().contains("`client_cert`"), "{error}");
}

#[tokio::test]
async fn y06_a_port_without_tls_is_an_error_at_once() {
    let (port, _) = serve(None, mcp).await;
    let error = open(&format!("https://localhost:{port}/mcp"), &HttpOptions::default()).await.err().unwrap();
    assert!(error.message().contains("no TLS on that port"), "{error}");
}
