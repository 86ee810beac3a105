"""The engine: our JavaScript in an isolated world of every document, and the Python that calls it.

`bundle` makes one expression of `scripts/`. `messages` loads it into a document and calls its functions; `world` does that for a page
with all its frames. `tree_walker` builds the snapshot tree of a tab from the walks of its documents; `refs` resolves "@e3" to a node.
`closed_roots`, `click_listeners` and `internals` pass the engine what scripts cannot see. `answer_types` has the types of its results.
"""
