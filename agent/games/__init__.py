"""Players of the strategic games: a file for each game, and the list of all of them in `registry`."""
