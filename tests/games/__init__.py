"""The strategic games: each game's own laws. Those of all games stand in tests/parlay_env/test_conformance.py."""
