"""One player against a mechanism: press, slide, turn until it is solved."""
