"""A self-contained HTML page of several studies: statements of the publication beside our numbers, figures, tables."""

from __future__ import annotations

import io
from collections.abc import Mapping
from html import escape
from importlib import metadata

from repose.app.jobs.html_page import page, picture, table
from repose.app.jobs.study_pictures import draw_outcome, facts_of
from repose.sim.study.outcome import StudyOutcome
from repose.sim.study.plan import StudyPlan

VERDICTS = {True: ("agrees", "agrees"), False: ("differs", "differs"), None: ("open", "cannot be decided")}


def report_page(whole: StudyPlan, outcomes: Mapping[str, StudyOutcome]) -> str:
    """The page: a table of all statements, then every study with its figure and its table."""
    version = metadata.version("repose")
    wanted = {run.task.path.name for outcome in outcomes.values() for run in outcome.runs}
    runs = len({name for outcome in outcomes.values() for name in outcome.results})
    done = f"{runs} runs" if runs == len(wanted) else f"{runs} of {len(wanted)} runs, the others have no result"
    parts = [
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
    return page(str(whole.title), parts)


def changed_in_words(plan: StudyPlan) -> str:
    """A sentence with the parameters in which the runs differ from the publication of the statements."""
    return f"Changed by --set: {', '.join(plan.altered)}. The statements are about the published parameters."


def _statements(outcomes: Mapping[str, StudyOutcome]) -> str:
    rows, kinds = [], []
    for outcome in outcomes.values():
        for statement, verdict in outcome.verdicts():
            kind, words = VERDICTS[verdict.agrees]
            why = f"{words}. {verdict.why}" if verdict.why else words
            rows.append((outcome.plan.title, statement.words, statement.theirs or "–", verdict.ours, why))
            kinds.append(kind)
    return table(("figure", "statement", "published", "ours", "verdict, and why"), rows, kinds)


def _section(outcome: StudyOutcome) -> str:
    plan = outcome.plan
    parts = [f'<h2 id="{escape(plan.name)}">{escape(str(plan.title))}</h2>', f"<p>{escape(plan.about)}</p>"]
    if plan.altered:
        parts.append(f'<p class="differs">{escape(changed_in_words(plan))}</p>')
    if any(outcome.points(group) for group in outcome.groups):
        file = io.BytesIO()
        draw_outcome(outcome, file)
        parts.append(picture(file.getvalue(), "png", str(plan.title)))
    parts.append(f'<p class="facts">{escape(facts_of(outcome))}</p>')
    head, *rows = outcome.words()
    parts.append(table(head, rows))
    for name, why in outcome.lost.items():
        if any(run.task.path.name == name for run in outcome.runs):
            parts.append(f"<p>No result of {escape(name)}: {escape(why)}</p>")
    return "\n".join(parts)
