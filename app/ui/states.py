"""State of panels and tools between frames: a dataclass of each, written by one module, read by any."""

from __future__ import annotations

from typing import Any, TypeVar

T = TypeVar("T")


class States:
    """One record of each dataclass, made with its defaults when it is first asked for.

    The module that declares a dataclass writes its records, unless the docstring of the dataclass names the module that
    does. `ui.states[TaskArea].foot` is then read anywhere. Rejected: fields of `Ui`, which would import every panel
    and could not have those of a plug-in; texts as keys, of which nothing says what their values are.
    """

    def __init__(self) -> None:
        self._records: dict[type, Any] = {}

    def __getitem__(self, kind: type[T]) -> T:
        if kind not in self._records:
            self._records[kind] = kind()
        record: T = self._records[kind]
        return record

    def clear(self) -> None:
        """Forget everything, as at the start of the window."""
        self._records.clear()
