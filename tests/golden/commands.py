"""The commands whose outputs are kept, by the file that keeps them. Each is run with `--json` and without."""

COMMANDS = {
    "search": """
        search 'how are stale leases taken over'
        search 'how are stale leases taken over' -k 2
        search 'how are stale leases taken over' --mode code
        search 'how are stale leases taken over' --mode docs
        search 'how are stale leases taken over' --mode symbol
        search 'what does a berth cost' --explain -k 3
        search Lease
        search Lease --mode symbol -k 3
        search Lease.release
        search take_over --no-sync
        search is_stale --lang python -k 3
        search 'Lease lang:python path:src/ -path:desk' -k 3
        search 'kind:class Lease' -k 3
        search price --path 'src/**'
        search 'level of the water' --lang go
        search row --lang typescript --lang javascript -k 4
        search 'crane weight' --budget 300
        search --related src/harbour/lease.py:38 -k 3
        search lease --root . --root ../other -k 4
        search release --all -k 4
        search 'zebra crossing quantum' -k 2
        search lease ops
        search
        search ''
        search lease -k 0
        search lease -k 9999
        search lease --mode none
        search lease --lang klingon
        search lease ../nowhere
        search 'kind:nothing lease'
        search --related src/harbour/nothing.py:1
        search --related src/harbour/lease.py:9999
        search lease --budget 0
    """,
    "lines": """
        search --literal 'lease.release()'
        search --literal lease -k 3
        search --literal LEASE -i -k 5
        search --literal 'no such text'
        search --regex 'def \\w+_over'
        search --regex '^class \\w+' --lang python
        search --regex 'release|depart' --path 'src/**'
        search --literal lease --all -k 6
        search --regex '('
        search --regex 'a' --literal
        search --literal ''
        search --literal lease --budget 100
    """,
    "symbol": """
        symbol Lease
        symbol Lease.release
        symbol release
        symbol release -k 1
        symbol is_stale
        symbol take_over
        symbol src/harbour/desk.py:10
        symbol src/harbour/desk.py:10:12
        symbol Board
        symbol format
        symbol Level
        symbol Lift
        symbol weight
        symbol Yard
        symbol blink
        symbol deploy
        symbol Lease --all
        symbol Lease --root . --root ../other
        symbol take_over --no-sync
        symbol nothing_of_that_name
        symbol ''
        symbol Lease -k 0
        symbol src/harbour/nothing.py:3
        symbol src/harbour/lease.py:9999
        symbol Lease ../nowhere
    """,
    "refs": """
        refs Lease
        refs Lease -k 2
        refs Lease.release
        refs release
        refs src/harbour/lease.py:38
        refs src/harbour/lease.py:28:9
        refs now
        refs TERM_SECONDS
        refs price
        refs format
        refs Row
        refs Board.draw
        refs Next
        refs weight
        refs blink
        refs depart --no-sync
        refs release --all
        refs nothing_of_that_name
        refs README.md:1
        refs src/harbour/lease.py:2
        refs Lease -k 3000
    """,
    "calls": """
        callers now
        callers now --depth 3
        callers Lease.release
        callers release
        callers take_over --both
        callers src/harbour/lease.py:38
        callers format
        callers weight
        callers Next
        callers now --depth 3 --nodes 2
        callers now --depth 2 --fan-out 1
        callers now --depth 2 --dot
        callers now --depth 2 --mermaid
        callers nothing_of_that_name
        callers now --depth 11
        callers TERM_SECONDS
        callees arrive
        callees arrive --depth 3
        callees depart_all --depth 2
        callees Board.changed
        callees start --depth 2 --notes 0
        callees Lease
        callees blink
        callees arrive --dot
        callees nothing_of_that_name
    """,
    "outline": """
        outline src/harbour/lease.py
        outline src/harbour/lease.py --symbol Lease
        outline src/harbour/lease.py --symbol Lease.release
        outline src/harbour/lease.py --symbol nothing
        outline src/harbour/lease.py --budget 60
        outline web/board.ts
        outline tide/tide.go
        outline crane/src/lib.rs
        outline yard/src/main/java/yard/Yard.java
        outline buoy/buoy.c
        outline README.md
        outline ops/ship.sql
        outline pyproject.toml
        outline debug.log
        outline .env
        outline src/harbour/nothing.py
        outline src
        outline ../other/pier.py
    """,
    "map": """
        map
        map --budget 200
        map --budget 20
        map --no-sync
        map ../other
        map ../unindexed
        map --budget 0
    """,
    "imports": """
        imports src/harbour/lease.py
        imports src/harbour/desk.py
        imports src/harbour/__init__.py
        imports web/board.ts
        imports web/format.ts
        imports crane/src/lib.rs
        imports tide/tide.go
        imports buoy/buoy.c
        imports src/harbour/desk.py --dot
        imports src/harbour/desk.py --mermaid
        imports src/harbour/nothing.py
        imports README.md
    """,
    "tests": """
        tests
        tests --since v1 --plain
        tests --names take_over
        tests src/harbour/clock.py:6
        tests src/harbour/lease.py --weak --limit 1
        tests --since nothing
    """,
    "unused": """
        unused
        unused --exported --limit 3
        unused --plain
    """,
    "impact": """
        impact
        impact --since v1
        impact --since v2 --depth 1
        impact src/harbour/lease.py
        impact src/harbour/clock.py --depth 3
        impact web/format.ts
        impact --dot
        impact --mermaid
        impact --since nothing
        impact src/harbour/nothing.py
        impact --depth 11
        impact --root ../other
    """,
    "slice": """
        slice src/harbour/lease.py:23 age
        slice src/harbour/lease.py:23 limit
        slice src/harbour/tariff.py:8 total
        slice web/board.ts:21 board
        slice buoy/buoy.c:6 done
        slice src/harbour/lease.py:23 nothing
        slice src/harbour/lease.py:1 age
        slice src/harbour/nothing.py:1 age
        slice src/harbour/lease.py age
        slice README.md:1 Harbour
    """,
    "read": """
        read src/harbour/clock.py
        read src/harbour/lease.py:12-18
        read src/harbour/lease.py:40-99
        read src/harbour/lease.py:9-3
        read src/harbour/lease.py --max-bytes 60
        read README.md
        read .env
        read logo.png
        read src
        read src/harbour/nothing.py
        read ../other/pier.py
        read ../unindexed/a.py
        read src/harbour/clock.py --session nothing
    """,
    "rename": """
        rename src/harbour/lease.py:22:9 elapsed
        rename src/harbour/tariff.py:8:5 amount --plan
        rename src/harbour/lease.py:38:5 acquire
        rename src/harbour/lease.py:28:9 give_back
        rename web/board.ts:21:9 shown
        rename src/harbour/lease.py:22:9 'not a name'
        rename src/harbour/lease.py:22:9 class
        rename src/harbour/lease.py:22:9 limit
        rename src/harbour/lease.py:2:1 any
        rename src/harbour/nothing.py:1:1 any
        rename src/harbour/lease.py:22:9
        rename --list
        rename --apply 01ARZ3NDEKTSV4RRFFQ69G5FAV
        rename --undo 01ARZ3NDEKTSV4RRFFQ69G5FAV
        rename --recover
        rename --decide nothing
    """,
    "semantic": """
        contexts
        contexts --states
        contexts --file src/harbour/lease.py
        contexts --file web/board.ts
        contexts --file README.md
        contexts --file nothing.py
        contexts ../other
        contexts ../unindexed
        jobs
        jobs --status failed
        jobs --context python:.
        jobs 01ARZ3NDEKTSV4RRFFQ69G5FAV
        refresh --status nothing
    """,
    "store": """
        status
        status ../other
        status ../unindexed
        status ../nowhere
        health
        audit
        stores
        gc
        compact
        index --dry-run
        index
        index ../unindexed --dry-run
        index /
        symbol Lease ../unindexed
        refs Lease ../unindexed
        nothing
        search --nothing
    """,
}
"""Shell words, one command a line."""
