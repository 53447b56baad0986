"""The peers compute what koski.Pipe computes; otherwise their times would mean nothing."""

import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

import koski
from koski.bench.peer_numba import kernel, pipe_numba
from koski.bench.peer_numpy import pipe_numpy
from koski.bench.scene import hills


@pytest.mark.parametrize("make", [pipe_numpy, pipe_numba])
@pytest.mark.parametrize("shape", [(96, 96), (37, 70)])
def test_a_peer_agrees_with_pipe_after_fifty_steps_on_hills_partly_dry(make, shape):
    b, d, velocity = (a[: shape[0], : shape[1]] for a in hills(96))
    assert 0.1 < (d == 0).mean() < 0.9
    pipe, terrain, cell = koski.Pipe(), koski.Terrain.create(b, cell=2.0), 2.0
    state = pipe.start(terrain, d, velocity)
    dt = float(pipe.stable_dt(state, terrain))
    arrays = tuple(np.array(a) for a in (state.water.d, state.q.x, state.q.y))
    run = make(np.array(b), dt, cell, pipe.friction)
    peer = run(run(arrays, 25), 25)
    state = koski.advance(pipe, state, terrain, seconds=50 * dt, dt=dt)
    assert int(state.water.steps) == 50
    for ours, theirs in zip((state.water.d, state.q.x, state.q.y), peer):
        # fifty steps of float32 rounding, relative to the largest value
        assert_allclose(theirs, ours, atol=2e-5 * float(abs(ours).max()), rtol=0)


def test_without_numba_the_message_names_the_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(koski.InputError, match=r"pip install 'koski\[bench\]'"):
        kernel.__wrapped__()  # past its cache
