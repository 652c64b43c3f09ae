"""Time a Python peer turning a tool's return value into wire JSON.

``cargo xtask bench`` runs it as ``peer_bench.py dedalus|fastmcp N`` in an
environment that has the package. Eight return values are each converted N times
by the package's own code, without a network, and the result is written as JSON
text. The library's example ``reply_bench`` does the same with the same values,
under the same names.

Kept fair to the peer: tools and values are made before the clock starts, each
value gets a warm-up round and the best of five rounds counts (N conversions in
total, at least one a round), garbage collection is off during a round, and the
result is serialised once, directly; the real servers go through a JSON-RPC
message as well, which costs more. FastMCP's tools declare their return type, so
that it writes structured content where it can, as dedalus does unasked.

Prints one JSON object: package, version, micros_per_value.
"""

import gc
import json
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

ROUNDS = 5


def return_values() -> dict[str, tuple[Any, Any]]:
    """The values by name, each with the return type a tool would declare."""
    record = {
        "id": 42,
        "name": "Ada Lovelace",
        "email": "ada@example.com",
        "active": True,
        "score": 98.6,
        "tags": ["math", "engines"],
        "note": None,
        "city": "London",
        "visits": 1815,
        "ratio": 0.1,
    }
    rows = [{"id": i, "name": f"row {i}", "value": i * 0.5} for i in range(1000)]
    nested = {
        f"region-{a}": {
            f"site-{b}": {f"sensor-{c}": a * b * c for c in range(5)} for b in range(5)
        }
        for a in range(5)
    }
    return {
        "record_10_fields": (record, dict[str, Any]),
        "list_1000_dicts": (rows, list[dict[str, Any]]),
        "string_4_kib": ("The quick brown fox, 0123456789. " * 124 + "four", str),
        "int": (1234567, int),
        "bytes_64_kib": (bytes(range(256)) * 256, bytes),
        "tuple_payload_dict": (("done", {"status": "ok", "count": 3}), tuple[str, dict[str, Any]]),
        "list_100_strings": ([f"line number {i}" for i in range(100)], list[str]),
        "nested_3_levels": (nested, dict[str, Any]),
    }


def dedalus_converter(_returns: Any) -> Callable[[Any], str]:
    """dedalus-mcp: one function takes any value."""
    from dedalus_mcp.server.result_normalizers import normalize_tool_result

    def convert(value: Any) -> str:
        return normalize_tool_result(value).model_dump_json(by_alias=True, exclude_none=True)

    return convert


def fastmcp_converter(returns: Any) -> Callable[[Any], str]:
    """FastMCP: a tool converts what its function returned, by the declared type."""
    from fastmcp.server.mixins.mcp_operations import _normalize_call_tool_result
    from fastmcp.tools import Tool

    def handler():
        """Stand-in; only its return type matters."""

    handler.__annotations__["return"] = returns
    tool = Tool.from_function(handler)

    def convert(value: Any) -> str:
        result = _normalize_call_tool_result(tool.convert_result(value).to_mcp_result())
        return result.model_dump_json(by_alias=True, exclude_none=True)

    return convert


PEERS = {"dedalus": ("dedalus-mcp", dedalus_converter), "fastmcp": ("fastmcp", fastmcp_converter)}


def micros(convert: Callable[[Any], str], value: Any, times: int) -> float:
    """Microseconds for one conversion: the best round's mean."""
    per_round = max(1, times // ROUNDS)
    for _ in range(min(per_round, 10)):
        json.loads(convert(value))
    best = float("inf")
    for _ in range(ROUNDS):
        gc.collect()
        gc.disable()
        start = time.perf_counter_ns()
        for _ in range(per_round):
            convert(value)
        best = min(best, (time.perf_counter_ns() - start) / per_round)
        gc.enable()
    return round(best / 1000, 3)


def main() -> int:
    """Measure the peer named on the command line."""
    match sys.argv[1:]:
        case [peer, times] if peer in PEERS and times.isdigit() and int(times) > 0:
            package, make = PEERS[peer]
        case _:
            print(f"usage: {sys.argv[0]} {'|'.join(PEERS)} N", file=sys.stderr)
            return 2
    took = {
        name: micros(make(returns), value, int(times))
        for name, (value, returns) in return_values().items()
    }
    print(json.dumps({"package": package, "version": version(package), "micros_per_value": took}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
