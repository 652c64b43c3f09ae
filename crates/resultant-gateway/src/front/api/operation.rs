//! An operation of the API: what serves it and what describes it, in one place.
//!
//! The router and the document are made from the same list of these, so an operation that is not
//! described does not exist, and one that is described does.

use axum::{
    handler::Handler,
    http::Method,
    routing::{MethodFilter, MethodRouter, on},
};
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::Api;

/// Makes the schema of a type, and puts what it names into the generator.
pub(super) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// Who may use an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// A user.
    User,
    /// Whoever has a capability token; or a user.
    Token,
    /// Whoever has a capability token; nobody else.
    TokenOnly,
    /// Everybody.
    Everybody,
}

/// A body of a request or a response.
pub(super) struct Content {
    pub(super) media_type: &'static str,
    pub(super) schema: Option<SchemaOf>,
}

/// What an operation answers.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) description: &'static str,
    pub(super) contents: Vec<Content>,
}

/// An operation.
pub(super) struct Operation {
    pub(super) method: Method,
    pub(super) path: &'static str,
    /// Its name in the document.
    pub(super) id: &'static str,
    pub(super) summary: &'static str,
    pub(super) description: &'static str,
    pub(super) access: Access,
    /// A type whose members are the query's parameters.
    pub(super) query: Option<SchemaOf>,
    pub(super) headers: Vec<(&'static str, &'static str)>,
    pub(super) bodies: Vec<Content>,
    pub(super) answers: Vec<Answer>,
    /// The names of the problems it may answer with.
    pub(super) problems: Vec<super::problem::Kind>,
    /// Whether HEAD is answered as well.
    pub(super) has_head: bool,
    pub(super) route: MethodRouter<Api>,
}

impl Operation {
    fn new<H, T>(method: Method, filter: MethodFilter, path: &'static str, handler: H) -> Operation
    where
        H: Handler<T, Api>,
        T: 'static,
    {
        Operation {
            method,
            path,
            id: "",
            summary: "",
            description: "",
            access: Access::User,
            query: None,
            headers: Vec::new(),
            bodies: Vec::new(),
            answers: Vec::new(),
            problems: Vec::new(),
            has_head: false,
            route: on(filter, handler),
        }
    }

    pub(super) fn get<H: Handler<T, Api>, T: 'static>(path: &'static str, handler: H) -> Operation {
        Operation::new(Method::GET, MethodFilter::GET, path, handler)
    }

    pub(super) fn post<H: Handler<T, Api>, T: 'static>(
        path: &'static str,
        handler: H,
    ) -> Operation {
        Operation::new(Method::POST, MethodFilter::POST, path, handler)
    }

    pub(super) fn put<H: Handler<T, Api>, T: 'static>(path: &'static str, handler: H) -> Operation {
        Operation::new(Method::PUT, MethodFilter::PUT, path, handler)
    }

    pub(super) fn delete<H: Handler<T, Api>, T: 'static>(
        path: &'static str,
        handler: H,
    ) -> Operation {
        Operation::new(Method::DELETE, MethodFilter::DELETE, path, handler)
    }

    /// Its name, and what it does in a few words.
    #[must_use]
    pub(super) fn named(mut self, id: &'static str, summary: &'static str) -> Operation {
        (self.id, self.summary) = (id, summary);
        self
    }

    /// What is worth knowing beside that.
    #[must_use]
    pub(super) fn described(mut self, description: &'static str) -> Operation {
        self.description = description;
        self
    }

    #[must_use]
    pub(super) fn open_to(mut self, access: Access) -> Operation {
        self.access = access;
        self
    }

    /// The query's parameters are the members of `T`.
    #[must_use]
    pub(super) fn query<T: JsonSchema>(mut self) -> Operation {
        self.query = Some(schema_of::<T>);
        self
    }

    /// A header of the request that means something.
    #[must_use]
    pub(super) fn header(mut self, name: &'static str, description: &'static str) -> Operation {
        self.headers.push((name, description));
        self
    }

    /// The request is a JSON document.
    #[must_use]
    pub(super) fn takes<T: JsonSchema>(self) -> Operation {
        self.takes_as("application/json", Some(schema_of::<T>))
    }

    /// The request is bytes of this media type.
    #[must_use]
    pub(super) fn takes_bytes(self, media_type: &'static str) -> Operation {
        self.takes_as(media_type, None)
    }

    #[must_use]
    pub(super) fn takes_form<T: JsonSchema>(self, media_type: &'static str) -> Operation {
        self.takes_as(media_type, Some(schema_of::<T>))
    }

    fn takes_as(mut self, media_type: &'static str, schema: Option<SchemaOf>) -> Operation {
        self.bodies.push(Content { media_type, schema });
        self
    }

    /// The response is a JSON document.
    #[must_use]
    pub(super) fn gives<T: JsonSchema>(self, status: u16, description: &'static str) -> Operation {
        self.gives_as("application/json", Some(schema_of::<T>), status, description)
    }

    /// The response is bytes, or a stream of events that are described in words.
    #[must_use]
    pub(super) fn gives_bytes(
        self,
        media_type: &'static str,
        status: u16,
        description: &'static str,
    ) -> Operation {
        self.gives_as(media_type, None, status, description)
    }

    /// The response is a stream, each of whose events is one of `T`.
    #[must_use]
    pub(super) fn gives_events<T: JsonSchema>(self, description: &'static str) -> Operation {
        self.gives_as("text/event-stream", Some(schema_of::<T>), 200, description)
    }

    fn gives_as(
        mut self,
        media_type: &'static str,
        schema: Option<SchemaOf>,
        status: u16,
        description: &'static str,
    ) -> Operation {
        let content = Content { media_type, schema };
        match self.answers.iter_mut().find(|answer| answer.status == status) {
            Some(answer) => answer.contents.push(content),
            None => self.answers.push(Answer { status, description, contents: vec![content] }),
        }
        self
    }

    /// The response has no body.
    #[must_use]
    pub(super) fn gives_nothing(mut self, status: u16, description: &'static str) -> Operation {
        self.answers.push(Answer { status, description, contents: Vec::new() });
        self
    }

    /// It may answer with these problems, beside those that every operation has.
    #[must_use]
    pub(super) fn fails(mut self, kinds: &[super::problem::Kind]) -> Operation {
        self.problems.extend_from_slice(kinds);
        self
    }

    #[must_use]
    pub(super) fn with_head(mut self) -> Operation {
        self.has_head = true;
        self
    }

    /// The room of the document it stands in: the path's first word.
    pub(super) fn tag(&self) -> &'static str {
        match self.path.trim_start_matches("/api/").split('/').next().unwrap_or_default() {
            "sessions" => match self.path {
                path if path.contains("/calls") || path.contains("/stats") => "calls",
                path if path.contains("/events") => "events",
                path if path.contains("/dashboards") => "dashboards",
                path if path.contains("/files") || path.contains("links") => "files",
                _ => "sessions",
            },
            "tools" | "servers" => "tools",
            "calls" | "stats" => "calls",
            "files" => "files",
            "dashboards" => "dashboards",
            "page" | "pages" | "page-tokens" => "pages",
            "settings" => "settings",
            _ => "this document",
        }
    }
}
