"""A client made with the Python SDK 2.x: `--era legacy`, `--era auto` (the default) or a modern
version to insist on. See steps.py."""

import asyncio

import mcp_types as types
from mcp import Client
from mcp.client.stdio import StdioServerParameters

import steps

TARGET = steps.parse_arguments()
RECORDER = steps.Recorder()


async def elicit(_context, params):
    RECORDER.ask("elicitation/create", params)
    return types.ElicitResult.model_validate(steps.ELICITED)


async def sample(_context, params):
    RECORDER.ask("sampling/createMessage", params)
    return types.CreateMessageResult.model_validate(steps.SAMPLED)


async def list_roots(_context):
    RECORDER.ask("roots/list")
    return types.ListRootsResult.model_validate(steps.ROOTS)


def reference(step):
    kinds = {"ref/prompt": types.PromptReference, "ref/resource": types.ResourceTemplateReference}
    return kinds[step["ref"]["type"]].model_validate(step["ref"])


async def perform(client, step):
    match step["op"]:
        case "list_tools":
            return await client.list_tools()
        case "call":
            arguments = step.get("arguments")
            progress = RECORDER.on_progress
            return await client.call_tool(step["name"], arguments, progress_callback=progress)
        case "list_resources":
            return await client.list_resources()
        case "list_resource_templates":
            return await client.list_resource_templates()
        case "read_resource":
            return await client.read_resource(step["uri"])
        case "list_prompts":
            return await client.list_prompts()
        case "get_prompt":
            return await client.get_prompt(step["name"], step.get("arguments"))
        case "complete":
            return await client.complete(reference(step), step["argument"])
        case "subscribe":
            return await client.subscribe_resource(step["uri"])
        case "set_level":
            return await client.set_logging_level(step["level"])
    raise ValueError(f"unknown step {step['op']}")


async def main():
    server = TARGET.url or StdioServerParameters(
        command=TARGET.command[0], args=TARGET.command[1:], env=TARGET.env
    )
    async with Client(
        server,
        mode=TARGET.era or "auto",
        elicitation_callback=elicit,
        sampling_callback=sample,
        list_roots_callback=list_roots,
        message_handler=RECORDER.notice,
    ) as client:
        await steps.run(client.protocol_version, lambda step: perform(client, step), RECORDER)


asyncio.run(main())
