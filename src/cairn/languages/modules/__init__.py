"""What the rules of several languages for modules share: the tree of paths, and what an import leads to."""
