"""The game's data and what is kept of games. Ground: scenarios, cards, events. Nothing here imports the core."""
