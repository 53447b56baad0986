"""The page in a real browser: each tool changes the server's world the way it says.

One browser, one page and one small world for all, in order; each test says what it changes.
"""

import av
import numpy as np
import pytest
from PIL import Image

from koski import World

THINGS = ("crate", "log", "boulder", "ball", "car", "gate")


def ground(world: World, x: float, y: float) -> float:
    cell = world.terrain.grid.cell
    return float(world.terrain.b[int(y / cell), int(x / cell)])


def roughness(world: World) -> float:
    """How much neighbours differ in height, squared and summed [m²]."""
    return sum(float((np.diff(world.terrain.b, axis=k) ** 2).sum()) for k in (0, 1))


def test_the_page_shows_every_tool_and_the_world(hands):
    tools = hands.tell("[...document.querySelectorAll('[data-tool]')].map(b => b.dataset.tool)")
    assert set(THINGS) | {"look", "pour", "dig", "grab", "lift", "spring", "remove"} <= set(tools)
    names = "[...document.querySelectorAll('button')].map(b => b.ariaLabel || b.textContent)"
    assert all(hands.tell(names))
    assert hands.tell("koski.app.world.scene") == "pond"
    assert hands.ask(lambda world: world.terrain.grid.nx) == hands.tell("koski.app.world.nx")


def test_the_water_moves(hands):
    came = hands.ask(lambda world: world.volume.came)
    hands.press(lambda world: world.volume.came > came + 5)  # [m³]; the page begins with pouring
    before = hands.tell("({...koski.view.counters, t: koski.app.stats.t})")
    old = hands.pixels()
    hands.see(f"koski.view.counters.states > {before['states'] + 5}")
    hands.see(f"koski.view.counters.drawn > {before['drawn'] + 3}")
    hands.see(f"koski.app.stats.t > {before['t']}")
    assert (np.abs(hands.pixels() - old).max(axis=-1) > 4).mean() > 0.002  # of the picture


def test_pouring_and_raining_bring_water_and_draining_takes_it(hands):
    for tool in ("pour", "rain"):
        came = hands.ask(lambda world: world.volume.came)
        hands.choose(tool)
        hands.press(lambda world, came=came: world.volume.came > came)
    went = hands.ask(lambda world: world.volume.went)
    hands.choose("drain")
    hands.press(lambda world: world.volume.went > went)


def test_digging_raising_and_smoothing_change_the_ground_and_are_undone(hands):
    x, y, _ = hands.spot()
    flat = hands.ask(lambda world: ground(world, x, y))
    hands.choose("dig")
    hands.press(lambda world: ground(world, x, y) < flat - 0.05)
    hands.choose("raise")
    hands.press(lambda world: ground(world, x, y) > flat + 0.3)
    bumpy = hands.ask(roughness)  # the hill hides (x, y): smooth whatever is under the hand now
    hands.choose("smooth")
    hands.press(lambda world: roughness(world) < bumpy - 0.1)
    smooth = hands.ask(lambda world: ground(world, x, y))
    for _ in range(3):
        hands.page.keyboard.press("Control+z")
    hands.until(lambda world: ground(world, x, y) == flat)
    hands.page.keyboard.press("Control+Shift+Z")
    hands.page.keyboard.press("Control+Shift+Z")
    hands.page.keyboard.press("Control+Shift+Z")
    hands.until(lambda world: ground(world, x, y) == smooth)
    for _ in range(3):
        hands.page.keyboard.press("Control+z")
    hands.until(lambda world: ground(world, x, y) == flat)


def test_pushing_moves_the_water_along_the_hand(hands):
    (x0, y0, _), (x1, y1, _) = hands.spot(-40), hands.spot(40)
    along = np.array([x1 - x0, y1 - y0]) / np.hypot(x1 - x0, y1 - y0)

    def drift(world):
        f = world.frame
        mass = np.asarray(f.depth)[..., None]
        return float((mass * np.asarray(f.velocity)).sum(axis=(0, 1)) @ along)

    hands.choose("push")
    x, y = hands.reach(-40)
    before = hands.ask(drift)
    hands.page.mouse.down()
    for k in range(0, 81, 8):
        hands.page.mouse.move(x + k, y)
    hands.until(lambda world: drift(world) > before + 1)
    hands.page.mouse.up()


def test_dye_colours_the_water(hands):
    hands.choose("dye")
    hands.press(lambda world: any(float(c.max()) > 0 for c in world.frame.dyes.values()))


def test_a_spring_and_a_sink_last_until_they_are_removed(hands):
    hands.choose("spring")
    hands.click()
    hands.until(lambda world: [s.discharge > 0 for s in world.springs] == [True])
    hands.see("koski.view.place.marks.springs.visible")
    hands.choose("remove")
    hands.click()
    hands.until(lambda world: not world.springs)
    hands.see("!koski.view.place.marks.springs.visible")
    hands.choose("sink")
    hands.click()
    hands.until(lambda world: [s.discharge < 0 for s in world.springs] == [True])
    hands.choose("remove")  # at once: the page may not have been told of the sink
    hands.click()
    hands.until(lambda world: not world.springs)


def test_time_stops_steps_and_goes_on(hands):
    hands.pause(True)
    t = hands.ask(lambda world: world.t)
    assert hands.ask(lambda world: world.t) == t
    hands.page.keyboard.press(".")
    hands.until(lambda world: world.t > t)
    hands.pause(False)
    hands.page.select_option("[aria-label='Speed of time']", "0.25")
    hands.see("koski.app.stats.speed === 0.25")
    hands.page.select_option("[aria-label='Speed of time']", "1")


def test_another_solver_keeps_the_water(hands):
    before = hands.ask(lambda world: (world.volume.now, world.volume.came, world.volume.went))
    hands.set("Solver", "linear")
    hands.see("koski.app.world.solver === 'linear'")
    after = hands.ask(lambda world: (world.volume.now, world.volume.came, world.volume.went))
    gained = (after[1] - before[1]) - (after[2] - before[2])
    assert after[0] - before[0] == pytest.approx(gained, abs=1e-5 * before[0])  # float32 sums


def test_sliders_turn_the_solver_and_the_rain(hands):
    hands.set("manning", 0.1)
    hands.until(lambda world: abs(float(world.solver.manning) - 0.1) < 1e-6)
    came = hands.ask(lambda world: world.volume.came)
    hands.set("rain", 250)
    hands.until(lambda world: world.volume.came > came)
    hands.set("rain", 0)


def test_overlays_are_asked_for_and_explained(hands):
    hands.page.evaluate("document.querySelector('input[value=raw]').click()")
    hands.see("koski.view.look.overlay === 'raw'")
    hands.see("document.querySelector('.legend .strip') !== null")
    hands.page.evaluate("document.querySelector('input[name=overlay]').click()")


def test_a_saved_world_comes_back(hands, tmp_path):
    with hands.page.expect_download() as info:
        hands.page.evaluate("document.querySelector('[data-act=save]').click()")
    info.value.save_as(tmp_path / "pond.npz")
    saved = World.load(tmp_path / "pond.npz")
    x, y, _ = hands.spot()
    hands.choose("dig")
    hands.press(lambda world: ground(world, x, y) < ground(saved, x, y) - 0.05)
    epoch = hands.tell("koski.app.world.epoch")
    hands.page.set_input_files("input[type=file]", tmp_path / "pond.npz")
    hands.see(f"koski.app.world.epoch > {epoch}")
    b = hands.ask(lambda world: np.asarray(world.terrain.b))
    assert (b == np.asarray(saved.terrain.b)).all()


def test_pictures_and_films_are_kept(hands, tmp_path):
    def kept(act):
        with hands.page.expect_download() as info:
            hands.page.evaluate(f"document.querySelector('[data-act={act}]').click()")
        info.value.save_as(tmp_path / info.value.suggested_filename)
        return tmp_path / info.value.suggested_filename

    states, drawn = hands.tell("[koski.view.counters.states, koski.view.counters.drawn]")
    hands.see(f"koski.view.counters.states > {states + 2}")  # of the world opened last
    hands.see(f"koski.view.counters.drawn > {drawn + 4}")
    with Image.open(kept("camera")) as picture:
        assert picture.format == "PNG" and np.ptp(np.asarray(picture)) > 100
    hands.page.evaluate("document.querySelector('[data-act=record]').click()")
    drawn = hands.tell("koski.view.counters.drawn")
    hands.see(f"koski.view.counters.drawn > {drawn + 8}")
    with av.open(str(kept("record"))) as film:
        assert sum(1 for _ in film.decode(video=0)) > 1


def test_less_motion_is_honoured(hands):
    hands.page.emulate_media(reduced_motion="reduce")
    hands.see("koski.view.look.still")
    hands.page.emulate_media(reduced_motion="no-preference")
    hands.see("!koski.view.look.still")


def test_the_page_comes_back_when_the_connection_was_lost(hands, service):
    opened = hands.tell("koski.link.counters.opened")
    hands.tell(
        """() => {
            const banner = document.querySelector(".banner");
            const all = { subtree: true, childList: true };
            new MutationObserver(() => (window.said += banner.textContent)).observe(banner, all);
            window.said = "";
        }"""
    )
    service.cut()
    hands.see(f"koski.link.counters.opened > {opened} && koski.link.state === 'open'")
    assert "Reconnecting…" in hands.tell("window.said")
    states = hands.tell("koski.view.counters.states")
    hands.see(f"koski.view.counters.states > {states + 2} && koski.app.stats.hand")


def test_a_second_viewer_watches_and_takes_the_tools(hands, address):
    other = hands.page.context.new_page()
    try:
        other.goto(address)
        other.wait_for_selector(".banner button:visible", timeout=90_000)
        assert "You are watching" in other.inner_text(".banner")
        other.click(".banner button")
        hands.see("koski.app.stats.hand", other)
    finally:
        other.close()
    hands.page.bring_to_front()
    hands.see("koski.app.stats.hand")  # back by itself, once nobody has them


def test_a_link_opens_the_same_numbers_and_light(hands, address):
    hands.open(address + "&solver=pipe&knob.manning=0.05&hour=7&water=silt")
    hands.see("koski.app.world.solver === 'pipe'")
    hands.until(lambda world: abs(float(world.solver.manning) - 0.05) < 1e-6)
    assert hands.tell("[koski.view.look.hour, koski.view.look.water]") == [7, "silt"]


def test_the_page_fits_a_phone(hands):
    size = hands.page.viewport_size
    hands.page.set_viewport_size({"width": 375, "height": 812})
    try:
        assert hands.tell("document.documentElement.scrollWidth") <= 375
        parts = "document.querySelectorAll('.clock, .status, .corner, .tools, .brush')"
        boxes = hands.tell(f"[...{parts}].map(e => e.getBoundingClientRect().toJSON())")
        assert all(b["left"] >= 0 and b["right"] <= 375 and b["bottom"] <= 812 for b in boxes)
        hands.page.keyboard.press("p")
        box = hands.tell("document.querySelector('.panel').getBoundingClientRect().toJSON()")
        assert (box["left"], box["width"], box["bottom"]) == (0, 375, 812)  # a sheet from below
        hands.page.keyboard.press("p")
    finally:
        hands.page.set_viewport_size(size)


def test_no_webgl_is_said_in_a_sentence(hands, address):
    other = hands.page.context.new_page()
    try:
        other.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
        other.goto(address)
        assert "WebGL2" in other.inner_text(".stop")
    finally:
        other.close()


@pytest.fixture
def standing(hands, monkeypatch):
    """Stop time: what is dropped needs no program until it moves, and no test waits for those."""
    hands.pause(True)
    monkeypatch.setattr("koski.view.game.form", lambda box: None)
    hands.game._known.add(None)
    yield
    hands.game._known.discard(None)
    hands.pause(False)


def test_things_drop_where_the_hand_is(hands, standing):
    for count, thing in enumerate(THINGS):
        across = 20 * count - 50  # [px]
        x, y, _ = hands.spot(across)
        hands.choose(thing)
        hands.click(across)
        hands.until(lambda world, count=count: len(world.bodies) == count + 1)
        place = hands.ask(lambda world: world.bodies[-1].position)
        assert np.hypot(place[0] - x, place[1] - y) < 0.1  # [m]
    hands.see(f"koski.app.stats.bodies === {len(THINGS)}")
    hands.page.evaluate("document.querySelector('[data-act=remove]').click()")
    hands.until(lambda world: not world.bodies)


def test_a_crate_is_grabbed_a_gate_lifted_and_both_are_removed(hands, standing):
    for thing, across in (("crate", -60), ("gate", 60)):  # [px]
        hands.choose(thing)
        hands.click(across)
    hands.until(lambda world: len(world.bodies) == 2)
    start = hands.ask(lambda world: [body.position for body in world.bodies])
    crate, gate = hands.ask(lambda world: [body.key for body in world.bodies])
    hands.choose("lift")
    hands.drag(gate, (0, -40), lambda w: w.bodies[1].position[2] > start[1][2] + 0.3)
    hands.choose("grab")
    hands.drag(crate, (40, 0), lambda w: abs(w.bodies[0].position - start[0])[:2].max() > 1)
    hands.choose("remove")
    for key in (crate, gate):
        hands.click(*hands.find(key))
        hands.until(lambda world, key=key: key not in [body.key for body in world.bodies])


def test_a_heightmap_dropped_onto_the_page_is_opened(hands):
    epoch = hands.tell("koski.app.world.epoch")
    hands.tell(
        """async () => {
            const canvas = document.createElement("canvas");
            canvas.width = canvas.height = 48;
            const pen = canvas.getContext("2d");
            const shade = pen.createLinearGradient(0, 0, 48, 0);
            shade.addColorStop(0, "black");
            shade.addColorStop(1, "white");
            pen.fillStyle = shade;
            pen.fillRect(0, 0, 48, 48);
            const blob = await new Promise(done => canvas.toBlob(done));
            const files = new DataTransfer();
            files.items.add(new File([blob], "slope.png", { type: "image/png" }));
            dispatchEvent(new DragEvent("drop", { dataTransfer: files }));
        }"""
    )
    hands.see(f"koski.app.world.epoch > {epoch}")
    b = hands.ask(lambda world: np.asarray(world.terrain.b))
    assert b.shape == (48, 48) and b[:, -1].mean() > b[:, 0].mean()


def test_nothing_went_wrong_in_the_console(hands):
    assert hands.errors == []
