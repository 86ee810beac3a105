"""Everything that touches Chromium: launching, tabs, pages, references, scripts."""
