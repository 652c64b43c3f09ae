//! The golden cases: calls of the source system's builders, as calls of ours.

use super::{schema::accepts, *};

const CASES: [&str; 2] = [
    include_str!("../../../../../corpus/vectors/envelope.jsonl"),
    include_str!("../../../../../corpus/vectors/envelope_more.jsonl"),
];

#[test]
fn golden_cases() {
    let schema = schema();
    let mut count = 0;
    for line in CASES.iter().flat_map(|cases| cases.lines()) {
        let case = Json::parse(line.to_owned()).unwrap();
        let envelope = interpret(&case.get("call").unwrap()).to_json();
        assert_eq!(envelope, case.get("expect").unwrap(), "{}", case.get("id").unwrap());
        accepts(&schema, &envelope);
        count += 1;
    }
    assert_eq!(count, 23 + 117);
}

fn interpret(call: &Json) -> Envelope {
    let mut args: Vec<Json> = call.get("args").unwrap().items().collect();
    let context_id = call.get("context_correlation_id");
    let request_id = context_id.map(|id| id.as_str().unwrap().into_owned());
    let is_error = call.get("fn").unwrap().as_str().unwrap() == "error_response";
    let mut envelope = match is_error {
        true => Envelope::error(args.remove(0).as_str().unwrap()),
        false => Envelope::success(),
    };
    envelope = envelope.context(&Context { request_id });
    if let Some(data) = args.pop() {
        envelope = envelope.data(data);
    }
    for (name, value) in call.get("kwargs").unwrap().members() {
        envelope = argument(envelope, is_error, &name, &value);
    }
    envelope
}

fn argument(envelope: Envelope, is_error: bool, name: &str, value: &Json) -> Envelope {
    let text = || value.as_str().unwrap();
    match name {
        "data" => envelope.data(value),
        "warnings" => {
            envelope.warnings(value.items().map(|item| item.as_str().unwrap().into_owned()))
        }
        "pagination" => envelope.pagination(Pagination::from_json(value)),
        "rate_limit" => envelope.rate_limit(RateLimit::from_json(value)),
        "telemetry" => envelope.telemetry(Telemetry::from_json(value)),
        "request_id" if value.is_null() => envelope,
        "request_id" => envelope.request_id(text()),
        "meta" => value.members().fold(envelope, |e, (name, value)| e.meta(&name, value)),
        "error_code" if is_error => envelope.code(&*text()),
        "error_type" if is_error => envelope.kind(&*text()),
        "remediation" if is_error && value.is_null() => envelope,
        "remediation" if is_error => envelope.remediation(text()),
        "details" if is_error => envelope.details(value),
        _ => envelope.field(name, value),
    }
}
