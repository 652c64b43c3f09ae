"""Calls every tool of a server through the official Python client, which checks what it gets.

Usage: call_tools.py MODE SERVER < CALLS

MODE is what the client takes: "legacy", "auto" or a version. CALLS has a JSON object a line, with
the name and the arguments of a call. For each call a line is printed: the advertised output schema,
and the result or the exception.
"""

import asyncio
import json
import sys

from mcp import Client
from mcp.client.stdio import StdioServerParameters

TIMEOUT_SECONDS = 30


async def main(mode, server):
    calls = [json.loads(line) for line in sys.stdin if line.strip()]
    parameters = StdioServerParameters(command=server, args=[])
    async with Client(parameters, mode=mode, read_timeout_seconds=TIMEOUT_SECONDS) as client:
        listed = await client.list_tools()
        schemas = {tool.name: tool.output_schema for tool in listed.tools}
        assert set(schemas) == {call["name"] for call in calls}, sorted(schemas)
        for call in calls:
            line = {"name": call["name"], "schema": schemas[call["name"]]}
            try:
                result = await client.call_tool(call["name"], call["arguments"])
                line["result"] = result.model_dump(mode="json", by_alias=True, exclude_none=True)
            except Exception as error:
                line["exception"] = f"{type(error).__name__}: {error}"
            print(json.dumps(line), flush=True)


asyncio.run(main(*sys.argv[1:]))
