"""Does an agent get its work done with gbrowse, and did a change make that better or worse? docs/evals.md."""
