"""A client made with the Python SDK 1.x, which knows the legacy era only. See steps.py."""

import asyncio

from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

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


async def perform(session, step):
    match step["op"]:
        case "list_tools":
            return await session.list_tools()
        case "call":
            arguments = step.get("arguments")
            progress = RECORDER.on_progress
            return await session.call_tool(step["name"], arguments, progress_callback=progress)
        case "list_resources":
            return await session.list_resources()
        case "list_resource_templates":
            return await session.list_resource_templates()
        case "read_resource":
            return await session.read_resource(step["uri"])
        case "list_prompts":
            return await session.list_prompts()
        case "get_prompt":
            return await session.get_prompt(step["name"], step.get("arguments"))
        case "complete":
            return await session.complete(reference(step), step["argument"])
        case "subscribe":
            return await session.subscribe_resource(step["uri"])
        case "set_level":
            return await session.set_logging_level(step["level"])
    raise ValueError(f"unknown step {step['op']}")


def connect():
    if TARGET.url:
        return streamable_http_client(TARGET.url)
    command, *arguments = TARGET.command
    return stdio_client(StdioServerParameters(command=command, args=arguments, env=TARGET.env))


async def main():
    async with connect() as (read, write, *_):
        async with ClientSession(
            read,
            write,
            elicitation_callback=elicit,
            sampling_callback=sample,
            list_roots_callback=list_roots,
            message_handler=RECORDER.notice,
        ) as session:
            version = (await session.initialize()).protocolVersion
            await steps.run(version, lambda step: perform(session, step), RECORDER)


asyncio.run(main())
