"""The plane of a picture: on which side of a line a place lies, and where it goes when the picture is turned."""

Place = tuple[float, float]
"""(x, y), y downwards."""


def bend(a: Place, b: Place, place: Place) -> float:
    """Return a positive number when the way from a over b to a place turns clockwise, as drawn."""
    return (b[0] - a[0]) * (place[1] - a[1]) - (b[1] - a[1]) * (place[0] - a[0])


def seen(place: Place, k: int, frame: int) -> Place:
    """Return where a place goes when a square picture is turned by k quarters, from 4 on mirrored first."""
    x, y = place if k < 4 else (frame - place[0], place[1])
    for _ in range(k % 4):
        x, y = frame - y, x
    return x, y
