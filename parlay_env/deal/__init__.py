"""The deal: a negotiation under hidden information, as a pure game."""
