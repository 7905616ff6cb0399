"""Files stay small enough to read, and their names say what is in them."""

from pathlib import Path
from statistics import median

SRC = Path(__file__).parents[2] / "src" / "palaestra"
EMPTY_WORDS = {"utils", "util", "common", "helpers", "helper", "manager"}


def oversized(lines_by_file: dict[str, int]) -> list[str]:
    """What is wrong with these lengths, as sentences."""
    wrong = [f"{name} has {n} lines, more than 300" for name, n in lines_by_file.items() if n > 300]
    if (middle := median(lines_by_file.values())) >= 120:
        wrong.append(f"the median module has {middle} lines, not under 120")
    return wrong


def misnamed(paths: list[Path]) -> list[str]:
    """The paths in which some part says nothing."""
    return [str(p) for p in paths if any(EMPTY_WORDS & set(part.split("_")) for part in p.with_suffix("").parts)]


def test_no_module_is_long_and_half_are_short() -> None:
    lengths = {str(p.relative_to(SRC)): len(p.read_text("utf-8").splitlines()) for p in SRC.rglob("*.py")}
    assert oversized(lengths) == []


def test_no_file_is_named_after_nothing() -> None:
    assert misnamed([p.relative_to(SRC) for p in SRC.rglob("*.py")]) == []


def test_a_long_file_a_long_median_and_an_empty_name_are_found() -> None:
    assert len(oversized({"a.py": 301, "b.py": 10, "c.py": 10})) == 1
    assert len(oversized({"a.py": 120, "b.py": 120})) == 1
    assert misnamed([Path("core/utils.py"), Path("envs/grid_helpers/a.py"), Path("core/utility.py")]) == [
        "core/utils.py",
        "envs/grid_helpers/a.py",
    ]
