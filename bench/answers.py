"""How many bytes answers over MCP have: as text, as the JSON that was sent in its place, and as whole files.

    CAIRN_HOME=... python -m bench.answers curl=PATH click=PATH echo=PATH

The projects have to be indexed. The questions are typical ones; none was chosen by its figure.
"""

import json
import os
import sys
from typing import Any

from cairn.config.user import cairn_home
from cairn.surfaces.mcp.access import access_to
from cairn.surfaces.mcp.server import listed
from cairn.surfaces.mcp.service import Service, ToolCall
from cairn.surfaces.mcp.size import text_of
from cairn.surfaces.mcp.tools import BY_NAME

Call = tuple[str, dict[str, Any]]
QUESTIONS: dict[str, tuple[Call, ...]] = {
    "curl": (
        ("search_codebase", {"query": "how is a connection taken from the pool again"}),
        ("search_codebase", {"query": "where is the timeout of a transfer checked"}),
        ("search_codebase", {"query": "CURLE_OPERATION_TIMEDOUT", "literal": True}),
        ("search_codebase", {"query": "Curl_[a-z]+_setup\\(", "regex": True}),
        ("find_references", {"symbol": "Curl_conn_connect"}),
        ("call_graph", {"symbol": "Curl_expire"}),
        ("call_graph", {"symbol": "multi_runsingle", "direction": "callees"}),
        ("file_outline", {"path": "lib/url.c"}),
        ("repo_map", {}),
        ("read_file", {"path": "lib/url.c", "start_line": 100, "end_line": 180}),
    ),
    "click": (
        ("search_codebase", {"query": "how are default values of options resolved"}),
        ("search_codebase", {"query": "where is shell completion installed"}),
        ("search_codebase", {"query": "raise UsageError", "literal": True}),
        ("search_codebase", {"query": "def (invoke|main)\\b", "regex": True}),
        ("find_references", {"symbol": "Context.invoke"}),
        ("call_graph", {"symbol": "echo"}),
        ("call_graph", {"symbol": "ParamType", "direction": "implementors"}),
        ("file_outline", {"path": "src/click/core.py"}),
        ("repo_map", {}),
        ("read_file", {"path": "src/click/core.py", "start_line": 100, "end_line": 180}),
    ),
    "echo": (
        ("search_codebase", {"query": "how is a panic recovered in a handler"}),
        ("search_codebase", {"query": "where are path parameters parsed"}),
        ("search_codebase", {"query": "ErrBadRequest", "literal": True}),
        ("search_codebase", {"query": "func \\(c \\*Context\\) [A-Z]\\w*Param", "regex": True}),
        ("find_references", {"symbol": "Context.Request"}),
        ("call_graph", {"symbol": "Context.JSON"}),
        ("call_graph", {"symbol": "Router", "direction": "implementors"}),
        ("file_outline", {"path": "context.go"}),
        ("repo_map", {}),
        ("read_file", {"path": "context.go", "start_line": 100, "end_line": 180}),
    ),
}


def main(named: list[str]) -> None:
    """Print a table a project."""
    roots = dict(each.split("=", 1) for each in named)
    service = Service(cairn_home())
    for project, root in roots.items():
        call = ToolCall(access_to([os.path.abspath(root)]))
        sums = [0, 0]
        print(f"| {project} | JSON, sent twice | text |\n| --- | --- | --- |")
        for name, given in QUESTIONS[project]:
            sizes = []
            for form, times in (("compact", 2), ("text", 1)):
                answer = BY_NAME[name].call(service, call, {**given, "format": form})
                assert answer["status"] == "ok", (name, given, answer)
                sizes.append(times * len(text_of(answer).encode()))
            sums = [total + size for total, size in zip(sums, sizes, strict=True)]
            said = " ".join(str(value) for value in given.values())
            print(f"| {name} {said} | {sizes[0]:,} | {sizes[1]:,} |")
        print(f"| all | {sums[0]:,} | {sums[1]:,} |\n")
    service.close()
    tools = [tool.model_dump(by_alias=True, exclude_none=True) for tool in listed()]
    size = len(json.dumps(tools))
    print(f"tools: {len(tools)}, {size} bytes, about {size // 4} tokens")


if __name__ == "__main__":
    main(sys.argv[1:])
