"""Translate positions in built files to positions in the files that people wrote (source maps). Pure."""
