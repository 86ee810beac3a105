"""Tell equal lines of a snapshot apart in parentheses: `@e56 [button] "Delete" (Cherry)`.

1. `labels` finds the lines that read the same, and fields without a name, among those that are printed;
2. `nearby_text` finds the text beside such a field: `(near "Email")`;
3. `candidates` has the ordered list of what may tell equal lines apart, from the row around them to the heading above;
4. `labels` takes the first of these that does, or several together, and shortens the texts.
"""
