"""Size distributions: generated curves against closed forms, texts, tables, refusals."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes
from repose.sim.scenes.common.grain_sizes import sizes_in_file
from repose.sim.size_distribution import (
    LARGEST_RATIO,
    By,
    deviation,
    generated_share,
    random_radii,
    read_sizes,
    share_below,
    sizes_of_table,
    sorted_radii,
)
from scipy.stats import norm

MEAN = 2e-3
SIEVES = "sieve by mass: 1 mm 0 %, 2 mm 40 %, 3 mm 40 %, 4 mm 100 %"
TEXTS = (
    "equal",
    "uniform by number: ratio 4",
    "uniform by mass: ratio 4",
    "log_normal by number: width 0.38",
    "log_normal by mass: width 0.2",
    "gaudin_schuhmann by mass: exponent 0.7, ratio 10",
    "gaudin_schuhmann by number: exponent 2, ratio 5",
    "two_sizes by mass: ratio 3, share 50 %",
    "two_sizes by number: ratio 2, share 30 %",
    SIEVES,
    SIEVES.replace("mass", "number"),
)


def heaviest(text: str, count: int) -> float:
    """Share of one grain of the largest size among so many grains, at most 1."""
    curve = read_sizes(text).curve
    return min(1.0, (curve.largest**3 / curve.mean_cube_ratio if curve.by == "mass" else 1.0) / count)


@pytest.mark.parametrize("text", TEXTS)
def test_the_generated_curve_is_within_a_hundredth_of_the_wanted_one(text: str) -> None:
    sizes = read_sizes(text)
    mean = sizes.mean_radius or MEAN
    radii = random_radii(sizes, 8000, mean, np.random.default_rng(1))
    # At the borders of the N parts both curves agree; between them they differ by the share of one grain at most.
    assert heaviest(text, 8000) < 0.01
    assert deviation(sizes, radii, mean) < 0.01
    assert radii.mean() == pytest.approx(mean, rel=2e-3)
    assert radii.min() >= mean * sizes.curve.smallest * (1.0 - 1e-12)
    assert radii.max() <= mean * sizes.curve.largest * (1.0 + 1e-12)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("count", [1, 7, 300])
def test_few_grains_differ_by_the_share_of_the_heaviest_one_at_most(text: str, count: int) -> None:
    sizes = read_sizes(text)
    radii = sorted_radii(sizes, count, MEAN)
    assert radii.shape == (count,)
    assert deviation(sizes, radii, MEAN) <= heaviest(text, count) + 1e-9


CLOSED_FORMS = {
    # share of the number below the radius r, over the mean radius
    "uniform by number: ratio 4": lambda r, low, high: (r - low) / (high - low),
    "gaudin_schuhmann by number: exponent 2, ratio 5": lambda r, low, high: (r**2 - low**2) / (high**2 - low**2),
    "log_normal by number: width 0.38": lambda r, low, high: (
        (norm.cdf(np.log(r / math.sqrt(low * high)) / 0.38) - norm.cdf(-3.0)) / (norm.cdf(3.0) - norm.cdf(-3.0))
    ),
    # share of the mass below the radius r
    "uniform by mass: ratio 4": lambda r, low, high: (r - low) / (high - low),
    "gaudin_schuhmann by mass: exponent 0.7, ratio 10": lambda r, low, high: (
        (r**0.7 - low**0.7) / (high**0.7 - low**0.7)
    ),
}


@pytest.mark.parametrize("text", CLOSED_FORMS)
def test_the_curves_are_those_of_the_formulas(text: str) -> None:
    sizes = read_sizes(text)
    low, high = sizes.curve.smallest, sizes.curve.largest
    assert high / low == pytest.approx(math.exp(6 * 0.38) if "log" in text else float(text.split("ratio ")[1]))
    r = np.linspace(low, high, 50)[1:-1]
    # 512 nodes joined by straight lines over ln r: (Δ ln r)² max|F''|/8.
    assert share_below(sizes, r, 1.0) == pytest.approx(CLOSED_FORMS[text](r, low, high), abs=1e-4)
    # Of a million grains the heaviest one is below 1e-4 of the mass.
    generated = generated_share(sorted_radii(sizes, 1_000_000, 1.0), r, sizes.by)
    assert generated == pytest.approx(CLOSED_FORMS[text](r, low, high), abs=2e-4)


def test_number_and_mass_of_two_sizes_follow_from_the_ratio_of_their_volumes() -> None:
    radii = sorted_radii(read_sizes("two_sizes by mass: ratio 3, share 50 %"), 2800, MEAN)
    small, large = np.unique(radii)
    assert large / small == pytest.approx(3.0)
    assert (radii == large).sum() == 100  # one large for 27 small ones
    assert (radii == small).sum() == 2700


def test_number_below_a_mass_curve_is_the_integral_of_its_density_over_the_volume() -> None:
    sizes = read_sizes("gaudin_schuhmann by mass: exponent 0.7, ratio 10")
    low, high = sizes.curve.smallest, sizes.curve.largest
    r = np.linspace(low, high, 20)[1:-1]
    number = (low**-2.3 - r**-2.3) / (low**-2.3 - high**-2.3)  # dN ∝ r^(m-1) r^-3 dr
    assert share_below(sizes, r, 1.0, "number") == pytest.approx(number, abs=1e-4)


def test_the_order_follows_from_the_seed_alone() -> None:
    sizes = read_sizes(TEXTS[3])
    one, again, other = (random_radii(sizes, 100, MEAN, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
    assert np.array_equal(np.sort(one), np.sort(other))


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_read_as_it_is_written(text: str) -> None:
    assert read_sizes(text).text() == text
    assert read_sizes(read_sizes(text).text()) == read_sizes(text)


def test_numbers_that_a_text_does_not_name_have_their_defaults() -> None:
    assert read_sizes("two_sizes").text() == "two_sizes by mass: ratio 3, share 50 %"
    assert read_sizes("two_sizes: share 0.25").text() == "two_sizes by mass: ratio 3, share 25 %"


def test_sieves_beyond_the_grains_do_not_count_for_the_ratio() -> None:
    text = "sieve by mass: 0.01 mm 0 %, 1 mm 0 %, 2 mm 100 %, 500 mm 100 %"
    assert read_sizes(text).text() == "sieve by mass: 1 mm 0 %, 2 mm 100 %"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sieve: 1 mm 0 %, 2 mm 40 %", "it ends at 40 % instead of 100 %"),
        ("sieve: 1 mm 3 %, 2 mm 100 %", "it begins at 3 % instead of 0 %"),
        ("sieve: 1 mm 0 %, 2 mm 60 %, 3 mm 50 %, 4 mm 100 %", "50 % pass 3 mm after 60 %"),
        ("sieve: 1 mm 0 %, 1 mm 40 %, 2 mm 100 %", "sieve 1 mm comes after 1 mm"),
        ("sieve: 2 mm 0 %, 1 mm 100 %", "sieve 1 mm comes after 2 mm"),
        ("sieve: -1 mm 0 %, 2 mm 100 %", "the size -1 mm of a sieve must be above 0 mm"),
        (
            "sieve: 1 mm 0 %, 21 mm 100 %",
            "21 times as large as the smallest; the list of pairs holds a ratio of at most 20",
        ),
        ("sieve: nan mm 0 %, 2 mm 100 %", "is no row such as '2 mm 40 %'"),
        ("sieve: 2 mm 100 %", "give 2 to 100 sieves"),
        ("two_sizes: ratio 30", "ratio = 30 must be from 1.01 to 20"),
        ("two_sizes: share 100 %", "share = 100 % must be from 0.1 % to 99.9 %"),
        ("two_sizes: colour 3", "two_sizes has no number 'colour'; it has ratio, share."),
        ("equal: ratio 3", "equal has no numbers."),
        ("two_sizes: ratio 3,5", "Use a point: 3.5."),
        ("sieve: 1,5 mm 0 %, 2 mm 100 %", "Use a point: 1.5."),
        ("uniform by volume", "by mass or by number"),
        ("pareto", "Unknown kind of sizes 'pareto'"),
        ("3 mm", "write a kind and its numbers"),
        ("uniform: ratio 2" + " " * 5000, "write a kind and its numbers"),
    ],
)
def test_a_text_is_refused_in_one_sentence(text: str, said: str) -> None:
    heap = scenes()["heap"].parameters
    with pytest.raises(ParameterError) as error:
        heap.checked({"sizes": text})
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_value_that_is_no_text_is_refused_with_an_example() -> None:
    with pytest.raises(ParameterError, match="sizes = 5 is refused: it must be a text such as 'two_sizes by mass"):
        scenes()["heap"].parameters.checked({"sizes": 5})


@pytest.mark.parametrize(
    "table",
    [
        "1,0\n2.5,40\n4,100\n",
        "# lab 7\ndiameter [mm],passing [%]\n1,0\n2.5,40\n4,100",
        "Siebweite;Durchgang\r\n1;0\r\n2,5;40\r\n4;100\r\n",
        "size\tpassing\n1\t0\n2.5\t40\n4\t100\n",
    ],
)
def test_a_table_is_read_with_the_signs_of_several_programs(table: str) -> None:
    assert sizes_of_table(table, "curve.csv") == "sieve by mass: 1 mm 0 %, 2.5 mm 40 %, 4 mm 100 %"


@pytest.mark.parametrize(
    ("table", "said"),
    [("", "it has 0 rows"), ("1,0\nx,y\n2,100", "is no row of two numbers"), ("1,0\n2,90", "it ends at 90 %")],
)
def test_a_table_that_is_no_sieve_curve_is_refused(table: str, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        sizes_of_table(table, "curve.csv")


def test_the_command_line_reads_a_file_and_stores_the_table(tmp_path: Path) -> None:
    path = tmp_path / "curve.CSV"
    path.write_text("1,0\n2,100\n")
    heap = scenes()["heap"].parameters
    assert heap.parse("sizes", f'"{path}"') == "sieve by mass: 1 mm 0 %, 2 mm 100 %"
    assert heap.parse("sizes", "two_sizes") == "two_sizes by mass: ratio 3, share 50 %"
    with pytest.raises(ParameterError, match="cannot be read"):
        heap.parse("sizes", str(tmp_path / "none.csv"))
    with pytest.raises(ParameterError, match="another machine"):
        sizes_in_file("//server/share/curve.csv")


def test_the_mean_radius_follows_a_sieve_curve_until_it_is_set() -> None:
    heap = scenes()["heap"].parameters
    curve = heap.checked({"sizes": SIEVES})
    assert curve.mean_radius == read_sizes(SIEVES).mean_radius
    assert curve.radius_limits == pytest.approx((0.5e-3, 2e-3), rel=1e-5)
    assert curve.changed(friction=0.3).mean_radius == curve.mean_radius
    assert curve.changed(sizes="").mean_radius == heap().mean_radius
    scaled = curve.changed(mean_radius=2.0 * curve.mean_radius)
    assert scaled.radius_limits == pytest.approx((1e-3, 4e-3), rel=1e-5)
    assert heap.checked({"mean_radius": 1.1e-3}).changed(sizes=SIEVES).mean_radius == curve.mean_radius


@pytest.mark.parametrize("scene", [name for name, scene in scenes().items() if "sizes" in scene.parameters.declared()])
def test_a_sieve_curve_that_a_scene_cannot_hold_is_refused_with_the_curve_the_value_and_the_limit(scene: str) -> None:
    parameters = scenes()[scene].parameters
    limits = parameters.declared()["mean_radius"]
    low, high = limits.low or 0.0, limits.high or 0.0
    for mean, held in ((0.5 * low, False), (2.0 * low, True), (2.0 * high, False)):
        text = f"sieve by number: {1.9 * mean} m 0 %, {2.1 * mean} m 100 %"
        if held:
            assert parameters.checked({"sizes": text}).mean_radius == pytest.approx(mean, rel=1e-2)  # type: ignore[attr-defined]
            continue
        with pytest.raises(ParameterError) as error:
            parameters.checked({"sizes": text})
        said = str(error.value)
        assert said.startswith("sizes = ")
        assert said.count(" is refused: ") == 1
        for limit in (low, high):
            assert str(limits.shown(limit)) in said
        with pytest.raises(ParameterError, match="is refused: the mean radius"):
            parameters.checked({}).changed(sizes=text)


@pytest.mark.parametrize(("by", "other", "power"), [("mass", "number", -3), ("number", "mass", 3)])
def test_between_two_sieves_the_other_share_is_the_integral_of_the_density(by: By, other: By, power: int) -> None:
    """A share that is uniform in ln r from a to b is, times r^∓3, (r^∓3 − a^∓3)/(b^∓3 − a^∓3) of the other one."""
    sizes = read_sizes(f"sieve by {by}: 2 mm 0 %, 6 mm 100 %")
    mean = sizes.mean_radius
    assert mean is not None
    radius = np.array([1.0e-3, 1.3e-3, 2.0e-3, 2.9e-3, 3.0e-3])
    wanted = (radius**power - 1e-3**power) / (3e-3**power - 1e-3**power)
    # Between nodes 1/64 of the segment apart e^(3x) differs from its chord by (3 ln 3/64)²/8 of its value, up to 27/26.
    bound = 27.0 / 26.0 * (3.0 * math.log(3.0) / 64.0) ** 2 / 8.0
    assert share_below(sizes, radius, mean, other) == pytest.approx(wanted, abs=bound)


@pytest.mark.parametrize(("share", "large"), [(34, 3), (36, 4)])
def test_a_part_with_both_of_two_sizes_is_a_grain_of_the_more_frequent_one(share: int, large: int) -> None:
    """Of ten grains 3.4 or 3.6 would be large: the mean volume of the part decides, not its mean radius."""
    radii = sorted_radii(read_sizes(f"two_sizes by number: ratio 3, share {share} %"), 10, MEAN)
    assert int((radii > 1.5 * radii[0]).sum()) == large


def test_the_largest_ratio_is_that_of_every_kind() -> None:
    assert read_sizes(f"uniform: ratio {LARGEST_RATIO}").curve.largest > 1.0
    width = math.log(LARGEST_RATIO) / 6.0
    widest = read_sizes(f"log_normal: width {width * (1.0 - 1e-9)}").curve
    assert widest.largest / widest.smallest == pytest.approx(LARGEST_RATIO)
