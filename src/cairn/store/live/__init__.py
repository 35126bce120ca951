"""What a view offers of its live files, by subject. Only `SnapshotView` makes these readers."""
