"""Numbers as people write them (1,234, +5, -0.5, 2e3), and what only looks like one (nan, 1e999, 3/4)."""

import math
import re

from palaestra.core.answer.parsed import ILLEGAL, Illegal

NUMERAL = re.compile(
    r"""(?=[0-9+.ni\u2212-])(?<!\w)(?<!\d\.)(?<!minus\ )(?<!negative\ )(?P<sign>[+\u2212-])?
        (?:(?P<whole>[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?:\.(?P<fraction>[0-9]+))?
          |\.(?P<only>[0-9]+))
        (?P<power>e[+-]?[0-9]+)?(?P<ratio>/[0-9]+)?(?!\w|\.[0-9])
      |(?<!\w)[+\u2212-]?(?:nan|inf(?:inity)?)(?!\w)|∞""",
    re.IGNORECASE | re.VERBOSE,
)
_MOST_DIGITS = 19  # of a 64-bit integer


def integer(numeral: re.Match[str]) -> int | Illegal:
    r"""Return the whole number that a numeral says.

    >>> [integer(NUMERAL.fullmatch(text)) for text in ("1,234", "\u22123.0")]
    [1234, -3]
    >>> {integer(NUMERAL.fullmatch(text)) for text in ("3.5", "2e3", "inf", "9" * 10_000)}
    {<Illegal.ILLEGAL: 'illegal'>}
    """
    whole, fraction, power, ratio = numeral.group("whole", "fraction", "power", "ratio")
    if whole is None or power or ratio or (fraction and fraction.strip("0")):
        return ILLEGAL
    digits = whole.replace(",", "").lstrip("0") or "0"
    if len(digits) > _MOST_DIGITS:
        return ILLEGAL
    return -int(digits) if numeral["sign"] in ("-", "\u2212") else int(digits)


def real(numeral: re.Match[str]) -> float | Illegal:
    """Return the finite number that a numeral says.

    >>> [real(NUMERAL.fullmatch(text)) for text in ("1,234.5", "-.5", "2e3", "1e999", "nan")]
    [1234.5, -0.5, 2000.0, <Illegal.ILLEGAL: 'illegal'>, <Illegal.ILLEGAL: 'illegal'>]
    """
    if numeral["ratio"]:
        return ILLEGAL
    value = float(numeral[0].replace(",", "").replace("\u2212", "-").replace("∞", "inf"))
    return value if math.isfinite(value) else ILLEGAL
