//! SQL over rows.

use serde_json::json;

use super::*;

#[test]
fn five_thousand_rows_as_python_prints_them() {
    let rows: Vec<String> = (1..=5000)
        .map(|id| {
            let status = if id % 3 == 0 { "paid" } else { "open" };
            format!(
                "{{'id': {id}, 'region': 'r{}', 'status': '{status}', 'amount': {}.25, 'note': \
                 None}}",
                id % 4,
                id % 100
            )
        })
        .collect();
    let files = [text(format!("[{}]", rows.join(", ")))];
    let expected: f64 = (1..=5000)
        .filter(|id| id % 3 == 0 && id % 4 == 1)
        .map(|id| f64::from(id % 100) + 0.25)
        .sum();
    let found = answer(
        &sql(
            "SELECT region, sum(amount) AS total FROM t WHERE status = 'paid' GROUP BY 1 ORDER BY 1",
        ),
        &files,
    );
    assert_eq!(found["columns"], json!(["region", "total"]));
    assert_eq!(found["rows"][1], json!(["r1", expected]));
    assert_eq!((&found["count"], &found["complete"]), (&json!(4), &json!(true)));
    let all = answer(&sql("select * from t1 where note is null"), &files);
    assert_eq!((&all["count"], &all["complete"]), (&json!(5000), &json!(false)));
    assert_eq!(all["rows"][0], json!([1, "r1", "open", 1.25, null]));
}

#[test]
fn columns_keep_their_names_and_numbers_are_numbers() {
    let files =
        [file("t.csv", "text/csv", "id,Unit price,zip,a\"b\n1,2.50,01067,x\n2,10,80331,\n")];
    assert_eq!(
        answer(&sql("select \"Unit price\" * 2, zip, \"a\"\"b\" from t where id = '1'"), &files)["rows"],
        json!([[5.0, "01067", "x"]])
    );
    assert_eq!(
        answer(&sql("select count(*), max(\"Unit price\") from t"), &files)["rows"],
        json!([[2, 10.0]])
    );
    let none = answer(&sql("select id from t where id > 5"), &files);
    assert_eq!(none, json!({"columns": ["id"], "rows": [], "count": 0, "complete": true}));
}

#[test]
fn several_files_and_lists_are_tables() {
    let files = [
        file("a.csv", "text/csv", "id,name\n1,x\n2,y\n"),
        json(r#"[{"of": 2, "n": {"deep": [1]}}]"#),
    ];
    assert_eq!(
        answer(&sql("select name, t2.n from t join t2 on t2.of = t.id"), &files)["rows"],
        json!([["y", "{\"deep\":[1]}"]])
    );
    let graph = [json(
        r#"{"entities": [{"name": "a"}, {"name": "b"}], "relations": [{"from": "a", "to": "b"}]}"#,
    )];
    assert_eq!(
        answer(&sql("select count(*) from entities join relations on \"to\" = name"), &graph)["rows"],
        json!([[1]])
    );
    assert_eq!(answer(&sql("select count(*) from t"), &graph)["rows"], json!([[2]]));
}

#[test]
fn mistakes_are_taught() {
    let files = [file("t.csv", "text/csv", "id,price\n1,2\n")];
    let said = refusal(&sql("select pric from t"), &files);
    assert!(
        said.contains("no such column: pric") && said.contains("columns are id, price"),
        "{said}"
    );
    let said = refusal(&sql("select 1 from orders"), &files);
    assert!(said.contains("no such table: orders; the tables are t, t1"), "{said}");
    assert!(refusal(&sql("select form t"), &files).contains("no such column: form"));
    assert!(refusal(&sql("select 1 +"), &files).contains("incomplete input"));
    let said = refusal(&sql("select 1 from t"), &[text("just words\n")]);
    assert!(said.contains("has no rows"), "{said}");
}

#[test]
fn nothing_but_reading() {
    let files = [file("t.csv", "text/csv", "id\n1\n")];
    for query in [
        "delete from t",
        "ATTACH DATABASE '/tmp/x.db' AS x",
        "PRAGMA query_only = OFF",
        "select 1; delete from t",
        "vacuum into '/tmp/x.db'",
        "create table x (a)",
    ] {
        let said = refusal(&sql(query), &files);
        assert!(said.contains("only"), "{query}: {said}");
    }
    // It starts like reading, and the database refuses it.
    let said = refusal(&sql("with x as (select 1) delete from t"), &files);
    assert!(said.contains("readonly") || said.contains("query_only"), "{said}");
    refusal(&sql("select load_extension('x')"), &files);
}
