"""The doors: how a session is reached over sockets and HTTP. They hold no rule of the game."""
