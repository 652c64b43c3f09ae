//! The process that answers, for the tests: what `resultant query-worker` is.

fn main() -> std::process::ExitCode {
    resultant_query::work()
}
