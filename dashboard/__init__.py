"""The pages: where people play, watch, coach and read a debrief. It holds no rule and no constant of the game."""
