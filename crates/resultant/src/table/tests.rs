use super::*;

/// The rows of a text as JSON, fed in pieces of this length.
fn rows_by(kind: TableKind, text: &str, piece: usize) -> (Vec<String>, RowReader) {
    let mut reader = RowReader::new(kind);
    let mut rows = Vec::new();
    let mut keep = |row: &Row<'_>| {
        let mut out = String::new();
        row.push_object(&mut out);
        rows.push(out);
    };
    for piece in text.as_bytes().chunks(piece) {
        reader.feed(piece, &mut keep);
    }
    reader.finish(&mut keep);
    (rows, reader)
}

/// Whole, byte by byte and in between there are the same rows, and the kind is found.
#[track_caller]
fn check(kind: TableKind, text: &str, expected: &[&str]) {
    assert_eq!(table_kind(text), Some(kind), "{text}");
    check_as(kind, text, expected);
}

#[track_caller]
fn check_as(kind: TableKind, text: &str, expected: &[&str]) {
    for piece in [1, 7, text.len().max(1)] {
        assert_eq!(rows_by(kind, text, piece).0, expected, "in pieces of {piece}");
    }
}

#[test]
fn separated_values() {
    use TableKind::{Csv, Tsv};
    check(
        Csv,
        "\u{feff}id,name,price\r\n1,\"a \"\"b\"\", c\nd\",1.5\r\n2,,\"\"\r\n\r\n3,x,007\r\n",
        &[
            r#"{"id":1,"name":"a \"b\", c\nd","price":1.5}"#,
            r#"{"id":2,"name":null,"price":""}"#,
            r#"{"id":3,"name":"x","price":"007"}"#,
        ],
    );
    check(
        Csv,
        "name;amount\na;1,5\nb;2\n",
        &[r#"{"name":"a","amount":"1,5"}"#, r#"{"name":"b","amount":2}"#],
    );
    check(Csv, "a|b|c\n1|2|3\n", &[r#"{"a":1,"b":2,"c":3}"#]);
    check(
        Tsv,
        "a\tb\n1\t-2.25\n9223372036854775808\t1e5\n",
        &[r#"{"a":1,"b":-2.25}"#, r#"{"a":"9223372036854775808","b":"1e5"}"#],
    );
}

#[test]
fn ragged_rows_and_odd_headers_are_kept() {
    check_as(
        TableKind::Csv,
        "a,A,,b\n1,2,3\n1,2,3,4,5\n",
        &[r#"{"a":1,"A_2":2,"c3":3}"#, r#"{"a":1,"A_2":2,"c3":3,"b":4,"c5":5}"#],
    );
    // Without names, the first line is a row.
    check_as(TableKind::Csv, "1,2\n3,4", &[r#"{"c1":1,"c2":2}"#, r#"{"c1":3,"c2":4}"#]);
    assert_eq!(rows_by(TableKind::Csv, "id,name\n", 3).1.columns(), ["id", "name"]);
}

#[test]
fn a_quote_that_is_never_closed_swallows_nothing() {
    check_as(
        TableKind::Csv,
        "a,b\n\"x,1\ny,2\n\"z\",3\n",
        &[r#"{"a":"\"x","b":1}"#, r#"{"a":"y","b":2}"#, r#"{"a":"z","b":3}"#],
    );
    check_as(
        TableKind::Csv,
        "a,b\nx,\"1\ny,2\nz,3\n\"q\"r,\"s\" \n",
        &[
            r#"{"a":"x","b":"\"1"}"#,
            r#"{"a":"y","b":2}"#,
            r#"{"a":"z","b":3}"#,
            r#"{"a":"\"q\"r","b":"s"}"#,
        ],
    );
    let long = format!("a,b\nx,\"1\n{}", "y,2\n".repeat(RowReader::CELL_BYTES_MAX / 2));
    assert_eq!(
        rows_by(TableKind::Csv, &long, 8000).1.rows(),
        1 + RowReader::CELL_BYTES_MAX as u64 / 2
    );
}

#[test]
fn python_rows() {
    check(
        TableKind::PythonRows,
        r#"[{'id': 1, 'a': None, 'b': True, 'c': Decimal('1.5'), 'd': datetime.datetime(2024, 5, 6, 7, 8), 'e': "it's [1, {", 'f': 'x\'"\\\n\xe9\u20ac'}, {'id': -2.5e-07, 'g': (1, 'a'), 'h': {'k': [None]}, 'i': b'\x00}'}]"#,
        &[
            r#"{"id":1,"a":null,"b":true,"c":1.5,"d":"2024-05-06 07:08:00","e":"it's [1, {","f":"x'\"\\\né€"}"#,
            r#"{"id":-2.5e-7,"a":null,"b":null,"c":null,"d":null,"e":null,"f":null,"g":[1,"a"],"h":{"k":[null]},"i":"b'\\x00}'"}"#,
        ],
    );
    check(
        TableKind::PythonRows,
        "[(1, 'a', datetime.date(2024, 1, 2)),\n (2, 'b' 'c', <x at 0x1>)]",
        &[r#"{"c1":1,"c2":"a","c3":"2024-01-02"}"#, r#"{"c1":2,"c2":"bc","c3":"<x at 0x1>"}"#],
    );
    check(TableKind::PythonRows, r#"[{"it's": None}]"#, &[r#"{"it's":null}"#]);
}

#[test]
fn json_rows_and_lines() {
    check(
        TableKind::JsonRows,
        r#"[{"a": 1, "b": "x]"}, {"b": [1, 2], "c": 123456789012345678901234567890}, {}]"#,
        &[
            r#"{"a":1,"b":"x]"}"#,
            r#"{"a":null,"b":[1,2],"c":123456789012345678901234567890}"#,
            "{}",
        ],
    );
    check(
        TableKind::JsonRows,
        r#"{"ok": true, "n": [1, [2]], "rows": [ {"a": 1.5e3}, {"a": "\u00e9"}], "more": [{"b": 1}]}"#
            .replace(r#""n": [1, [2]], "#, "")
            .as_str(),
        &[r#"{"a":1500.0}"#, r#"{"a":"é"}"#],
    );
    check_as(
        TableKind::JsonRows,
        r#"{"n": [1, [2, "]"]], "o": {"p": [{"q": 1}]}, "rows": [{"a": 1}]}"#,
        &[r#"{"a":1}"#],
    );
    check(
        TableKind::JsonLines,
        "{\"a\": 1}\r\n\n{\"a\": 2}\n{broken\n{\"a\": 3}",
        &[r#"{"a":1}"#, r#"{"a":2}"#, r#"{"a":3}"#],
    );
    let (_, reader) = rows_by(TableKind::JsonLines, "{broken\n", 100);
    assert_eq!(reader.losses().rows_left_out, 1);
}

#[test]
fn drawn_tables() {
    check(
        TableKind::Markdown,
        "# Items\n\n| id | name |\n|---:|:----|\n| 1 | a \\| b |\n| 2 |  |\n\nText | after\n",
        &[r#"{"id":1,"name":"a | b"}"#, r#"{"id":2,"name":null}"#],
    );
    check(
        TableKind::Markdown,
        "+----+------+\n| id | name |\n+----+------+\n|  1 | a    |\n+----+------+\n",
        &[r#"{"id":1,"name":"a"}"#],
    );
    check(
        TableKind::Markdown,
        " id | name \n----+------\n  1 | a\n(1 row)\n",
        &[r#"{"id":1,"name":"a"}"#],
    );
}

#[test]
fn other_texts_are_no_tables() {
    for text in [
        "",
        "Dear reader, hello\nand goodbye, reader\n",
        "2024-01-02 10:00:00,123 INFO start\n2024-01-02 10:00:01,456 INFO end\n",
        "127.0.0.1 - - [10/Oct/2000:13:55:36] \"GET / HTTP/1.0\" 200 2326\n127.0.0.1 - - x\n",
        "use std::{fs, io};\nuse a::{b, c};\n",
        "[1, 2, 3]",
        "{\"a\": {\"b\": 1}}",
        "{\"entities\": [{\"name\": \"a\"}], \"relations\": [{\"from\": \"a\"}]}",
        "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a, b\n+a, c\n",
        "a | b\nno rule\n",
        "<html>\n<p>a, b, c</p>\n</html>\n",
    ] {
        assert_eq!(table_kind(text), None, "{text}");
    }
}

#[test]
fn what_is_too_much_is_counted() {
    let wide = format!("{}\n{}\n", vec!["n"; 5000].join(","), vec!["1"; 5000].join(","));
    let (_, reader) = rows_by(TableKind::Csv, &wide, 4096);
    assert_eq!(reader.columns().len(), RowReader::COLUMNS_MAX);
    assert_eq!((reader.rows(), reader.losses().cells_left_out), (1, 4000));

    let long = format!("[{{\"a\": \"{}\"}}]", "é".repeat(RowReader::CELL_BYTES_MAX));
    let (rows, reader) = rows_by(TableKind::JsonRows, &long, 65536);
    assert_eq!(reader.losses().cells_cut, 1);
    assert!(rows[0].len() <= RowReader::CELL_BYTES_MAX + 10);
}

proptest::proptest! {
    /// Whatever the text and the pieces, there is no panic, and the same rows come out.
    #[test]
    fn pieces_do_not_matter(
        text in r#"[a\[\]{}()'",:\\|\n\r\t1. é-]{0,80}"#,
        piece in 1_usize..9,
    ) {
        use TableKind::*;
        let _ = table_kind(&text);
        for kind in [Csv, Tsv, Markdown, PythonRows, JsonRows, JsonLines] {
            let (whole, _) = rows_by(kind, &text, text.len().max(1));
            let (parts, _) = rows_by(kind, &text, piece);
            proptest::prop_assert_eq!(&whole, &parts);
            for row in whole {
                proptest::prop_assert!(crate::Json::parse(row.clone()).is_ok(), "{}", row);
            }
        }
    }
}
