"""What coding agents get: skills, the local commands they call, and generated documents."""
