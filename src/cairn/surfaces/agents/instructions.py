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
