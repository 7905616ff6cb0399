"""Pictures to be read exactly: counting, comparing, finding."""
