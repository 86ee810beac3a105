"""A browser's contexts, pages, frames and dialogs, by Chromium's ids; cookies, storage and emulation."""
