"""Small programs in eight languages in which it is known what every place of one name means.

Before each place stands a mark: `D1` defines thing 1, `C1` calls it, `U1` uses it in another way, and `X` is none of
the things: a local, a parameter, a library's. `C1~2` calls thing 1 or, where a value is of a derived type, thing 2.
"""

import random
import re
from dataclasses import dataclass, field

_MARK = re.compile(r"⟨([DCUX])([\d~]*)⟩")


@dataclass(frozen=True)
class Spot:
    """One place of the name and what it means there."""

    path: str
    line: int
    column: int
    kind: str
    things: tuple[int, ...] = ()
    """What it may be when the program runs, the likeliest first."""


@dataclass
class Program:
    """Files, and every place of the name in them."""

    name: str
    files: dict[str, str] = field(default_factory=dict)
    spots: list[Spot] = field(default_factory=list)

    def add(self, path: str, marked: str) -> None:
        """Take in a file with its marks."""
        lines = []
        for number, line in enumerate(marked.replace("NAME", self.name).split("\n"), start=1):
            while (mark := _MARK.search(line)) is not None:
                things = tuple(int(each) for each in mark[2].split("~") if each)
                column = len(line[: mark.start()].encode())
                self.spots.append(Spot(path, number, column, mark[1], things))
                line = line[: mark.start()] + line[mark.end() :]
            lines.append(line)
        self.files[path] = "\n".join(lines)


_SHADOWS = {
    "py": "def fifth(⟨X⟩NAME):\n    return ⟨X⟩NAME()\n\n\ndef sixth():\n    ⟨X⟩NAME = 3\n    return ⟨X⟩NAME\n",
    "ts": "export function fifth(⟨X⟩NAME: any) { return ⟨X⟩NAME(); }\n"
    "export function sixth() {\n  const ⟨X⟩NAME = 3;\n  return ⟨X⟩NAME;\n}\n",
}

PYTHON = (
    {
        "a.py": "def ⟨D1⟩NAME():\n    return 1\n\n\ndef first():\n    # It is asked once more.\n    ⟨C1⟩NAME()\n"
        "    return ⟨U1⟩NAME\n",
        "b.py": "def ⟨D2⟩NAME(x):\n    return x\n\n\ndef second():\n    return ⟨C2⟩NAME(2)  # not NAME of a\n",
    },
    {
        "imported.py": "from a import ⟨U1⟩NAME\n\n\ndef third():\n    return ⟨C1⟩NAME()\n",
        "renamed.py": "from b import ⟨U2⟩NAME as other\n\n\ndef fourth():\n    return other(1)\n",
        "shadow.py": "from a import ⟨U1⟩NAME\n\n\n" + _SHADOWS["py"],
        "module.py": "import a\nimport b as z\n\n\ndef seventh():\n    a.⟨C1⟩NAME()\n    z.⟨C2⟩NAME(1)\n",
        "passed.py": "import a\n\n\ndef eighth(m):\n    return m.⟨C1⟩NAME()\n\n\neighth(a)\n",
        "klass.py": "class Base:\n    def ⟨D3⟩NAME(self):\n        return 0\n\n    def go(self):\n"
        "        return self.⟨C3~4⟩NAME()\n\n\nclass Sub(Base):\n    def ⟨D4⟩NAME(self):\n"
        "        return super().⟨C3⟩NAME()\n\n\ndef typed(x: Base, y: Sub):\n    x.⟨C3~4⟩NAME()\n    y.⟨C4⟩NAME()\n"
        "    Base.⟨C3⟩NAME(x)\n",
        "data.py": "class Data:\n    ⟨D5⟩NAME: int = 0\n\n\ndef ninth():\n    return Data(⟨U5⟩NAME=3).⟨U5⟩NAME\n",
        "library.py": "import lib\n\n\ndef tenth():\n    return lib.⟨X⟩NAME()\n",
        "nested.py": "def outer():\n    def ⟨D6⟩NAME():\n        return 1\n\n    return ⟨C6⟩NAME()\n",
        "star.py": "from a import *\n\n\ndef eleventh():\n    return ⟨C1⟩NAME()\n",
        "decorated.py": "from a import ⟨U1⟩NAME\nimport b\n\n\n@⟨C1⟩NAME\ndef twelfth():\n    return 1\n\n\n"
        "@b.⟨C2⟩NAME\n@other(⟨U1⟩NAME)\ndef last():\n    return 2\n\n\nclass Made:\n"
        "    @⟨C1⟩NAME  # once more\n    def go(self):\n        return 1\n",
        "valued.py": "class Made:\n    def ⟨D7⟩NAME(self):\n        return 0\n\n\nclass Other(Made):\n"
        "    def ⟨D8⟩NAME(self):\n        return 1\n\n\nclass Held:\n    def __init__(self, m):\n"
        "        self.made = Made()\n        self.given = m\n\n    def going(self):\n        self.made.⟨C7⟩NAME()\n"
        "        self.given.⟨C7~8⟩NAME()\n\n\ndef pick(n):\n    return Other() if n else Made()\n\n\n"
        "def twelfth(p, q: Made, r=Made):\n    x = Made()\n    x.⟨C7⟩NAME()\n    Made().⟨C7⟩NAME()\n"
        "    y = p or Made()\n"
        "    y.⟨C7~8⟩NAME()\n    for z in [Made()]:\n        z.⟨C7⟩NAME()\n    (lambda x: x.⟨C8⟩NAME())(Other())\n"
        "    pick(1).⟨C8~7⟩NAME()\n    q = q or p\n    q.⟨C7~8⟩NAME()\n    r().⟨C7~8⟩NAME()\n\n\n"
        "def thirteenth(p):\n    x = Made()\n    x = p\n    x.⟨C8~7⟩NAME()\n    with p as w:\n        w.⟨C8~7⟩NAME()\n",
        "again.py": "def wrapped():\n    from b import ⟨U2⟩NAME\n\n    return ⟨C2⟩NAME(1)\n",
    },
)
TYPESCRIPT = (
    {
        "a.ts": "export function ⟨D1⟩NAME() { return 1; }\nexport function first() {\n  // Once more.\n"
        "  ⟨C1⟩NAME();\n"
        "  return ⟨U1⟩NAME;\n}\n",
        "b.ts": "export function ⟨D2⟩NAME(x: number) { return x; }\nexport const second = () => ⟨C2⟩NAME(2);\n",
    },
    {
        "imported.ts": 'import { ⟨U1⟩NAME } from "./a";\nexport function third() { return ⟨C1⟩NAME(); }\n',
        "renamed.ts": 'import { ⟨U2⟩NAME as other } from "./b";\nexport function fourth() { return other(1); }\n',
        "shadow.ts": 'import { ⟨U1⟩NAME } from "./a";\n' + _SHADOWS["ts"],
        "module.ts": 'import * as z from "./b";\nexport function seventh() { z.⟨C2⟩NAME(1); }\n',
        "late.ts": 'export async function eighth() {\n  const m = await import("./a");\n  m.⟨C1⟩NAME();\n}\n',
        "klass.ts": "export class Base {\n  ⟨D3⟩NAME() { return 0; }\n  go() { return this.⟨C3~4⟩NAME(); }\n}\n"
        "export class Sub extends Base {\n  ⟨D4⟩NAME() { return super.⟨C3⟩NAME(); }\n}\n"
        "export function typed(x: Base, y: Sub) {\n  x.⟨C3~4⟩NAME();\n  y.⟨C4⟩NAME();\n}\n",
        "opts.ts": "export interface Opts { ⟨D5⟩NAME: () => void; }\nexport function ninth(o: Opts) {\n"
        "  const { ⟨U5⟩NAME } = o;\n  o.⟨C5⟩NAME();\n  ninth({ ⟨U5⟩NAME() {} });\n"
        "  ninth({ ⟨U5⟩NAME: () => {} });\n}\n"
        "export const made: Opts = { ⟨U5⟩NAME: () => {} };\n",
        "valued.ts": "export class Made { ⟨D6⟩NAME() { return 0; } }\n"
        "export class Other extends Made { ⟨D7⟩NAME() { return 1; } }\n"
        "export class Held {\n  made = new Made();\n  given;\n  constructor(private m: Made, n) { this.given = n; }\n"
        "  going() {\n    this.made.⟨C6⟩NAME();\n    this.m.⟨C6~7⟩NAME();\n    this.given.⟨C6~7⟩NAME();\n  }\n}\n"
        "export function pick(n: boolean) { return n ? new Other() : new Made(); }\n"
        "export function twelfth(p: any, ms: Made[]) {\n  const x = new Made();\n  x.⟨C6⟩NAME();\n"
        "  pick(true).⟨C7~6⟩NAME();\n  ms[0].⟨C6~7⟩NAME();\n  for (const y of ms) y.⟨C6~7⟩NAME();\n"
        "  let z = new Made();\n  z = p;\n  z.⟨C6~7⟩NAME();\n  ms.map((x) => x.⟨C6~7⟩NAME());\n}\n",
        "library.ts": 'import * as lib from "lib";\nexport function tenth() { lib.⟨X⟩NAME(); }\n',
        "aliased.ts": 'import { ⟨U1⟩NAME } from "@app/a";\nexport function last() { return ⟨C1⟩NAME(); }\n',
    },
)
JAVASCRIPT = (
    {path.replace(".ts", ".js"): text.replace(": number", "") for path, text in TYPESCRIPT[0].items()},
    {
        path.replace(".ts", ".js"): re.sub(r": (?:any|Base|Sub)\b", "", text).replace("typed(", "untyped(")
        for path, text in TYPESCRIPT[1].items()
        if path not in ("opts.ts", "klass.ts")
    }
    | {
        "klass.js": "export class Base {\n  ⟨D3⟩NAME() { return 0; }\n  go() { return this.⟨C3~4⟩NAME(); }\n}\n"
        "export class Sub extends Base {\n  ⟨D4⟩NAME() { return super.⟨C3⟩NAME(); }\n}\n"
        "export function untyped(x, y) {\n  x.⟨C3~4⟩NAME();\n  y.⟨C4⟩NAME();\n}\n",
        "valued.js": "export class Made { ⟨D5⟩NAME() { return 0; } }\n"
        "export class Held {\n  constructor(n) {\n    this.made = new Made();\n    this.given = n;\n  }\n"
        "  going() {\n    this.made.⟨C5⟩NAME();\n    this.given.⟨C5⟩NAME();\n  }\n}\n"
        "export function twelfth(p) {\n  const x = new Made();\n  x.⟨C5⟩NAME();\n  p.⟨C5⟩NAME();\n"
        "  let z = new Made();\n  z = p;\n  z.⟨C5⟩NAME();\n  const api = { ⟨U5⟩NAME() { return 2; } };\n"
        "  return api;\n}\n",
        "asked.js": 'const z = require("./b");\nfunction ninth() { return z.⟨C2⟩NAME(3); }\n',
    },
)
GO = (
    {
        "go.mod": "module ex.com/m\n",
        "a/a.go": "package a\n\nfunc ⟨D1⟩NAME() int { return 1 }\n\nfunc First() {\n\t// Once more.\n\t⟨C1⟩NAME()\n}\n",
        "b/b.go": "package b\n\nfunc ⟨D2⟩NAME() int { return 2 }\n\nvar Second = ⟨C2⟩NAME()\n",
    },
    {
        "a/other.go": "package a\n\nfunc Third() { ⟨C1⟩NAME() }\n",
        "c/c.go": 'package c\n\nimport (\n\t"ex.com/m/a"\n\tz "ex.com/m/b"\n)\n\nfunc Fourth() {\n\ta.⟨C1⟩NAME()\n'
        "\tz.⟨C2⟩NAME()\n}\n",
        "a/shadow.go": "package a\n\nfunc Fifth(⟨X⟩NAME func()) {\n\t⟨X⟩NAME()\n}\n\nfunc Sixth() int {\n"
        "\t⟨X⟩NAME := 3\n\treturn ⟨X⟩NAME\n}\n",
        "d/d.go": "package d\n\ntype Base struct{}\n\nfunc (b *Base) ⟨D3⟩NAME() {}\n\n"
        "type Caller interface {\n\t⟨D4⟩NAME()\n}\n\nfunc Typed(b *Base, c Caller) {\n\tb.⟨C3⟩NAME()\n"
        "\tc.⟨C4~3⟩NAME()\n}\n",
        "h/h.go": "package h\n\ntype Made struct{}\n\nfunc (m *Made) ⟨D5⟩NAME() {}\n\ntype Asked interface {\n"
        "\t⟨D6⟩NAME()\n}\n\n"
        "type Held struct {\n\tm *Made\n\tms []Asked\n}\n\nfunc Make() *Made { return &Made{} }\n\n"
        "func Twelfth(h Held) {\n\tvar a Made\n\ta.⟨C5⟩NAME()\n\tb := Make()\n\tb.⟨C5⟩NAME()\n\tMake().⟨C5⟩NAME()\n"
        "\th.m.⟨C5⟩NAME()\n\tfor _, x := range h.ms {\n\t\tx.⟨C6~5⟩NAME()\n\t}\n\tAsked(b).⟨C6~5⟩NAME()\n"
        "\th.ms[0].⟨C6~5⟩NAME()\n}\n",
        "e/e.go": "package e\n\ntype Data struct {\n\t⟨X⟩NAME int\n}\n\nfunc Ninth() int {\n"
        "\td := Data{⟨X⟩NAME: 1}\n\treturn d.⟨X⟩NAME\n}\n",
        "f/f.go": 'package f\n\nimport "text/template"\n\nfunc Tenth() { template.⟨X⟩NAME() }\n',
        "g/g.go": 'package g\n\nimport . "ex.com/m/a"\n\nfunc Last() { ⟨C1⟩NAME() }\n',
    },
)
RUST = (
    {
        "Cargo.toml": '[package]\nname = "m"\n',
        "src/a.rs": "pub fn ⟨D1⟩NAME() -> i32 { 1 }\npub fn first() -> i32 {\n    // Once more.\n"
        "    ⟨C1⟩NAME()\n}\n"
        'pub fn shown() { println!("{}", ⟨C1⟩NAME()); }\n',
        "src/b.rs": "pub fn ⟨D2⟩NAME(x: i32) -> i32 { x }\npub fn second() -> i32 { ⟨C2⟩NAME(2) }\n",
    },
    {
        "src/c.rs": "use crate::a::⟨U1⟩NAME;\npub fn third() -> i32 { ⟨C1⟩NAME() }\n",
        "src/d.rs": "use crate::b::⟨U2⟩NAME as other;\npub fn fourth() -> i32 { other(1) }\n",
        "src/e.rs": "use crate::a::⟨U1⟩NAME;\npub fn fifth(⟨X⟩NAME: i32) -> i32 { ⟨X⟩NAME }\n"
        "pub fn sixth() -> i32 {\n    let ⟨X⟩NAME = 3;\n    ⟨X⟩NAME\n}\n",
        "src/f.rs": "pub fn seventh() {\n    crate::b::⟨C2⟩NAME(1);\n    super::a::⟨C1⟩NAME();\n}\n",
        "src/g.rs": "pub struct Base {}\nimpl Base { pub fn ⟨D3⟩NAME(&self) {} }\n"
        "pub trait Caller { fn ⟨D4⟩NAME(&self); }\n"
        "pub struct Other {}\nimpl Caller for Other { fn ⟨D5⟩NAME(&self) {} }\n"
        "pub fn typed(b: &Base, c: &dyn Caller) {\n    b.⟨C3⟩NAME();\n    c.⟨C4~5⟩NAME();\n}\n",
        "src/l.rs": "pub struct Made {}\nimpl Made {\n    pub fn make() -> Self { Made {} }\n"
        "    pub fn ⟨D8⟩NAME(&self) {}\n}\n"
        "pub struct Held { m: Made, ms: Vec<Made> }\n"
        "pub fn twelfth(h: &Held) {\n    let a = Made {};\n    a.⟨C8⟩NAME();\n    let b: Made = Made::make();\n"
        "    b.⟨C8⟩NAME();\n"
        "    Made::make().⟨C8⟩NAME();\n    h.m.⟨C8⟩NAME();\n    for x in &h.ms { x.⟨C8⟩NAME(); }\n"
        "    h.ms[0].⟨C8⟩NAME();\n}\n",
        "src/h.rs": "pub fn eighth() { hyper::upgrade::⟨X⟩NAME(1); }\n",
        "src/i.rs": "pub struct Data { pub ⟨D6⟩NAME: i32 }\npub fn ninth(d: Data) -> i32 {\n"
        "    let e = Data { ⟨U6⟩NAME: 1 };\n    let Data { ⟨U6⟩NAME } = e;\n    d.⟨U6⟩NAME\n}\n",
        "src/j.rs": "use crate::a::*;\npub fn tenth() -> i32 { ⟨C1⟩NAME() }\n",
        "src/k.rs": "pub enum State { ⟨D7⟩NAME, Rest }\npub fn last() -> State { State::⟨U7⟩NAME }\n",
    },
)
JAVA = (
    {
        "p/A.java": "package p;\npublic class A {\n  public static int ⟨D1⟩NAME() { return 1; }\n"
        "  static int first() {\n"
        "    // Once more.\n    return ⟨C1⟩NAME();\n  }\n}\n",
        "q/B.java": "package q;\npublic class B {\n  public static int ⟨D2⟩NAME(int x) { return x; }\n"
        "  static int second() { return ⟨C2⟩NAME(2); }\n}\n",
    },
    {
        "p/C.java": "package p;\nclass C {\n  int third() { return A.⟨C1⟩NAME(); }\n}\n",
        "r/D.java": "package r;\nimport q.B;\nclass D {\n"
        "  int fourth() { return B.⟨C2⟩NAME(1) + p.A.⟨C1⟩NAME(); }\n}\n",
        "r/E.java": "package r;\nimport static p.A.⟨U1⟩NAME;\nclass E {\n  int fifth() { return ⟨C1⟩NAME(); }\n}\n",
        "r/F.java": "package r;\nclass F {\n  int sixth(int ⟨X⟩NAME) { return ⟨X⟩NAME; }\n"
        "  int seventh() { int ⟨X⟩NAME = 3; return ⟨X⟩NAME; }\n}\n",
        "r/Base.java": "package r;\npublic class Base {\n  int ⟨D3⟩NAME() { return 0; }\n"
        "  int go() { return this.⟨C3~4⟩NAME() + ⟨C3~4⟩NAME(); }\n}\n"
        "class Sub extends Base {\n  int ⟨D4⟩NAME() { return super.⟨C3⟩NAME(); }\n}\n"
        "class Typed {\n  void typed(Base x, Sub y) { x.⟨C3~4⟩NAME(); y.⟨C4⟩NAME(); }\n}\n",
        "r/Caller.java": "package r;\ninterface Caller { int ⟨D5⟩NAME(); }\n"
        "class Told implements Caller { public int ⟨D6⟩NAME() { return 1; } }\n"
        "class Asks { int asks(Caller c) { return c.⟨C5~6⟩NAME(); } }\n",
        "r/Data.java": "package r;\nclass Data {\n  int ⟨D7⟩NAME = 1;\n"
        "  int ninth(Data d) { return d.⟨U7⟩NAME + this.⟨U7⟩NAME; }\n}\n",
        "r/Made.java": "package r;\nimport java.util.List;\nclass Made {\n  int ⟨D9⟩NAME() { return 0; }\n"
        "  static Made make() { return new Made(); }\n}\nclass Other extends Made {\n"
        "  int ⟨D10⟩NAME() { return 1; }\n}\n"
        "class Held {\n  Made m = new Made();\n  List<Made> ms;\n  void twelfth() {\n    Made a = new Other();\n"
        "    a.⟨C9~10⟩NAME();\n"
        "    var b = new Made();\n    b.⟨C9⟩NAME();\n    Made.make().⟨C9~10⟩NAME();\n    m.⟨C9~10⟩NAME();\n"
        "    for (Made x : ms) x.⟨C9~10⟩NAME();\n    ms.get(0).⟨C9~10⟩NAME();\n    this.m.⟨C9~10⟩NAME();\n  }\n}\n",
        "r/Lib.java": "package r;\nimport com.lib.Thing;\nclass Lib {\n  int tenth() { return Thing.⟨X⟩NAME(); }\n}\n",
        "r/Wild.java": "package r;\nimport com.lib.Thing;\nclass Middle extends Thing {\n"
        "  int ⟨D8⟩NAME() { return 1; }\n}\n"
        "class Wild extends Middle {\n  int going() { return ⟨C8⟩NAME(); }\n}\n",
    },
)
C = (
    {
        "a.h": "int ⟨D1⟩NAME(void);\n",
        "a.c": '#include "a.h"\nint ⟨D1⟩NAME(void) { return 1; }\nint first(void) {\n  /* Once more. */\n'
        "  return ⟨C1⟩NAME();\n}\n",
        "b.c": "static int ⟨D2⟩NAME(int x) { return x; }\nint second(void) { return ⟨C2⟩NAME(2); }\n",
    },
    {
        "c.c": '#include "a.h"\nint third(void) { return ⟨C1⟩NAME(); }\n',
        "d.c": '#include "a.h"\nint fourth(void) { int (*f)(void) = ⟨U1⟩NAME; return f(); }\n',
        "e.c": '#include "a.h"\nint fifth(int ⟨X⟩NAME) { return ⟨X⟩NAME; }\n'
        "int sixth(void) {\n  int ⟨X⟩NAME = 3;\n  return ⟨X⟩NAME;\n}\n",
        "f.c": "struct data { int ⟨D3⟩NAME; };\n"
        "int seventh(struct data *d, struct data e) { return d->⟨U3⟩NAME + e.⟨U3⟩NAME; }\n",
        "g.h": "typedef enum {\n  ⟨D4⟩NAME,\n  ST_B\n} state_t;\n",
        "g.c": '#include "g.h"\nint eighth(state_t s) { return s == ⟨U4⟩NAME; }\n',
        "h.h": "struct conn {\n  int q;\n#define ⟨D5⟩NAME(c) ((c)->q)\n};\n",
        "h.c": '#include "h.h"\nint ninth(struct conn *c) { return ⟨C5⟩NAME(c); }\n',
        "i.h": "struct q { enum { ⟨D6⟩NAME, ST_C } x; int n; };\n",
        "i.c": '#include "i.h"\nint tenth(struct q *s) { return s->x == ⟨U6⟩NAME; }\n',
    },
)
CPP = (
    {
        "a.hpp": "namespace one { inline int ⟨D1⟩NAME() { return 1; } }\n",
        "b.hpp": "namespace two { inline int ⟨D2⟩NAME() { return 2; } }\n",
        "use.cpp": '#include "a.hpp"\n#include "b.hpp"\nint first() {\n  // Once more.\n'
        "  return one::⟨C1⟩NAME() + two::⟨C2⟩NAME();\n}\n",
    },
    {
        "c.cpp": '#include "a.hpp"\nnamespace one { int third() { return ⟨C1⟩NAME(); } }\n',
        "d.cpp": '#include "a.hpp"\nusing namespace one;\nint fourth() { return ⟨C1⟩NAME(); }\n',
        "e.cpp": '#include "a.hpp"\nint fifth(int ⟨X⟩NAME) { return ⟨X⟩NAME; }\n'
        "int sixth() { int ⟨X⟩NAME = 3; return ⟨X⟩NAME; }\n",
        "f.hpp": "class Base {\n public:\n  virtual int ⟨D3⟩NAME() { return 0; }\n"
        "  int go() { return ⟨C3~4⟩NAME(); }\n};\n"
        "class Sub : public Base {\n public:\n  int ⟨D4⟩NAME() override { return Base::⟨C3⟩NAME(); }\n};\n",
        "f.cpp": '#include "f.hpp"\nint typed(Base *x, Sub &y) { return x->⟨C3~4⟩NAME() + y.⟨C4⟩NAME(); }\n',
        "j.cpp": "struct Made {\n  int ⟨D8⟩NAME() { return 0; }\n};\nMade make() { return Made(); }\n"
        "struct Held { Made m; Made *p; };\n"
        "int twelfth(Held *h) {\n  Made a;\n  auto b = make();\n"
        "  return a.⟨C8⟩NAME() + b.⟨C8⟩NAME() + make().⟨C8⟩NAME() + h->m.⟨C8⟩NAME() + h->p->⟨C8⟩NAME();\n}\n",
        "g.hpp": "enum Plain { ⟨D5⟩NAME, REST };\n",
        "g.cpp": '#include "g.hpp"\nint eighth(int s) { return s == ⟨U5⟩NAME; }\n',
        "h.hpp": "enum class Strict { ⟨D6⟩NAME, REST };\n",
        "h.cpp": '#include "h.hpp"\nStrict ninth() { return Strict::⟨U6⟩NAME; }\n',
        "i.hpp": "class Holder {\n public:\n  enum Kind { ⟨D7⟩NAME, REST };\n  int own() { return ⟨U7⟩NAME; }\n};\n",
        "i.cpp": '#include "i.hpp"\nint tenth() { return Holder::⟨U7⟩NAME; }\n',
    },
)

LANGUAGES = {
    "python": PYTHON,
    "typescript": TYPESCRIPT,
    "javascript": JAVASCRIPT,
    "go": GO,
    "rust": RUST,
    "java": JAVA,
    "c": C,
    "cpp": CPP,
}
_NAMES = ("settle", "spot_on", "update", "run", "kept")


def program(language: str, seed: int) -> Program:
    """A program of a language, by a number: which parts it has, and how the name is written; 0 has them all."""
    chance = random.Random(f"{language}-{seed}")
    name = chance.choice(_NAMES)
    made = Program(name.capitalize() if language == "go" else name)
    always, more = LANGUAGES[language]
    stems = sorted({path.rpartition(".")[0] for path in more})
    kept = set(stems if not seed else chance.sample(stems, chance.randint(2, len(stems) - 1)))
    for path, text in {
        **always,
        **{path: text for path, text in more.items() if path.rpartition(".")[0] in kept},
    }.items():
        made.add(path, "\n" * chance.randint(0, 2) + text if path.endswith((".py", ".ts", ".js", ".c")) else text)
    if language == "rust":
        modules = sorted(path[4:-3] for path in made.files if path.startswith("src/"))
        made.add("src/lib.rs", "".join(f"pub mod {each};\n" for each in modules))
    return made
