"""Our own code in every document: the tree, the references to its nodes, and what scripts cannot see."""
