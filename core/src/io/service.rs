//! An MCP server as a Tower service, to be mounted in axum, hyper or anything that speaks Tower.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::{Request, Response};

use super::http::{Answer, Body, Setup};
use super::timers;
use crate::engine::Engine;
use crate::engine::http::{HttpOptions, MountPath};

/// Serves an engine under a foreign server's roof. That server's own limits on heads and time apply; the engine's checks of
/// host, origin and size apply as ever.
#[derive(Clone)]
pub struct McpService {
    setup: Setup,
    mount: Option<MountPath>,
}

impl McpService {
    /// A service for requests whose path is one of the options' paths.
    pub fn new(engine: &Arc<Engine>, options: HttpOptions) -> Self {
        timers::drive(engine);
        let setup = Setup { engine: Arc::clone(engine), options: Arc::new(options), pause: None };
        Self { setup, mount: None }
    }

    /// The same under a prefix that the outer server takes off the path before the request comes here (H12). A [`MountPath`] in a
    /// request's extensions does the same for that request.
    pub fn mounted_at(mut self, prefix: impl Into<String>) -> Self {
        self.mount = Some(MountPath(prefix.into()));
        self
    }
}

impl<B> tower_service::Service<Request<B>> for McpService
where
    B: hyper::body::Body + Unpin,
    B::Error: std::fmt::Display,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answer<B>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        if let Some(mount) = &self.mount
            && request.extensions().get::<MountPath>().is_none()
        {
            request.extensions_mut().insert(mount.clone());
        }
        Answer::new(self.setup.clone(), request)
    }
}
