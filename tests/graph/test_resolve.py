"""What names mean, proven only where one chain leads to it, and no answer by chance."""

from pathlib import Path

import pytest

from tests.graph.worlds import calls, resolver_of, told


def test_python_follows_packages_aliases_stars_and_dotted_imports(folder: Path) -> None:
    files = {
        "pkg/__init__.py": "from .core import Lease as L, drop\nfrom .star import *\n",
        "pkg/core.py": "class Lease:\n    def run(self):\n        drop()\n\n\ndef drop():\n    pass\n",
        "pkg/star.py": "def starred():\n    pass\n\n\ndef _hidden():\n    pass\n",
        "user.py": "from pkg import L, drop as d, starred\nimport pkg\n\nd()\nstarred()\nL.run(1)\n"
        "pkg.core.drop()\npkg.drop()\n",
        "dotted.py": "import pkg.core\n\npkg.core.drop()\npkg.drop()\n",
        "hidden.py": "from pkg.star import *\n\n_hidden()\nstarred()\n",
    }
    with resolver_of(folder, files) as resolver:
        assert calls(resolver, "user.py") == {
            "4:d": "proven pkg/core.py:drop",
            "5:starred": "proven pkg/star.py:starred",
            "6:L.run": "proven pkg/core.py:Lease.run",
            "7:pkg.core.drop": "proven pkg/core.py:drop",
            "8:pkg.drop": "proven pkg/core.py:drop",
        }
        assert calls(resolver, "dotted.py") == {
            "3:pkg.core.drop": "proven pkg/core.py:drop",
            "4:pkg.drop": "proven pkg/core.py:drop",
        }
        assert calls(resolver, "hidden.py") == {"3:_hidden": "outside", "4:starred": "proven pkg/star.py:starred"}


def test_what_an_import_names_but_nobody_defines_is_unknown_and_not_outside(folder: Path) -> None:
    files = {
        "m.py": "def here():\n    pass\n",
        "pkg/__init__.py": "",
        "u.py": "from m import gone\nimport m\nfrom lib import far\n\ngone()\nm.gone()\nfar()\nprint()\n"
        "import pkg\npkg.gone()\n",
    }
    with resolver_of(folder, files) as resolver:
        assert calls(resolver, "u.py") == {
            "5:gone": "unknown",
            "6:m.gone": "unknown",
            "7:far": "outside",
            "8:print": "outside",
            "10:pkg.gone": "unknown",
        }


def test_python_self_is_the_first_parameter_of_a_method_and_nothing_else(folder: Path) -> None:
    source = """class Base:
    def close(self):
        pass


class Lease(Base):
    def run(self):
        self.close()
        super().close()

        def inner():
            self.run()

        def other(self):
            self.close()

    def take(self, cls, base, parent):
        cls.close()
        base.close()
        parent.close()

    @classmethod
    def make(cls):
        cls.close()


class Lock:
    def close(self):
        pass
"""
    with resolver_of(folder, {"a.py": source}) as resolver:
        found = calls(resolver, "a.py")
        both = "name a.py:Base.close a.py:Lock.close"
        assert found["8:self.close"] == "proven a.py:Base.close"
        assert found["9:super().close"] == "proven a.py:Base.close"
        assert found["12:self.run"] == "proven a.py:Lease.run"
        assert found["15:self.close"] == both
        assert [found[f"{line}:{word}.close"] for line, word in ((18, "cls"), (19, "base"), (20, "parent"))] == [
            both
        ] * 3
        assert found["24:cls.close"] == "proven a.py:Base.close"


def test_members_are_looked_for_in_the_order_of_the_bases(folder: Path) -> None:
    source = """from lib import Far


class A:
    def f(self):
        pass


class B(A):
    pass


class C(A):
    def f(self):
        pass


class D(B, C):
    def g(self):
        self.f()


class E(A, Far):
    def g(self):
        self.f()


class F(Far, A):
    def g(self):
        self.f()
        self.nobody()
"""
    with resolver_of(folder, {"a.py": source}) as resolver:
        assert calls(resolver, "a.py") == {
            "20:self.f": "proven a.py:C.f",
            "25:self.f": "proven a.py:A.f",
            "30:self.f": "likely a.py:A.f",
            "31:self.nobody": "outside",
        }


def test_what_is_asked_of_the_parent_is_not_ones_own(folder: Path) -> None:
    source = (
        "class A:\n    def f(self):\n        pass\n\n\nclass B(A):\n    def f(self):\n        super().f()\n"
        "        self.f()\n"
    )
    with resolver_of(folder, {"a.py": source}) as resolver:
        found = calls(resolver, "a.py")
        assert (found["8:super().f"], found["9:self.f"]) == ("proven a.py:A.f", "proven a.py:B.f")


@pytest.mark.slow
def test_circles_of_imports_and_bases_end(folder: Path) -> None:
    names = range(30)
    files = {
        f"m{one}.py": "".join(f"from m{other} import *\n" for other in names if other != one)
        + f"def f{one}():\n    f{(one + 1) % 30}()\n    nobody()\n"
        for one in names
    }
    files |= {
        "a.py": "from b import x\nx()\n",
        "b.py": "from a import x\n",
        "c.py": "class A(B):\n    def m(self):\n        self.n()\n\n\nclass B(A):\n    def n(self):\n"
        "        self.q()\n",
        "d.py": "class C(C.D):\n    def m(self):\n        self.q()\n\n\nclass E(F.X):\n    pass\n\n\n"
        "class F(E.X):\n    pass\n",
        "G.java": "class G extends G.H {\n  void m() { q(); }\n}\n",
    }
    with resolver_of(folder, files) as resolver:
        assert calls(resolver, "a.py") == {"2:x": "unknown"}
        assert calls(resolver, "c.py") == {"3:self.n": "proven c.py:B.n", "8:self.q": "unknown"}
        assert calls(resolver, "d.py") == {"3:self.q": "outside"}
        assert calls(resolver, "G.java") == {"2:q": "outside"}
        for one in names:
            following = (one + 1) % 30
            assert calls(resolver, f"m{one}.py") == {
                f"31:f{following}": f"proven m{following}.py:f{following}",
                "32:nobody": "outside",
            }


def test_an_answer_does_not_depend_on_what_was_asked_before(folder: Path) -> None:
    files = {
        "one.py": "try:\n    from two import q\nexcept ImportError:\n    from four import q\n",
        "two.py": "try:\n    from one import q\nexcept ImportError:\n    from three import q\n",
        "three.py": "def q():\n    pass\n",
        "four.py": "def q():\n    pass\n",
        "a.py": "from b import x, y\nfrom c import z\n",
        "b.py": "from a import z, x\nfrom c import y\n",
        "c.py": "from a import y as w\nfrom b import x\n\n\ndef y():\n    pass\n\n\ndef z():\n    pass\n",
    }
    asked = [(path, name) for path in files for name in "xyzwq"]
    answers = []
    with resolver_of(folder, files) as resolver:
        for order in (asked, asked[::-1]):
            fresh = type(resolver)(resolver.world)
            answers.append({each: told(fresh.top(*each)) for each in order})
    assert answers[0] == answers[1]
    assert answers[0]["one.py", "q"] == answers[0]["two.py", "q"] == "likely four.py:q three.py:q"
    assert answers[0]["b.py", "z"] == "proven c.py:z"
    assert answers[0]["c.py", "w"] == "proven c.py:y"


def test_a_long_line_of_bases_is_followed_to_its_end(folder: Path) -> None:
    source = "class X0:\n    def first(self):\n        pass\n"
    source += "".join(f"class X{at}(X{at - 1}):\n    pass\n" for at in range(1, 400))
    with resolver_of(folder, {"a.py": source + "def f(x: X399):\n    x.first()\n"}) as resolver:
        assert list(calls(resolver, "a.py").values()) == ["proven a.py:X0.first"]


def test_a_name_that_is_imported_and_defined_is_one_of_both(folder: Path) -> None:
    files = {
        "fast.py": "def f():\n    pass\n",
        "a.py": "try:\n    from fast import f\nexcept ImportError:\n    def f():\n        pass\n\n\nf()\n",
        "b.py": "if x:\n    def g():\n        pass\nelse:\n    def g():\n        pass\n\ng()\n",
    }
    with resolver_of(folder, files) as resolver:
        assert calls(resolver, "a.py") == {"8:f": "likely a.py:f fast.py:f"}
        assert calls(resolver, "b.py") == {"8:g": "likely b.py:g"}


def test_parameters_and_imports_inside_hide_what_is_outside(folder: Path) -> None:
    files = {
        "m.py": "def drop():\n    pass\n",
        "n.py": "def drop():\n    pass\n",
        "a.py": "from m import drop\n\n\ndef f(drop):\n    drop()\n\n\ndef g():\n    from n import drop\n"
        "    drop()\n\n\ndef h():\n    drop()\n",
    }
    with resolver_of(folder, files) as resolver:
        found = calls(resolver, "a.py")
        assert found["5:drop"] == "outside"
        assert found["10:drop"] == "proven n.py:drop"
        assert found["14:drop"] == "proven m.py:drop"


def test_a_member_of_an_unknown_value_is_likely_only_where_it_is_the_only_one(folder: Path) -> None:
    source = """class A:
    def solo(self):
        pass

    def twice(self):
        pass

    def get(self):
        pass


class B:
    def twice(self):
        pass


def outer():
    def nested():
        pass


def f(x, a: A, far: lib.Far):
    x.solo()
    x.twice()
    x.get()
    x.nested()
    a.twice()
    a.missing()
    far.solo()
    a.unknown.solo()


class C:
    def missing(self):
        pass
"""
    with resolver_of(folder, {"a.py": source}) as resolver:
        assert calls(resolver, "a.py") == {
            "23:x.solo": "likely a.py:A.solo",
            "24:x.twice": "name a.py:A.twice a.py:B.twice",
            "25:x.get": "name a.py:A.get",
            "26:x.nested": "unknown",
            "27:a.twice": "proven a.py:A.twice",
            "28:a.missing": "name a.py:C.missing",
            "29:far.solo": "likely a.py:A.solo",
            "30:a.unknown.solo": "likely a.py:A.solo",
        }


def test_typed_fields_lead_to_their_types_and_repeated_names_to_the_last(folder: Path) -> None:
    source = """import lib


class A:
    a: "A"
    far: lib.Far

    def go(self):
        self.a.a.go()
        self.far.go()


it: A = A()
it.go()
it.a.a.go()
"""
    with resolver_of(folder, {"a.py": source}) as resolver:
        found = calls(resolver, "a.py")
        assert found["9:self.a.a.go"] == "proven a.py:A.go"
        assert found["10:self.far.go"] == "outside"
        assert found["14:it.go"] == "proven a.py:A.go"
        assert found["15:it.a.a.go"] == "proven a.py:A.go"


def test_the_body_of_a_class_sees_its_names_and_methods_do_not(folder: Path) -> None:
    source = "class K:\n    def r(self):\n        r()\n\n    s = r()\n"
    with resolver_of(folder, {"a.py": source}) as resolver:
        assert calls(resolver, "a.py") == {"3:r": "outside", "5:r": "proven a.py:K.r"}


def test_names_in_other_scripts(folder: Path) -> None:
    files = {
        "п.py": "def Привет():\n    pass\n\n\nclass 变量:\n    def 方法(self):\n        self.方法()\n",
        "u.py": "from п import Привет as П, 变量\n\nП()\n\n\ndef f(x: 变量):\n    x.方法()\n",
    }
    with resolver_of(folder, files) as resolver:
        assert calls(resolver, "u.py") == {"3:П": "proven п.py:Привет", "7:x.方法": "proven п.py:变量.方法"}
        assert calls(resolver, "п.py") == {"7:self.方法": "proven п.py:变量.方法"}


@pytest.mark.slow
def test_one_name_with_very_many_definitions_is_only_a_name_but_its_own_file_is_proven(folder: Path) -> None:
    many = "".join(f"class C{at}:\n    def common_one(self):\n        pass\n" for at in range(2_500))
    files = {
        "a.py": many,
        "b.py": "class Z:\n    def common_one(self):\n        pass\n\n    def f(self, x):\n"
        "        self.common_one()\n        x.common_one()\n",
        "p/one.go": "package p\nfunc f() { CommonOne() }\n",
        "p/two.go": "package p\nfunc CommonOne() {}\n",
        "a.go": "package a\n" + "".join(f"func (c C{at}) CommonOne() {{}}\n" for at in range(2_500)),
    }
    with resolver_of(folder, files) as resolver:
        found = calls(resolver, "b.py")
        assert found["6:self.common_one"] == "proven b.py:Z.common_one"
        assert found["7:x.common_one"].startswith("name ")
        assert calls(resolver, "p/one.go") == {"2:CommonOne": "proven p/two.go:CommonOne"}


def test_who_has_a_name_hides_what_it_was_given_and_not_what_others_give(folder: Path) -> None:
    files = {
        "far.py": "def n(): ...\ndef only_far(): ...\n",
        "near.py": "from far import *\ndef n(): ...\n",
        "beside.py": "def n(): ...\n",
        "one.py": "from near import *\n\nn()\nonly_far()\n",
        "two.py": "from near import *\nfrom beside import *\n\nn()\n",
        "after.py": "def lone(): ...\n",
        "deep.py": "def n(): ...\n",
        "mid.py": "from deep import *\n",
        "four.py": "from near import *\nfrom mid import *\n\nn()\n",
        "three.py": "from near import *\nfrom after import *\n\nn()\nlone()\n",
    }
    with resolver_of(folder, files) as resolver:
        assert calls(resolver, "one.py") == {"3:n": "proven near.py:n", "4:only_far": "proven far.py:only_far"}
        assert calls(resolver, "two.py") == {"4:n": "likely beside.py:n near.py:n"}
        assert calls(resolver, "three.py") == {"4:n": "proven near.py:n", "5:lone": "proven after.py:lone"}
        assert calls(resolver, "four.py") == {"4:n": "likely deep.py:n near.py:n"}


def test_all_says_what_a_star_import_gives(folder: Path) -> None:
    files = {
        "m.py": "__all__ = [\n    'one',  # the 'other' one\n    \"_two\",\n    'sub',\n]\nfrom low import *\n"
        "def one(): pass\ndef _two(): pass\ndef three(): pass\n",
        "low.py": "def one(): pass\ndef four(): pass\n",
        "p/__init__.py": "__all__ = ('sub',)\n",
        "p/sub.py": "def go(): pass\n",
        "built.py": "__all__ = ['x']\n__all__ += ['y']\ndef x(): pass\n",
        "under.py": "from low import four as _four, one as fifth\n",
        "u.py": "from m import *\none()\n_two()\nthree()\nfour()\n",
        "v.py": "from p import *\nfrom built import *\nfrom under import *\nsub.go()\nx()\n_four()\nfifth()\n",
        "w.py": "from w1 import *\none()\nthree()\n",
        "w1.py": "from m import *\n",
    }
    with resolver_of(folder, files) as resolver:
        assert calls(resolver, "u.py") == {
            "2:one": "proven m.py:one",
            "3:_two": "proven m.py:_two",
            "4:three": "outside",
            "5:four": "outside",
        }
        assert calls(resolver, "v.py") == {
            "4:sub.go": "proven p/sub.py:go",
            "5:x": "likely built.py:x",
            "6:_four": "outside",
            "7:fifth": "proven low.py:one",
        }
        assert calls(resolver, "w.py") == {"2:one": "proven m.py:one", "3:three": "outside"}


def test_a_module_that_shares_its_name_with_the_standard_library_is_likely(folder: Path) -> None:
    files = {
        "queue.py": "def put():\n    pass\n",
        "mine.py": "def put():\n    pass\n",
        "pkg/__init__.py": "",
        "pkg/queue.py": "def put():\n    pass\n",
        "u.py": "import queue, mine\nfrom pkg import queue as q\n\nqueue.put()\nmine.put()\nq.put()\n",
    }
    with resolver_of(folder, files) as resolver:
        assert calls(resolver, "u.py") == {
            "4:queue.put": "likely queue.py:put",
            "5:mine.put": "proven mine.py:put",
            "6:q.put": "proven pkg/queue.py:put",
        }


def test_a_star_is_as_sure_as_the_least_sure_on_its_way(folder: Path) -> None:
    files = {
        "far/lone.py": "from far_low import *\n",
        "far/far_low.py": "def low(): pass\n",
        "near/__init__.py": "",
        "near/mid.py": "from lone import *\n",
        "near/sure.py": "def sure(): pass\n",
        "near/two.py": "from .sure import *\n",
        "near/u.py": "from .mid import *\nfrom .two import *\nlow()\nsure()\n",
        "near/v.py": "from lone import *\nlow()\n",
    }
    with resolver_of(folder, files) as resolver:
        assert calls(resolver, "near/u.py") == {
            "3:low": "likely far/far_low.py:low",
            "4:sure": "proven near/sure.py:sure",
        }
        assert calls(resolver, "near/v.py") == {"2:low": "likely far/far_low.py:low"}
