"""Browser contexts by name, one for each agent."""
