"""A self-contained HTML page of several studies: statements of the publication beside our numbers, figures, tables."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from html import escape
from importlib import metadata

from repose.app.jobs.study_pictures import draw_outcome, facts_of
from repose.sim.study.outcome import StudyOutcome
from repose.sim.study.plan import StudyPlan

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; color: #1c1c1c; }
h1, h2 { line-height: 1.2; } h2 { margin-top: 3rem; }
img { width: 100%; height: auto; border: 1px solid #d0d0d0; }
table { border-collapse: collapse; margin: 1rem 0; width: 100%; }
th, td { border: 1px solid #c8c8c8; padding: 0.35rem 0.6rem; text-align: left; vertical-align: top; }
th { background: #f0f0f0; }
.agrees { background: #dff0df; } .differs { background: #f8dfd5; } .open { background: #f3f0d8; }
.facts { color: #505050; }
"""
VERDICTS = {True: ("agrees", "agrees"), False: ("differs", "differs"), None: ("open", "cannot be decided")}


def report_page(whole: StudyPlan, outcomes: Mapping[str, StudyOutcome]) -> str:
    """The page: a table of all statements, then every study with its figure and its table."""
    head = f"<title>{escape(str(whole.title))}</title><style>{STYLE}</style>"
    version = metadata.version("repose")
    wanted = {run.task.path.name for outcome in outcomes.values() for run in outcome.runs}
    runs = len({name for outcome in outcomes.values() for name in outcome.results})
    done = f"{runs} runs" if runs == len(wanted) else f"{runs} of {len(wanted)} runs, the others have no result"
    parts = [
        f"<h1>{escape(str(whole.title))}</h1>",
        f"<p>{escape(whole.about)}</p>",
        f'<p class="facts">Repose {escape(version)}, {done}. Errors are standard errors over seeds.</p>',
        "<h2>Statements</h2>",
        *dict.fromkeys(
            f'<p class="differs">{escape(changed_in_words(outcome.plan))}</p>'
            for outcome in outcomes.values()
            if outcome.plan.altered
        ),
        _statements(outcomes),
        *(_section(outcome) for outcome in outcomes.values()),
    ]
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">{head}</head>\n<body>\n{body}\n</body></html>\n'
    )


def changed_in_words(plan: StudyPlan) -> str:
    """A sentence with the parameters in which the runs differ from the publication of the statements."""
    return f"Changed by --set: {', '.join(plan.altered)}. The statements are about the published parameters."


def _statements(outcomes: Mapping[str, StudyOutcome]) -> str:
    rows = []
    for outcome in outcomes.values():
        for statement, verdict in outcome.verdicts():
            kind, words = VERDICTS[verdict.agrees]
            cells = (outcome.plan.title, statement.words, statement.theirs or "–", verdict.ours)
            inner = "".join(f"<td>{escape(str(cell))}</td>" for cell in cells)
            why = f"{words}. {verdict.why}" if verdict.why else words
            rows.append(f'<tr class="{kind}">{inner}<td>{escape(why)}</td></tr>')
    head = "".join(f"<th>{word}</th>" for word in ("figure", "statement", "published", "ours", "verdict, and why"))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _section(outcome: StudyOutcome) -> str:
    plan = outcome.plan
    parts = [f'<h2 id="{escape(plan.name)}">{escape(str(plan.title))}</h2>', f"<p>{escape(plan.about)}</p>"]
    if plan.altered:
        parts.append(f'<p class="differs">{escape(changed_in_words(plan))}</p>')
    if any(outcome.points(group) for group in outcome.groups):
        file = io.BytesIO()
        draw_outcome(outcome, file)
        picture = base64.b64encode(file.getvalue()).decode("ascii")
        parts.append(f'<img alt="{escape(str(plan.title))}" src="data:image/png;base64,{picture}">')
    parts.append(f'<p class="facts">{escape(facts_of(outcome))}</p>')
    head, *rows = (tuple(map(str, row)) for row in outcome.words())
    cells = "".join(f"<th>{escape(word)}</th>" for word in head)
    lines = "".join(f"<tr>{''.join(f'<td>{escape(word)}</td>' for word in row)}</tr>" for row in rows)
    parts.append(f"<table><thead><tr>{cells}</tr></thead><tbody>{lines}</tbody></table>")
    for name, why in outcome.lost.items():
        if any(run.task.path.name == name for run in outcome.runs):
            parts.append(f"<p>No result of {escape(name)}: {escape(why)}</p>")
    return "\n".join(parts)
