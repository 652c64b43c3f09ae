use super::*;

/// The same survey, whatever the parts a text comes in.
fn check(text: &str, kind: TextKind, words: &str) -> Survey {
    for part in [1, 7, 4096] {
        let mut surveyor = Surveyor::default();
        let mut rest = text;
        while !rest.is_empty() {
            let (start, more) = rest.split_at(rest.ceil_char_boundary(part.min(rest.len())));
            surveyor.feed(start);
            rest = more;
        }
        let survey = surveyor.finish();
        assert_eq!((survey.kind, survey.describe().as_str()), (kind, words), "in parts of {part}");
    }
    Survey::of(text)
}

#[test]
fn a_log_has_levels_statuses_and_lines_that_stand_out() {
    let mut text = String::new();
    for at in 0..5000 {
        let status = if at % 100 == 0 { 503 } else { 200 };
        text += &format!(
            "10.0.0.{} - - [15/Nov/2026:10:{:02}:{:02} +0000] \"GET /item/{at} HTTP/1.1\" {status} {at}\n",
            at % 250,
            at / 60 % 60,
            at % 60
        );
        if at == 3000 {
            text += "15/Nov/2026:10:00:00 marked: the code is QX-77\n";
        }
    }
    let words = format!("log, 5,001 lines, {} bytes", grouped(text.len() as u64));
    let survey = check(&text, TextKind::Log, &words);
    let Detail::Lines(lines) = &survey.detail else { panic!("{survey:?}") };
    assert_eq!(
        lines.statuses.iter().map(|(s, n)| (*s, *n)).collect::<Vec<_>>(),
        [(200, 4950), (503, 50)]
    );
    let rare = lines.rare(5);
    assert_eq!((rare.len(), rare[0].line), (1, 3002));
    assert!(rare[0].text.contains("QX-77"));
    assert_eq!(lines.repeated(3).len(), 1);
}

#[test]
fn levels_are_found_where_they_are_marked() {
    let text = "2026-11-15 10:00:00 ERROR no\n[warn] careful\nlevel=info ok\n\
                2026-11-15 10:00:00 all is in error here\n";
    let survey = Survey::of(text);
    let Detail::Lines(lines) = &survey.detail else { panic!("{survey:?}") };
    assert_eq!(lines.levels(), [("ERROR", 1), ("WARN", 1), ("INFO", 1)]);
}

#[test]
fn kinds_are_told_apart() {
    let page = "<!doctype html><html><head><title>A page</title></head><body><h1>One &amp; two</h1>\
                <script>var x = '<h1>';</script><p>Some <b>words</b> here.</p></body></html>";
    let survey = check(page, TextKind::Html, &format!("HTML, 1 line, {} bytes", page.len()));
    let Detail::Html(html) = &survey.detail else { panic!("{survey:?}") };
    assert_eq!(html.title, "A page");
    assert_eq!(html.headings, [(1, "One & two".to_owned())]);
    assert_eq!(html.text.trim(), "Some words here.");

    let diff = "commit 1\n\ndiff --git a/x.rs b/x.rs\n--- a/x.rs\n+++ b/x.rs\n@@ -1,2 +1,3 @@\n a\n\
                +b\n+++ c\n-d\ndiff --git a/y b/y\n";
    let words = format!("diff, 2 files, +2 −1, 11 lines, {} bytes", diff.len());
    check(diff, TextKind::Diff, &words);

    let rows = "id,status\n1,open\n2,paid\n3,open\n4,open\n";
    let words = format!("CSV table, 4 rows × 2 columns, {} bytes", rows.len());
    let survey = check(rows, TextKind::Table(TableKind::Csv), &words);
    let Detail::Rows(rows) = &survey.detail else { panic!("{survey:?}") };
    assert_eq!(rows.tallies()[0].describe(6), "int 1…4");

    let drawn = ".\n├── a.md\n├── b\n│   ├── c.md\n│   └── d.rs\n└── e\n";
    let survey = Survey::of(drawn);
    let Detail::Drawn(tree) = &survey.detail else { panic!("{survey:?}") };
    assert_eq!((tree.entries, tree.depth, tree.extensions["md"]), (5, 2, 2));

    let code = "import os\n\ndef one(a):\n    return a\n\nclass Two:\n    def three(self):\n        pass\n";
    let survey = Survey::of(code);
    assert_eq!(survey.kind.name(), "Python code");
    let Detail::Code(code) = &survey.detail else { panic!("{survey:?}") };
    assert_eq!(code.first.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [3, 6, 7]);

    let prose = "It was a dark and stormy night; the rain fell in torrents.\n".repeat(9);
    assert_eq!(Survey::of(&prose).kind, TextKind::Text);
}

#[test]
fn the_shape_of_a_value_is_found_in_one_pass() {
    let text = r#"[{"a": 1, "b": "x"}, {"a": 2.5, "b": null, "c": [1, {"d": "}"}]}]"#;
    let outline = Outline::of(text);
    let items = &outline.shapes[outline.root().items.unwrap()];
    let fields: Vec<_> = items.fields.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!((items.tally.count, fields), (2, vec!["a", "b", "c"]));
    let field = |at: usize| &outline.shapes[items.fields[at].1];
    assert_eq!(field(0).tally.describe(3), "number 1…2.5");
    assert_eq!(field(1).tally.describe(3), "text, 1 null");
    assert_eq!(field(2).item_counts, Some((2, 2)));
}

#[test]
fn a_tree_is_counted_by_type_and_extension() {
    let text = r#"[{"name": "a", "type": "directory", "children": [
        {"name": "b.md", "type": "file"}, {"name": "c", "type": "directory", "children": []}]},
        {"name": "d.md", "type": "file"}]"#;
    let nodes = Outline::of(text).nodes.unwrap();
    assert_eq!((nodes.count, nodes.depth, nodes.extensions["md"]), (4, 2, 2));
    assert_eq!((nodes.types["file"], nodes.types["directory"]), (2, 2));
    for no_tree in [
        r#"{"items": [{"name": "a"}, {"name": "b"}, {"name": "c"}]}"#,
        r#"[{"id": 1, "items": [{"n": 1}, {"n": 2}]}, {"id": 2, "items": [{"n": 3}]}]"#,
        r#"{"nodes": [{"id": 1}, {"id": 2}, {"id": 3}], "edges": [{"from": 1, "to": 2}]}"#,
    ] {
        assert!(Outline::of(no_tree).nodes.is_none(), "{no_tree}");
    }
}

#[test]
fn what_is_kept_has_a_bound() {
    let mut surveyor = Surveyor::default();
    for at in 0..20_000 {
        surveyor.feed(&format!("{:x} {at}", at % 7));
        surveyor.feed(&"x".repeat(97));
        surveyor.feed(if at % 3 == 0 { "\n" } else { " é" });
    }
    let survey = surveyor.finish();
    assert!(survey.head.len() <= HEAD_BYTES && survey.tail.len() <= TAIL_BYTES);
    let wide = format!(
        "[{}]",
        (0..50_000).map(|n| format!("{{\"k{n}\":{n}}}")).collect::<Vec<_>>().join(",")
    );
    let outline = Outline::of(&wide);
    assert!(outline.shapes.len() <= 2_000);
    assert_eq!(outline.root().item_counts, Some((50_000, 50_000)));
}
