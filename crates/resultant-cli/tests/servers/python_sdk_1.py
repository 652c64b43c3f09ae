"""A server made with the Python SDK 1.x, over stdio."""

from mcp.server.fastmcp import FastMCP

server = FastMCP("python-1")


@server.tool()
def add(a: float, b: float) -> float:
    """Adds two numbers."""
    return a + b


@server.tool()
def greet(name: str) -> str:
    """Greets somebody."""
    return f"Grüße, {name}"


@server.tool()
def fail() -> str:
    """Fails, as asked."""
    raise ValueError("it failed, as asked")


server.run()
