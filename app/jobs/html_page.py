"""Parts that the HTML pages of results share: one file, without any request to a network."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; color: #1c1c1c; }
h1, h2 { line-height: 1.2; } h2 { margin-top: 3rem; }
img { width: 100%; height: auto; border: 1px solid #d0d0d0; }
.beside { display: grid; grid-template-columns: 2fr 3fr; gap: 1rem; align-items: start; }
table { border-collapse: collapse; margin: 1rem 0; width: 100%; }
th, td { border: 1px solid #c8c8c8; padding: 0.35rem 0.6rem; text-align: left; vertical-align: top; }
th { background: #f0f0f0; }
.agrees { background: #dff0df; } .differs { background: #f8dfd5; } .open { background: #f3f0d8; }
.facts { color: #505050; }
"""


def page(title: str, parts: Iterable[str]) -> str:
    """The whole page; `parts` are HTML, `title` is a text."""
    body = "\n".join((f"<h1>{escape(title)}</h1>", *parts))
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'


def picture(image: bytes, kind: str, words: str) -> str:
    """An image of this kind, such as "png", inside the page; `words` describe it to who does not see it."""
    data = base64.b64encode(image).decode("ascii")
    return f'<img alt="{escape(words)}" src="data:image/{kind};base64,{data}">'


def table(head: Sequence[object], rows: Iterable[Sequence[object]], kinds: Iterable[str] | None = None) -> str:
    """A table of texts; `kinds` are the classes of the rows."""
    lines = ["<tr>" + "".join(f"<th>{escape(str(word))}</th>" for word in head) + "</tr>"]
    rows = list(rows)
    for row, kind in zip(rows, kinds if kinds is not None else [""] * len(rows), strict=True):
        start = f'<tr class="{kind}">' if kind else "<tr>"
        lines.append(start + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>")
    return f"<table><thead>{lines[0]}</thead><tbody>{''.join(lines[1:])}</tbody></table>"
