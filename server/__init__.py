"""The address OpenEnv's tools expect; see `server.app`."""
