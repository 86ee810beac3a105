"""The daemon: a socket, a line of dispatch, and a browser behind them that outlives every command."""
