import re
from pathlib import Path

import pytest

from koski import scenes

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]
SHOWN = {page: re.findall(r"!\[[^]]*\]\(([^)]+)\)", page.read_text("utf-8")) for page in PAGES}
PICTURES = sorted(ROOT.glob("docs/pictures/*"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_points_to_is_there(page):
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    lost = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert not lost


def test_every_picture_is_shown_and_small():
    shown = {(page.parent / link).resolve() for page, links in SHOWN.items() for link in links}
    assert [path.name for path in PICTURES if path.resolve() not in shown] == []
    assert [path.name for path in PICTURES if path.stat().st_size > 150_000] == []  # bytes


def test_every_scene_has_its_picture_and_its_words():
    page = (ROOT / "docs/scenes.md").read_text("utf-8")
    for name in scenes.names():
        assert f"## {name}\n\n{scenes.about(name)}\n" in page
        assert f"(pictures/film-{name}.jpg)" in page
