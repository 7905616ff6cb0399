"""A report as a value, and the two forms it is read in: one HTML page that needs nothing else, and Markdown.

Words and table cells may come from any file, so both forms escape them; the markup of a figure is the house's own. The
page holds no script and loads nothing, and says so to the browser.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files

SHOWN = 60
"""Rows of a table that the page shows; Markdown has them all."""

WORDY = 5
"""A cell with so many spaces keeps a width at which its words can be read."""

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing as trusted HTML, and how to read it; Markdown shows the picture in `file`, where there is one."""

    markup: str
    caption: str
    file: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under a title; one that is not `opened` is folded away on the page."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    opened: bool = False


@dataclass(frozen=True, slots=True)
class Code:
    """Text as it stands in a file."""

    title: str
    text: str


Block = str | tuple[str, ...] | Figure | Table | Code
"""What a section is made of; a text is a paragraph, several are a list."""


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a report. `missing` says which file it lacks and which command makes that."""

    name: str
    title: str
    blocks: tuple[Block, ...]
    missing: tuple[str, str] | None = None


def page(title: str, sections: Sequence[Section]) -> str:
    """Return a report as one HTML page."""
    style = files(__package__).joinpath("report.css").read_text("utf-8")
    entries = "".join(f'<li><a href="#{own.name}">{_html(own.title)}</a></li>' for own in sections)
    body = "\n".join(_section(own) for own in sections)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<link rel="icon" href="data:,">\n'
        f"<title>{_html(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f"<header><h1>{_html(title)}</h1>\n<nav><ol>{entries}</ol></nav></header>\n<main>\n{body}\n</main>\n"
        "</body>\n</html>\n"
    )


def markdown(title: str, sections: Sequence[Section]) -> str:
    """Return the words and tables of a report as Markdown."""
    parts = [f"# {_marked(title)}"]
    for own in sections:
        parts.append(f"## {_marked(own.title)}")
        if own.missing:
            parts.append(f"This run holds no {_span(own.missing[0])}; {_span(own.missing[1])} makes one.")
        parts += [_block_marked(block) for block in own.blocks]
    return "\n\n".join(part for part in parts if part) + "\n"


def printable(words: str) -> str:
    """Return words without what is no text: control characters and halves of surrogate pairs.

    >>> printable("a\\x00b")
    'a\N{REPLACEMENT CHARACTER}b'
    """
    whole = words.encode("utf-8", "replace").decode("utf-8")
    return re.sub(r"[^\S\n\t ]|[\x00-\x08\x0b-\x1f\x7f-\x9f]", "\N{REPLACEMENT CHARACTER}", whole)


def _html(words: str) -> str:
    return escape(printable(words))


def _section(own: Section) -> str:
    blocks = [_block(block) for block in own.blocks]
    if own.missing:
        name, command = map(_html, own.missing)
        blocks.insert(
            0, f'<p class="missing">This run holds no <code>{name}</code>; <code>{command}</code> makes one.</p>'
        )
    return f'<section id="{own.name}">\n<h2>{_html(own.title)}</h2>\n' + "\n".join(blocks) + "\n</section>"


def _block(block: Block) -> str:
    match block:
        case str():
            return f"<p>{_html(block)}</p>"
        case tuple():
            return f"<ul>{''.join(f'<li>{_html(item)}</li>' for item in block)}</ul>"
        case Figure(markup, caption, _):
            # a drawing that is wider than a telephone scrolls in its own frame, which the keyboard can reach
            return (
                f'<figure><div class="drawing" tabindex="0">{markup}</div>\n'
                f"<figcaption>{_html(caption)}</figcaption></figure>"
            )
        case Code(title, text):
            return f"<details><summary>{_html(title)}</summary>\n<pre>{_html(text)}</pre></details>"
        case Table():
            return _table(block)


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col">{_html(name)}</th>' for name in table.columns)
    rows = "\n".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in table.rows[:SHOWN])
    rest = len(table.rows) - SHOWN
    more = f"<p>{rest} further rows stand in report.md.</p>" if rest > 0 else ""
    return (
        f"<details{' open' * table.opened}><summary>{_html(table.title)}</summary>\n"
        f'<div class="table" tabindex="0"><table><thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody></table></div>"
        f"{more}</details>"
    )


def _cell(words: str) -> str:
    number = re.match(r"[-+\N{MINUS SIGN}]?\d", words)
    kind = ' class="number"' if number else ' class="words"' if words.count(" ") >= WORDY else ""
    return f"<td{kind}>{_html(words)}</td>"


def _block_marked(block: Block) -> str:
    match block:
        case str():
            return _marked(block)
        case tuple():
            return "\n".join(f"- {_marked(item)}" for item in block)
        case Figure(_, caption, file):
            # without a picture its caption would speak of what nobody sees; the numbers are in the tables
            return f"![{_marked(caption)}]({file})" if file else ""
        case Code(title, text):
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
            return f"{_marked(title)}:\n\n{fence}\n{printable(text).rstrip()}\n{fence}"
        case Table(title, columns, rows):
            head, *body = (tuple(map(_marked, row)) for row in (columns, *rows))
            lines = [head, tuple("---" for _ in columns), *body]
            return f"**{_marked(title)}**\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _marked(words: str) -> str:
    """Return words that Markdown takes as they are; an underscore inside a word is none of its signs."""
    line = " ".join(printable(words).split())
    return re.sub(r"([\\`*\[\]<>|~#&$!]|(?<![^\W_])_|_(?![^\W_]))", r"\\\1", line)


def _span(words: str) -> str:
    return f"`{printable(words).replace('`', chr(39))}`"
