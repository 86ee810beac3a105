"""Skills for coding agents, the local commands that they call, and generated documents."""
