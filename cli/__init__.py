"""The command line: `parlay`. One module a command; what is heavy is imported when its command runs."""
