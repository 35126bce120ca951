from bench.measure import Row, share, table
from bench.page import merge
from bench.plot import Panel, svg

TITLES = ["Speed", "Store"]


def test_sections_that_were_not_measured_stay_as_they_were() -> None:
    before = merge("# Head", "", TITLES, {"Speed": "old speed", "Store": "old store\n\n### part\n\nrest"})
    after = merge("# Head", before, TITLES, {"Speed": "new speed"})
    assert "new speed" in after
    assert "old speed" not in after
    assert "### part\n\nrest" in after


def test_sections_stand_in_their_order_whatever_was_measured_first() -> None:
    before = merge("# Head", "", TITLES, {"Store": "store"})
    after = merge("# Head", before, TITLES, {"Speed": "speed"})
    assert after.index("## Speed") < after.index("## Store")
    assert merge("# Head", after, TITLES, {}) == after


def test_a_section_that_nothing_measures_stays_behind_the_others() -> None:
    before = merge("# Head", "", ["By hand"], {"By hand": "text"})
    after = merge("# Head", before, TITLES, {"Speed": "speed"})
    assert after.index("## Speed") < after.index("## By hand\n\ntext")


def test_a_row_says_whether_its_bar_holds() -> None:
    assert Row("a", "1", "2", 0.5, 0.5).verdict == "holds"
    assert Row("a", "1", "2", 0.51, 0.5).verdict == "MISSES"
    assert Row("a", "not available", "2", None, 0.5).verdict == "not measured"
    assert Row("a", "1", "2", 0.5).verdict == ""
    assert "| a | 1 | 2 | 0.50 |  |  |" in table([Row("a", "1", "2", 0.5)])


def test_a_share_is_a_value_that_was_seen() -> None:
    values = [float(number) for number in range(100)]
    assert share(values, 0.95) == 95.0
    assert share([3.0], 0.95) == 3.0


def test_the_picture_is_well_formed_and_has_a_point_a_size() -> None:
    from xml.etree import ElementTree

    root = ElementTree.fromstring(svg([1000, 2000], [Panel("one, s", [1.0, 3.0]), Panel("two, ms", [0.0, 0.0])]))
    dots = list(root.iter("{http://www.w3.org/2000/svg}circle"))
    assert len(dots) == 4
    highest = min(float(each.attrib["cy"]) for each in dots[:2])
    assert float(dots[1].attrib["cy"]) == highest
