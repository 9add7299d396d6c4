//! Encryption: whom the client trusts, and who it is. Nothing here is set for the whole process.

use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, SignatureScheme};
use rustls_platform_verifier::Verifier;

use super::super::http_options::{HttpOptions, Identity, Pem};
use crate::error::{Error, ErrorKind, Result};

/// How connections are encrypted: to the server, and to a proxy that is reached by `https`.
#[derive(Clone)]
pub struct Tls {
    pub server: Arc<ClientConfig>,
    pub proxy: Arc<ClientConfig>,
}

impl Tls {
    /// Reads the files that the options name, and the roots of the system: where OpenSSL has them, or `SSL_CERT_FILE` and
    /// `SSL_CERT_DIR` say, on Linux; what the system itself trusts elsewhere.
    ///
    /// # Errors
    /// `Definition` for a file that cannot be read or holds no certificate or key; it is named. `Io` when the system has no roots.
    pub fn new(options: &HttpOptions) -> Result<Self> {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| Error::internal("TLS has no usable version").caused_by(error))?;
        let builder = builder.dangerous().with_custom_certificate_verifier(verifier(options, &provider)?);
        let mut server = match &options.identity {
            None => builder.with_no_client_auth(),
            Some(identity) => {
                let (certificates, key) = read_identity(identity)?;
                builder.with_client_auth_cert(certificates, key).map_err(|error| {
                    Error::definition(format!("`client_cert` and `client_key` cannot be used: {error}"))
                })?
            }
        };
        let proxy = Arc::new(server.clone());
        server.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self { server: Arc::new(server), proxy })
    }
}

fn verifier(options: &HttpOptions, provider: &Arc<CryptoProvider>) -> Result<Arc<dyn ServerCertVerifier>> {
    if options.accept_any_certificate {
        return Ok(Arc::new(Anyone(Arc::clone(provider))));
    }
    let mut extra = Vec::new();
    for pem in &options.ca {
        let member = match pem {
            Pem::File(_) => "ca_file",
            Pem::Text(_) => "ca_pem",
        };
        let found = certificates(pem, member)?;
        // Told now and by name: the verifier would only say that something is wrong.
        let mut roots = rustls::RootCertStore::empty();
        for certificate in &found {
            roots.add(certificate.clone()).map_err(|error| wrong(pem, member, &error.to_string()))?;
        }
        extra.extend(found);
    }
    match Verifier::new_with_extra_roots(extra, Arc::clone(provider)) {
        Ok(verifier) => Ok(Arc::new(verifier)),
        Err(error) => {
            let text = format!("no certificate authority is known (set `ca_file`, or `SSL_CERT_FILE`): {error}");
            Err(Error::new(ErrorKind::Io, text))
        }
    }
}

fn read_identity(identity: &Identity) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)> {
    let found = certificates(&identity.certificates, "client_cert")?;
    let (pem, member) = match &identity.key {
        Some(pem) => (pem, "client_key"),
        None => (&identity.certificates, "client_cert"),
    };
    let text = read(pem, member)?;
    let key = PrivateKeyDer::from_pem_slice(&text).map_err(|error| wrong(pem, member, &error.to_string()))?;
    Ok((found, key))
}

fn certificates(pem: &Pem, member: &str) -> Result<Vec<CertificateDer<'static>>> {
    let text = read(pem, member)?;
    let found: Vec<_> = CertificateDer::pem_slice_iter(&text)
        .collect::<Result<_, _>>()
        .map_err(|error| wrong(pem, member, &error.to_string()))?;
    if found.is_empty() {
        return Err(wrong(pem, member, "it holds no certificate"));
    }
    Ok(found)
}

fn read(pem: &Pem, member: &str) -> Result<Vec<u8>> {
    match pem {
        Pem::Text(text) => Ok(text.clone().into_bytes()),
        Pem::File(path) => {
            let found = std::fs::read(path);
            found.map_err(|error| wrong(pem, member, &error.to_string()))
        }
    }
}

/// The contents are never quoted: they may be a key.
fn wrong(pem: &Pem, member: &str, why: &str) -> Error {
    match pem {
        Pem::File(path) => {
            Error::definition(format!("`{member}`: the file `{}` cannot be used: {why}", Path::display(path)))
        }
        Pem::Text(_) => Error::definition(format!("`{member}`: the text given cannot be used: {why}")),
    }
}

/// Accepts every certificate; that the other side holds its key is still checked.
#[derive(Debug)]
struct Anyone(Arc<CryptoProvider>);

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        rustls::crypto::verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        rustls::crypto::verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
