"""Boards: pages on which a person compares pictures, and the answers that they give."""
