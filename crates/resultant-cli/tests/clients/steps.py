"""What the Python clients share: the command line, the fixed answers to what a server asks, and
the loop over the steps. Input and output are those of steps.cjs.

A client is started as `python CLIENT [--era ERA] (--url URL | -- COMMAND ARGS...)`.
"""

import json
import os
import sys
from dataclasses import dataclass, field

ELICITED = {"action": "accept", "content": {"name": "Ada"}}
SAMPLED = {
    "role": "assistant",
    "model": "fixed",
    "stopReason": "endTurn",
    "content": {"type": "text", "text": "a fixed answer"},
}
ROOTS = {"roots": [{"uri": "file:///fixed/root", "name": "fixed"}]}


@dataclass
class Target:
    era: str | None = None
    url: str | None = None
    command: list[str] = field(default_factory=list)
    env: dict[str, str] = field(default_factory=lambda: dict(os.environ))


def parse_arguments() -> Target:
    target = Target()
    words = iter(sys.argv[1:])
    for word in words:
        if word == "--url":
            target.url = next(words)
        elif word == "--era":
            target.era = next(words)
        elif word == "--":
            target.command = list(words)
        else:
            raise SystemExit(f"unknown argument {word}")
    return target


def plain(value):
    """JSON of whatever the SDK gave, with the names of the wire."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


class Recorder:
    def __init__(self):
        self.clear()

    def clear(self):
        self.progress, self.asked, self.notified = [], [], []

    def ask(self, method, params=None):
        self.asked.append({"method": method, "params": plain(params)})

    async def notice(self, message):
        message = plain(getattr(message, "root", message))
        if isinstance(message, dict) and "method" in message:
            self.notified.append(message)

    async def on_progress(self, progress, total=None, message=None):
        self.progress.append({"progress": progress, "total": total, "message": message})

    def take(self):
        line = {"progress": self.progress, "asked": self.asked, "notified": self.notified}
        self.clear()
        return line


async def run(protocol_version, perform, recorder):
    """`perform(step)` does one step with the SDK's own methods."""
    print(json.dumps({"protocolVersion": protocol_version}), flush=True)
    for step in json.loads(sys.stdin.read()):
        line = {"op": step["op"]}
        try:
            line["result"] = plain(await perform(step))
        except Exception as error:  # Whatever the SDK raises is what its user sees.
            code = getattr(getattr(error, "error", error), "code", None)
            line["error"] = {"code": code, "message": str(error), "type": type(error).__name__}
        print(json.dumps(line | recorder.take()), flush=True)
