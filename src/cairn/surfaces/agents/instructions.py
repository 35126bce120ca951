"""What an agent is told about the index: when its tools are the better way, and what its refusals mean."""

INSTRUCTIONS = """\
## Code index (Cairn)

Code can be asked through the MCP server `cairn`. Prefer its tools to grep and to reading whole files:

- `search_codebase`: where something is done, in words or by name, when you don't know the file.
- `find_references`, `call_graph`: who uses or calls a symbol, before you change it.
- `file_outline`, then `read_file` for the lines you need; `repo_map` for an overview of an unknown codebase.

Answers name their snapshot and say what changed since. When a tool answers instead:
`not_indexed`: call `manage_index` with action `create`, once. `not_ready`: it is being indexed; go on with other
tools and ask again later. `requires_reindex`: call `manage_index` with action `reindex`.
Grep stays right for exact text in files that are not code."""
