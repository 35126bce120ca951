"""One codebase, open: kept up to date, asked, and held against the tree; and several of them."""
