"""Language models: one small interface, an adapter for each kind of provider, and the players that stand on them.

`agent.llm.base` is the interface, `agent.llm.providers.provider` makes one from its name. No provider's library is
imported before its first use.
"""
