"""What a game that is over teaches: pure functions of its log. Nothing here knows a door, a database or a clock."""
