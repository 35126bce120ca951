"""What an agent is told about the index: when its tools are the better way, and what its refusals mean."""

INSTRUCTIONS = """\
## Code index (Cairn)

Code can be asked through the MCP server `cairn`. Prefer its tools to grep and to reading whole files:

- `search_codebase`: a question or words where you don't know the file; every line of a text with `literal`, of an
  expression with `regex`, counted with `count_only`. It replaces grep over code.
- `find_references` before you change a symbol (`role`: calls, writes, tests); `call_graph`: callers and implementors.
- `read_file` with `symbol` gives a definition; else `file_outline` first, then the lines; `repo_map` for an overview.

Answers name their snapshot and say what changed since. When a tool answers instead:
`not_indexed`: call `manage_index` with action `create`, once. `not_ready`: it is being indexed; go on with other
tools and ask again later. `requires_reindex`: call `manage_index` with action `reindex`.
Grep stays right for files that are not indexed."""


AGENT_PREAMBLE = """\
---
name: cairn
description: Finds with the code index where something is, what uses it and what a change reaches. Use it for \
questions over many files, in place of searches by hand.
tools: {tools}
---"""
AGENT = """\
Ask the index first: `search_codebase` for places and lines, `find_references` and `call_graph` for what uses what,
`file_outline` and `repo_map` for what there is, `read_file` with `symbol` or lines for code. Read and Grep are for
files that are not indexed. Answer with paths and lines, and say what you did not find."""
AGENT_TOOLS = (
    *("search_codebase", "find_references", "call_graph", "file_outline", "repo_map", "read_file"),
    *("list_codebases", "manage_index"),
)
"""What a sub-agent that only asks needs."""


def agent_preamble(server: str) -> str:
    """What Claude Code wants at the top of a file about a sub-agent."""
    tools = (*(f"mcp__{server}__{name}" for name in AGENT_TOOLS), "Read", "Grep", "Glob")
    return AGENT_PREAMBLE.format(tools=", ".join(tools))
