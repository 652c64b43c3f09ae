"""Tools whose results are long and made by rule, so that a test knows every answer.

With names of tools as arguments, there are tools of these names as well; they say who they are.
"""

import json
import sys

EXTRA = sys.argv[1:]


def log(count):
    for number in range(1, count + 1):
        status = 503 if number % 97 == 0 else 200
        mark = " code=heron-7141" if number == count * 2 // 3 else ""
        level = "ERROR" if status == 503 else "INFO"
        yield f"2026-05-01T10:00:{number % 60:02} {level} GET /item/{number} {status}{mark}"


def row(number):
    return {"id": number, "status": ["open", "paid", "void"][number % 3], "total": number * 2}


def entity(number):
    return {
        "name": f"entity-{number}",
        "kind": "bird" if number % 5 == 0 else "fish",
        "observations": [f"seen {number} times", f"colour {number * 31 % 7}"],
    }


def call(name, arguments):
    count = arguments.get("count", 1)
    if name == "read_log":
        return {"content": [{"type": "text", "text": "\n".join(log(count)) + "\n"}]}
    if name == "read_rows":
        rows = json.dumps([row(number) for number in range(1, count + 1)])
        return {"content": [{"type": "text", "text": rows}]}
    if name == "read_graph":
        graph = {"entities": [entity(number) for number in range(count)], "relations": []}
        text = json.dumps(graph, indent=2)
        return {"content": [{"type": "text", "text": text}], "structuredContent": graph}
    if name == "write":
        return {"content": [{"type": "text", "text": json.dumps(arguments)}]}
    return {"content": [{"type": "text", "text": f"{name} of the server"}]}


def tools():
    count = {"type": "object", "properties": {"count": {"type": "integer"}}}
    for name in ("read_log", "read_rows", *EXTRA):
        yield {"name": name, "inputSchema": count}
    yield {"name": "read_graph", "inputSchema": count, "outputSchema": {"type": "object"}}
    content = {"content": {"type": "string"}, "value": {"type": "array"},
               "place": {"type": "string", "format": "uri"}}
    yield {"name": "write", "inputSchema": {"type": "object", "properties": content}}


def answer(method, params):
    if method == "initialize":
        return {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "large-results", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": list(tools())}
    if method == "tools/call":
        return call(params["name"], params.get("arguments") or {})
    return {}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message and "method" in message:
        result = answer(message["method"], message.get("params") or {})
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
