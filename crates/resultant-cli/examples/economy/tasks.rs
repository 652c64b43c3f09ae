//! The seven tasks: what is called, what is asked, and what is right.

pub(crate) mod handover;
pub(crate) mod reading;
pub(crate) mod small;

use serde_json::{Value, json};

use crate::{
    agent::question::Question,
    data::{Data, graph, repository},
    servers::Server,
};

/// A call that a task begins with, and the questions about its result.
#[derive(Clone)]
pub(crate) struct Step {
    pub(crate) server: Server,
    pub(crate) tool: &'static str,
    pub(crate) arguments: Value,
    /// Each with the right answer.
    pub(crate) questions: Vec<(Question, String)>,
    /// Where the result is a file.
    pub(crate) kept: Option<Kept>,
}

/// A file in a result, whose bytes are to be kept.
#[derive(Clone)]
pub(crate) struct Kept {
    /// How its name ends.
    pub(crate) suffix: &'static str,
    /// The digest of its bytes; where the server makes them, it is known when it has.
    pub(crate) sha256: Option<String>,
}

#[derive(Clone)]
pub(crate) struct Task {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    pub(crate) steps: Vec<Step>,
}

/// What came of a task on one route.
#[derive(Clone, Default)]
pub(crate) struct Attempt {
    /// What each first call showed, in tokens.
    pub(crate) firsts: Vec<usize>,
    /// All that was seen and called, in tokens.
    pub(crate) whole: usize,
    /// Calls beside the first.
    pub(crate) calls: usize,
    pub(crate) images: usize,
    pub(crate) right: bool,
    /// What is not as it should be.
    pub(crate) wrong: Vec<String>,
    pub(crate) story: Vec<String>,
}

impl Attempt {
    pub(crate) fn failed(why: &anyhow::Error) -> Self {
        Self { wrong: vec![format!("{why:#}")], ..Self::default() }
    }
}

/// A task for one kind of client, on all routes.
pub(crate) struct Row {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    pub(crate) client: &'static str,
    pub(crate) direct: Attempt,
    pub(crate) ours: Attempt,
    /// In the order of `Host::ALL`; none where there is nothing to be cut.
    pub(crate) hosts: Vec<Attempt>,
}

/// The tasks that read something large and ask about it.
pub(crate) fn large(data: &Data) -> Vec<Task> {
    let step = |server, tool, arguments, questions| Step {
        server,
        tool,
        arguments,
        questions,
        kept: None,
    };
    let Data { log, rows, repository, picture, graph, tree, .. } = data;
    let sums: Vec<String> = rows.sums.iter().map(|(name, sum)| format!("{name}={sum}")).collect();
    let commits: Vec<&str> = repository.commits.iter().map(String::as_str).collect();
    let log_questions = vec![
        (
            Question::Marked { marker: log.marker.clone(), label: "code=".to_owned() },
            log.code.clone(),
        ),
        (Question::Status { status: 503 }, log.failures.to_string()),
    ];
    let sum = Question::SumBy {
        sum: "amount_cents".to_owned(),
        by: "region".to_owned(),
        column: "status".to_owned(),
        value: rows.status.clone(),
    };
    let observation =
        Question::Observation { entity: graph.entity.clone(), about: graph::ABOUT.to_owned() };
    let png = Step {
        kept: Some(Kept { suffix: ".png", sha256: Some(picture.sha256.clone()) }),
        ..step(
            Server::Filesystem,
            "read_media_file",
            json!({"path": picture.path}),
            vec![(Question::Dimensions, format!("{}x{}", picture.width, picture.height))],
        )
    };
    let compress = json!({
        "name": picture.compressed, "data": picture.url, "outputType": "resource",
    });
    // Its size, and so the right answer, is known when it was made.
    let gzip = Step {
        kept: Some(Kept { suffix: ".gz", sha256: None }),
        ..step(
            Server::Everything,
            "gzip-file-as-resource",
            compress,
            vec![(Question::SizeOf { suffix: ".gz".to_owned() }, String::new())],
        )
    };
    vec![
        Task {
            id: "B1",
            title: "log",
            steps: vec![step(
                Server::Filesystem,
                "read_text_file",
                json!({"path": log.path}),
                log_questions,
            )],
        },
        Task {
            id: "B2",
            title: "rows",
            steps: vec![step(
                Server::Sqlite,
                "read_query",
                json!({"query": "SELECT * FROM orders"}),
                vec![(sum, sums.join(" "))],
            )],
        },
        Task {
            id: "B3",
            title: "git",
            steps: vec![
                step(
                    Server::Git,
                    "git_show",
                    json!({"repo_path": repository.path, "revision": repository::TAG}),
                    vec![(
                        Question::Defines { name: repository.name.clone() },
                        repository.defined_in.clone(),
                    )],
                ),
                step(
                    Server::Git,
                    "git_log",
                    json!({"repo_path": repository.path, "max_count": 300}),
                    vec![(
                        Question::Commits { ticket: repository.ticket.clone() },
                        commits.join(" "),
                    )],
                ),
            ],
        },
        Task { id: "B4", title: "binary", steps: vec![png, gzip] },
        Task {
            id: "B5",
            title: "graph",
            steps: vec![
                step(
                    Server::Memory,
                    "read_graph",
                    json!({}),
                    vec![(observation, graph.observation.clone())],
                ),
                step(
                    Server::Filesystem,
                    "directory_tree",
                    json!({"path": tree.path}),
                    vec![(
                        Question::FilesEnding { suffix: ".md".to_owned() },
                        tree.documents.to_string(),
                    )],
                ),
            ],
        },
    ]
}
