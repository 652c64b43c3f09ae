"""A client made with FastMCP: `--era legacy`, `--era auto` (the default) or a modern version to
insist on. See steps.py."""

import asyncio

import mcp_types as types
from fastmcp import Client
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import StdioTransport

import steps

TARGET = steps.parse_arguments()
RECORDER = steps.Recorder()


async def elicit(_message, _response_type, params, _context):
    RECORDER.ask("elicitation/create", params)
    return ElicitResult(action=steps.ELICITED["action"], content=steps.ELICITED["content"])


async def sample(_messages, params, _context):
    RECORDER.ask("sampling/createMessage", params)
    return types.CreateMessageResult.model_validate(steps.SAMPLED)


async def list_roots(_context):
    RECORDER.ask("roots/list")
    return [types.Root.model_validate(root) for root in steps.ROOTS["roots"]]


def reference(step):
    kinds = {"ref/prompt": types.PromptReference, "ref/resource": types.ResourceTemplateReference}
    return kinds[step["ref"]["type"]].model_validate(step["ref"])


async def perform(client, step):
    match step["op"]:
        case "list_tools":
            return await client.list_tools_mcp()
        case "call":
            arguments = step.get("arguments") or {}
            progress = RECORDER.on_progress
            return await client.call_tool_mcp(step["name"], arguments, progress_handler=progress)
        case "list_resources":
            return await client.list_resources_mcp()
        case "list_resource_templates":
            return await client.list_resource_templates_mcp()
        case "read_resource":
            return await client.read_resource_mcp(step["uri"])
        case "list_prompts":
            return await client.list_prompts_mcp()
        case "get_prompt":
            return await client.get_prompt_mcp(step["name"], step.get("arguments"))
        case "complete":
            return await client.complete_mcp(reference(step), step["argument"])
        case "subscribe":
            return await client.session.subscribe_resource(step["uri"])
        case "set_level":
            return await client.set_logging_level(step["level"])
    raise ValueError(f"unknown step {step['op']}")


async def main():
    server = TARGET.url or StdioTransport(
        command=TARGET.command[0], args=TARGET.command[1:], env=TARGET.env
    )
    async with Client(
        server,
        mode=TARGET.era or "auto",
        elicitation_handler=elicit,
        sampling_handler=sample,
        roots=list_roots,
        message_handler=RECORDER.notice,
    ) as client:
        version = client.session.protocol_version
        await steps.run(version, lambda step: perform(client, step), RECORDER)


asyncio.run(main())
