//! Who sends a request, where the server wants to know: every method on every route, before anything else looks at it (security 48).

use std::sync::{Arc, Mutex};

use http::StatusCode;
use http::header::{HeaderValue, WWW_AUTHENTICATE};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::call::{Call, Origin, Work};
use super::super::host::Principal;
use super::{Arrival, Engine, Leaving, problem};
use crate::error::Error;
use crate::model::Level;
use crate::protocol::peer::Running;
use crate::time::Now;
use crate::wire::write;

#[derive(Deserialize)]
struct Members {
    subject: Box<str>,
    client: Option<Box<str>>,
}

impl Principal {
    /// Reads `{"subject", "client"?, ...}`. Anything else is no success: only an explicit one counts (X12).
    pub fn parse(text: &str) -> Result<Self, Error> {
        let refused =
            |error: serde_json::Error| Error::internal(format!("the check of a request gave no principal: {error}"));
        let members: Members = serde_json::from_str(text).map_err(refused)?;
        if members.subject.is_empty() {
            return Err(Error::internal("the check of a request gave a principal without a subject"));
        }
        let text = RawValue::from_string(text.to_owned()).map_err(refused)?;
        Ok(Self { subject: members.subject, client: members.client, text })
    }
}

impl Engine {
    /// Asks the host who sends the request.
    pub(super) fn authenticate(self: &Arc<Self>, arrival: Arrival, now: Now) {
        let mut input = b"{\"headers\":{".to_vec();
        for (index, name) in arrival.parts.headers.keys().enumerate() {
            if index > 0 {
                input.push(b',');
            }
            write::string(&mut input, name.as_str());
            input.push(b':');
            let values = arrival.parts.headers.get_all(name).iter();
            let values: Vec<_> = values.map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
            write::string(&mut input, &values.join(", "));
        }
        input.extend_from_slice(b"}}");
        let ticket = Arc::clone(&arrival.ticket);
        let origin = Origin { input: input.into(), ..Origin::default() };
        let call =
            Call::new(Arc::clone(self), Work::Authenticate(Mutex::new(Some(Box::new(arrival)))), origin, None, now);
        ticket.attach(Arc::clone(&call) as Arc<dyn Leaving>);
        call.start();
    }

    /// The host's answer: a principal, or none.
    pub(in crate::engine) fn authenticated(
        self: &Arc<Self>,
        call: &Arc<Call>,
        arrival: Option<Box<Arrival>>,
        text: Option<&str>,
        now: Now,
    ) {
        let Some(arrival) = arrival.filter(|_| call.finish()) else { return };
        arrival.ticket.release();
        match text.map(Principal::parse) {
            Some(Ok(principal)) => self.admit(*arrival, Some(Arc::new(principal)), now),
            refused => {
                if let Some(Err(error)) = refused {
                    self.report(Level::Warning, error.message().to_owned());
                }
                let mut response =
                    problem(StatusCode::UNAUTHORIZED, &Error::invalid_request("authentication is needed"));
                response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
                arrival.respond(response);
            }
        }
    }
}

impl Leaving for Call {
    fn gone(self: Arc<Self>) {
        Running::cancel(self, "the client went away");
    }
}
