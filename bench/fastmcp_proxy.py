"""FastMCP's proxy in front of one server, for the benchmark of the gateway.

    python fastmcp_proxy.py PORT URL
    python fastmcp_proxy.py PORT COMMAND ARGS...

Serves streamable HTTP at /mcp on the loopback interface.
"""

import sys

from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy

port, target, *arguments = sys.argv[1:]
if not target.startswith("http://"):
    target = StdioTransport(command=target, args=arguments)
proxy = create_proxy(target)
proxy.run(
    transport="http", host="127.0.0.1", port=int(port), show_banner=False, log_level="warning"
)
