"""User interfaces: windows whose controls are clicked or named until a task is done."""
