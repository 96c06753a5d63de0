"""Damaged meshes and presets are read or refused in a sentence, and a kill while saving loses only the draft."""

from __future__ import annotations

import os

import numpy as np
import pytest

from tests.reliability.damage import damaged_meshes, damaged_presets, killed_saves, mutated, tetrahedra
from tests.tiers import tiered

SEED = 20_261_122
FORK = pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")


def test_n16_a_seed_gives_the_same_damaged_files() -> None:
    sound = tetrahedra()["text.obj"]
    made = [mutated(sound, np.random.default_rng(seed), text=True) for seed in range(100)]
    assert made == [mutated(sound, np.random.default_rng(seed), text=True) for seed in range(100)]
    assert sum(blob != sound for blob in made) > 90
    assert len(set(made)) > 80


def test_n16_damaged_meshes_are_read_or_refused_in_a_sentence() -> None:
    assert damaged_meshes(500, SEED) == []


def test_n16_damaged_presets_are_read_or_refused_in_a_sentence() -> None:
    assert damaged_presets(500, SEED) == []


@FORK
@pytest.mark.parametrize("kills", tiered([25, 100], fast={25}))
def test_n13_after_many_kills_while_saving_one_file_is_complete_and_drafts_are_removed(kills: int) -> None:
    assert killed_saves(kills, SEED) == []
