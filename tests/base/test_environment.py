"""What a child of Cairn inherits, and what it doesn't."""

import os
from pathlib import Path

import pytest

from cairn.base.environment import child_environment, search_path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root" / "bin").mkdir(parents=True)
    return tmp_path / "root"


@pytest.mark.requirement("SEC.4")
@pytest.mark.parametrize("ours", [False, True])
def test_nothing_beneath_a_root_is_searched_for_programs(root: Path, tmp_path: Path, *, ours: bool) -> None:
    (tmp_path / "linked").symlink_to(root / "bin")
    other = tmp_path / "other"
    given = {"PATH": f".::bin:{root}:{root}/bin:{tmp_path}/linked:{other}/bin:{root}s:/usr/bin"}
    made = child_environment((str(root), str(other)), given, ours=ours)
    assert made["PATH"] == f"{root}s:/usr/bin"


@pytest.mark.parametrize("path", ["", ".", "bin"])
def test_a_path_of_which_nothing_is_left_does_not_mean_the_working_folder(root: Path, path: str) -> None:
    assert search_path((str(root),), {"PATH": path}) == [os.devnull]


@pytest.mark.requirement("SEC.4")
def test_what_loads_code_or_belongs_to_others_is_dropped(root: Path) -> None:
    loads = (
        "BASH_ENV NODE_OPTIONS NODE_PATH PERL5OPT RUBYOPT JAVA_TOOL_OPTIONS PYTHONSTARTUP GIT_DIR GIT_TRACE2 GIT_PAGER"
    )
    given = dict.fromkeys(loads.split(), "/elsewhere") | {
        "LANG": "C",
        "CAIRN_EMBED_KEY": "k",
        "PYTHONPATH": f"{root}:/x",
    }
    assert child_environment((), given).keys() == {"LANG", "PATH"}
    ours = child_environment((str(root),), given | {"LD_PRELOAD": f"{root}/a.so:/lib/b.so"}, ours=True)
    assert ours["CAIRN_EMBED_KEY"] == "k"
    assert ours["LD_PRELOAD"] == "/lib/b.so"
    source, *others = ours["PYTHONPATH"].split(":")
    assert (Path(source) / "cairn" / "base" / "environment.py").is_file()
    assert others == ["/x"]
