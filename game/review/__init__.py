"""The debrief of a finished game, computed from its log alone."""
