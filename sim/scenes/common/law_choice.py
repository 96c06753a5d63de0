"""The contact law as a parameter of a scene: one parameter set per law, with the parameters of scene and law.

`with_law(scene_parameters, default, fits)` returns the set of the default law. Its method `checked` returns the set
of the law that the values name. A scene uses it like any other parameter set. Laws of plug-ins are offered too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import new_class
from typing import Any, ClassVar, Self, cast

from repose.sim import registry
from repose.sim.laws.law import Law
from repose.sim.laws.material_parameters import MaterialParameters
from repose.sim.message import _
from repose.sim.parameters import OneOf, ParameterSet, Value, choice, shared_names


def is_material_law(law: Law) -> bool:
    """Whether a law derives its forces from the materials of grains and walls."""
    return issubclass(law.parameters, MaterialParameters)


def is_direct_law(law: Law) -> bool:
    """Whether stiffness and friction of a law are given and the same for all contacts."""
    return not is_material_law(law) and "friction" in law.parameters.model_fields


class LawChoice(ParameterSet):
    """A parameter set with the parameter `law`; its class depends on the law."""

    scene_parameters: ClassVar[type[ParameterSet]]
    selected_law: ClassVar[str]
    default_law: ClassVar[str]
    fits: ClassVar[Callable[[Law], bool]]

    @classmethod
    def chosen(cls, values: Mapping[str, Any]) -> type[ParameterSet]:
        """The set of the law that `values` name, or of this set's law."""
        name = values.get("law", cls.selected_law)
        known = isinstance(name, str) and name in fitting_laws(cls.fits)
        return cls.of_law(name if known else cls.default_law)

    @classmethod
    def of_law(cls, law: str) -> type[ParameterSet]:
        """The set with the parameters of one law."""
        return _class_of(cls.scene_parameters, law, registry.laws()[law].parameters, cls.default_law, cls.fits)

    @classmethod
    def checked(cls, values: Mapping[str, Any]) -> Self:
        chosen = cast("type[Self]", cls.chosen(values))
        accepted: Self = super(LawChoice, chosen).checked({"law": chosen.selected_law, **values})
        return accepted

    @classmethod
    def parse(cls, name: str, text: str) -> Value:
        if name not in cls.model_fields:
            for law in fitting_laws(cls.fits):
                other = cls.of_law(law)
                if name in other.model_fields:
                    return other.parse(name, text)
        return super().parse(name, text)

    def kept(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Present values of the parameters that the selected law shares; its other parameters get their defaults.

        Parameters of one name but different units, such as a Hertz and a linear stiffness, are not shared.
        """
        chosen = self.chosen({"law": self.selected_law} | dict(values))
        same = shared_names(self, chosen)
        return {name: value for name, value in super().kept(values).items() if name in same}


def with_law(scene_parameters: type[ParameterSet], default: Law, fits: Callable[[Law], bool]) -> type[ParameterSet]:
    """The parameter set of a scene in which the user can select one of the laws that `fits` accepts.

    The laws are looked up when a value is checked, not here: plug-ins that import a scene may add laws later.
    """
    return _class_of(scene_parameters, default.name, default.parameters, default.name, fits)


def fitting_laws(fits: Callable[[Law], bool]) -> tuple[str, ...]:
    """Names of the laws that can be selected, including those of plug-ins."""
    return tuple(name for name, law in registry.laws().items() if fits(law))


@dataclass(frozen=True)
class FittingLaw(OneOf):
    """Marks a text as the name of a law that `fits` accepts."""

    fits: Callable[[Law], bool]

    @property
    def names(self) -> tuple[str, ...]:
        """The allowed names."""
        return fitting_laws(self.fits)


@cache
def _class_of(
    scene_parameters: type[ParameterSet],
    law: str,
    of_law: type[ParameterSet],
    default: str,
    fits: Callable[[Law], bool],
) -> type[ParameterSet]:
    """One class with the scene's own parameters, the parameters `of_law`, and the choice of the law."""
    bases = (
        (LawChoice, scene_parameters) if issubclass(scene_parameters, of_law) else (LawChoice, scene_parameters, of_law)
    )
    # fmt: off
    declared = choice(default, _("contact law"), of=FittingLaw("laws", fits), group=_("Model"),
        help=_("Forces of a contact as a function of overlap and motion. Parameters of both laws keep their values."))
    # fmt: on
    entries = {
        "__module__": scene_parameters.__module__,
        "__doc__": scene_parameters.__doc__,
        "__annotations__": {
            "law": str,
            "scene_parameters": ClassVar[type[ParameterSet]],
            "selected_law": ClassVar[str],
            "default_law": ClassVar[str],
            "fits": ClassVar[Callable[[Law], bool]],
        },
        "law": declared,
        "scene_parameters": scene_parameters,
        "selected_law": law,
        "default_law": default,
        "fits": staticmethod(fits),
    }
    return new_class(scene_parameters.__name__, bases, exec_body=lambda namespace: namespace.update(entries))
