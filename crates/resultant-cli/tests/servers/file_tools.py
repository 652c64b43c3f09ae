"""Tools that make files, take files and say who calls, with nothing but the standard library.

Every tool answers what it was really given, by size and digest where that is long, so that a test
can see what arrived.
"""

import base64
import hashlib
import json
import sys
import urllib.request


def string(**more):
    return {"type": "string", **more}


TOOLS = {
    "make": {"name": string(), "text": string(), "times": {"type": "integer"}},
    "take": {
        "doc": string(),
        "raw": string(contentEncoding="base64"),
        "value": {"type": "object"},
        "nested": {
            "type": "array",
            "items": {"type": "object", "properties": {"at": string(format="uri")}},
        },
    },
    "whoami": {"username": string(), "greeting": string()},
    "fetch": {"filename": string(), "file_names": {"type": "array", "items": string()}},
    "hide": {"filename": string()},
    "point": {"uris": {"type": "array", "items": string()}},
    "die": {"words": string(), "marker": string()},
}


def digest(data):
    return {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def get(url):
    with urllib.request.urlopen(url, timeout=30) as answer:
        return digest(answer.read())


def call(name, arguments):
    if name == "make":
        data = (arguments["text"] * arguments.get("times", 1)).encode()
        file = {"name": arguments["name"], "b64": base64.b64encode(data).decode()}
        return {"results": digest(data), "artifacts": [file]}
    if name == "take":
        seen = {key: value for key, value in arguments.items() if key not in ("doc", "raw")}
        if "doc" in arguments:
            seen["doc"] = digest(arguments["doc"].encode())
        if "raw" in arguments:
            seen["raw"] = digest(base64.b64decode(arguments["raw"], validate=True))
        return seen
    if name == "whoami":
        return arguments
    if name == "hide":
        # The address inside a file, where nothing shows that it is one.
        data = ("see " + arguments["filename"]).encode()
        return {"results": "hidden", "artifacts": [
            {"name": "note.txt", "b64": base64.b64encode(data).decode()},
        ]}
    if name == "die":
        # Ends when the next message is there, so that somebody else waits for an answer too.
        open(arguments["marker"], "w").close()
        sys.stdin.readline()
        sys.exit(arguments["words"])
    urls = [arguments[key] for key in ("filename",) if key in arguments]
    urls += arguments.get("file_names", [])
    print(json.dumps({
        "jsonrpc": "2.0",
        "method": "notifications/message",
        "params": {"level": "error", "data": "fetching " + " ".join(urls)},
    }), flush=True)
    return {"got": [get(url) for url in urls], "from": urls}


def answer(method, params):
    if method == "initialize":
        return {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}, "logging": {}},
            "serverInfo": {"name": "file-tools", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": [
            {"name": name, "inputSchema": {"type": "object", "properties": properties,
                                           "required": [key for key in ("username",) if key in properties]}}
            for name, properties in TOOLS.items()
        ]}
    if method == "tools/call" and params["name"] == "point":
        uris = params["arguments"]["uris"]
        files = [{"name": f"file-{at}.txt", "url": uri} for at, uri in enumerate(uris)]
        text = json.dumps({"results": "see", "artifacts": files, "links": uris})
        links = [{"type": "resource_link", "uri": uri, "name": f"link-{at}"}
                 for at, uri in enumerate(uris)]
        return {"content": [{"type": "text", "text": text}, *links]}
    if method == "tools/call":
        try:
            result = call(params["name"], params.get("arguments") or {})
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            return {"content": [{"type": "text", "text": text}], "isError": True}
        return {"content": [{"type": "text", "text": json.dumps(result)}]}
    return {}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message and "method" in message:
        result = answer(message["method"], message.get("params") or {})
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
