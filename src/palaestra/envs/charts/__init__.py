"""Charts: values read off axes, bars and legends."""
