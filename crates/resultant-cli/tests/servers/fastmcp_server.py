"""A server made with FastMCP, over stdio."""

from fastmcp import FastMCP

server = FastMCP("fastmcp")


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


server.run(show_banner=False)
