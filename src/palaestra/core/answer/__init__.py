"""What a reply may say, and the one reader of replies.

============  =====================================================================================
``parsed``    the outcome of reading: a status and a value
``extract``   which text of a reply counts, and what several candidates in it mean: one rule for all kinds
``base``      what every answer kind is
``choice``    one of several options             ``Choice(("left", "right"))``          the option
``number``    a number in a range                ``Integer(0, 9)``, ``Number(0, 1)``    int, float
``point``     a place in a picture               ``Point(1000, 1000)``                  (x, y)
``sequence``  several items in order             ``Sequence(("up", "down"), 1, 8)``     a tuple of items
``grid``      a filled board                     ``Grid(3, 3, ("0", "1"))``             a tuple of rows
``record``    several named answers              ``Record((("n", Integer(0, 9)),))``    a tuple of values
``codec``     answer kinds as JSON
``names``     sets of names: told apart, found in prose
``numerals``  numbers as people write them
============  =====================================================================================

To add a kind, subclass `Answer` in a file of its own: say how a value is written (`format`, `sample`,
`wanted`), what a whole text says (`read`) and which candidates stand in prose (`find`); list it here and in
`codec`, and give it its rows in ``tests/core/answer/``.
"""

from palaestra.core.answer.base import Answer
from palaestra.core.answer.choice import Choice
from palaestra.core.answer.codec import from_json, to_json
from palaestra.core.answer.grid import Grid
from palaestra.core.answer.number import Integer, Number
from palaestra.core.answer.parsed import Parsed, Status
from palaestra.core.answer.point import Point
from palaestra.core.answer.record import Record
from palaestra.core.answer.sequence import Sequence

__all__ = [
    "Answer",
    "Choice",
    "Grid",
    "Integer",
    "Number",
    "Parsed",
    "Point",
    "Record",
    "Sequence",
    "Status",
    "from_json",
    "to_json",
]
