"""The MCP server: a negotiation as tools, for any MCP client.

It has no games and no sessions of its own: every game is one of the house's, so what is begun here stands in the
leaderboard, can be watched, and opens its debrief. FastMCP is imported by `tools` alone, when somebody first speaks.
"""
