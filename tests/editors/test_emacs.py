"""Emacs with eglot, set up by the lines of docs/editors.md, against the real language server."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conformance import ROOT
from tests.editors.test_neovim import FILES
from tests.trees import Repo, cairn

EMACS = shutil.which("emacs")
PACKAGES = Path("/usr/share/emacs/site-lisp/elpa")
"""Where Debian keeps eglot for an Emacs that has none of its own."""
SCRIPT = """(setq package-directory-list (list "%(packages)s"))
(require 'package)
(package-initialize)
%(lines)s
(setq eglot-connect-timeout 60 eglot-sync-connect t)
(fset 'y-or-n-p (lambda (_) t))
(find-file "shop/bill.py")
(apply #'eglot (eglot--guess-contact))
(search-forward "net_price(each")
(backward-char 6)
(defun told (items)
  (dolist (each items)
    (let ((place (xref-item-location each)))
      (princ (format "%%s:%%d\\n" (file-name-nondirectory (xref-location-group place)) (xref-location-line place))))))
(told (xref-backend-definitions 'eglot (xref-backend-identifier-at-point 'eglot)))
(princ "used\\n")
(told (xref-backend-references 'eglot (xref-backend-identifier-at-point 'eglot)))
(eglot-rename "net_amount")
(save-some-buffers t)
"""


@pytest.mark.slow
@pytest.mark.skipif(
    EMACS is None or not any(PACKAGES.glob("eglot-*")),
    reason="Emacs or eglot is not installed: apt-get install emacs-nox elpa-eglot",
)
def test_eglot_follows_a_name_lists_its_uses_and_renames_it(tmp_path: Path) -> None:
    assert EMACS is not None
    repo = Repo.create(tmp_path / "project")
    for name, text in FILES.items():
        repo.write(name, text)
    repo.commit()
    assert cairn("index", str(repo.path)).returncode == 0
    page = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
    lines = next(each for each in re.findall(r"```elisp\n(.*?)```", page, re.DOTALL) if "eglot-server-programs" in each)
    script = tmp_path / "try.el"
    script.write_text(SCRIPT % {"packages": PACKAGES, "lines": lines}, encoding="utf-8")
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    command = bin_folder / "cairn"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cairn "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    done = subprocess.run(
        (EMACS, "-q", "--batch", "-l", str(script)),
        cwd=repo.path,
        env=os.environ | {"PATH": f"{bin_folder}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    defined, _, used = done.stdout.partition("used\n")
    assert defined.split() == ["prices.py:4"]
    assert sorted(used.split()) == ["bill.py:3", "bill.py:7", "prices.py:4", "report.py:3", "report.py:7"]
    texts = {name: (repo.path / name).read_text(encoding="utf-8") for name in FILES}
    assert texts == {name: text.replace("net_price", "net_amount") for name, text in FILES.items()}
