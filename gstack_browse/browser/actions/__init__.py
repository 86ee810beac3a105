"""Act on a page as a person does, and verify what came of it.

The flow of an action: `locate` resolves the target → `actionability` waits until the action can work → `input` sends keys and presses,
and verifies them → `pointer`, `text`, `lists` and `files` make of that clicks, values, choices and uploads. `navigation` loads pages.
"""
