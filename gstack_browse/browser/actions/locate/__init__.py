"""Resolve a target (ref, selector, text) to the element that it means. Acts on nothing."""
