"""The tab of one command under its deadline, and the report of what the command caused."""
