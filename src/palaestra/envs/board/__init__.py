"""Games against an opponent whose rule is told."""
