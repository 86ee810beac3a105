"""What a command on a page works with: its tab under its deadline, and the report of what it caused."""
