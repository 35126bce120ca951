"""The MCP server: the same answers and the same gates, for coding agents."""
