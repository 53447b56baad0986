"""Three ways for velocity to carry itself.  Each returns the face velocities after `dt`.

    ∂u/∂t + u·∇u = 0

On the CPU, XLA seldom vectorises a loop that shifts the same array both ways along an axis: what
must look both ways is done in two phases.
"""

from functools import reduce

import jax.numpy as jnp

from koski.core.grid import Grid
from koski.core.phase import phase, renew
from koski.core.stencil import TINY, Flow, above, below, left, right


def conserving(u: Flow, q: Flow, d, dt, grid: Grid) -> Flow:
    """Upwind in the form that conserves momentum, so that bores run at their right speed.

    d̄ ∂u/∂t = − [∂(q̄ û)/∂x + ∂(p̄ û)/∂y − u (∂q̄/∂x + ∂p̄/∂y)]        Stelling & Duinmeijer 2003

    d̄ is the mean depth at the face *after* the flows q moved the water, q̄ and p̄ are the flows
    averaged to the edges of the face's own control volume, and û is upwind of them.  Only what
    flows in counts, as a convex combination of neighbours: no step makes a new extreme.
    """
    k = dt / grid.area
    return Flow(
        carried(u.x, q.x, q.y, d, k, grid, (right, left), (above, below)),
        carried(u.y, q.y, q.x, d, k, grid, (above, below), (right, left)),
    )


def carried(u, q, p, d, k, grid: Grid, along, across):
    """u − k / d̄ · Σ inflow · (u − u upwind) for one kind of face, p what flows across its flow q.

    The halves of all means cancel.  `along` and `across` are the shifts ahead and back.  Flows are
    shifted before they are multiplied: many devices would round a product before a sum, one not.
    """
    (ahead, behind), (aside, opposite) = along, across

    def from_back():
        west = forth(behind(q, grid) + q, u - behind(u, grid))
        south = forth(opposite(p + ahead(p, grid), grid), u - opposite(u, grid))
        return south + west

    def all_in(some):
        east = back(q + ahead(q, grid), ahead(u, grid) - u)
        north = back(p + ahead(p, grid), aside(u, grid) - u)
        return u - k * (some + (east + north)) / deep(d, ahead(d, grid))

    return renew(all_in)(phase(from_back)())


def forth(q, step):
    """What the positive part of a flow carries over a step in velocity."""
    return jnp.maximum(q, 0) * step


def back(q, step):
    """What the negative part of a flow carries over a step in velocity."""
    return jnp.minimum(q, 0) * step


def deep(d0, d1):
    return jnp.maximum(d0 + d1, TINY)


def semi_lagrangian(u: Flow, q: Flow, d, dt, grid: Grid) -> Flow:
    """Look up the velocity where the water came from, bilinearly.   Stam 1999; Kellomäki 2015 §4.3

    Stable at any speed, but it smooths, and loses momentum in bores.
    """
    at_x, at_y = phase(at_faces)(u, grid)
    return Flow(*(phase(trace)(f, x, y, dt, grid)[0] for f, x, y in ((u.x, *at_x), (u.y, *at_y))))


def maccormack(u: Flow, q: Flow, d, dt, grid: Grid) -> Flow:
    """Semi-Lagrangian, there and back, to cancel most of its smoothing.   Selle et al. 2008

    Clamped to the four values it was interpolated from, so that it makes no new extreme.
    """

    def corrected(f, x, y):
        ahead, corners = phase(trace)(f, x, y, dt, grid)
        back, _ = phase(trace)(ahead, -x, -y, dt, grid)
        low, high = reduce(jnp.minimum, corners), reduce(jnp.maximum, corners)
        return jnp.clip(ahead + 0.5 * (f - back), low, high)

    at_x, at_y = phase(at_faces)(u, grid)
    return Flow(corrected(u.x, *at_x), corrected(u.y, *at_y))


def at_faces(u: Flow, grid: Grid):
    """Both velocity components at the x faces, and at the y faces."""
    v = 0.5 * (u.y + right(u.y, grid))
    w = 0.5 * (u.x + left(u.x, grid))
    return (u.x, 0.5 * (v + below(v, grid))), (0.5 * (w + above(w, grid)), u.y)


def trace(f, x, y, dt, grid: Grid):
    """f one step upstream of each point, and the four values that gave it.

    No more than one cell away: `kick` keeps every speed under a cell per step, so the four are
    neighbours and nothing is gathered from afar.
    """
    ax = jnp.minimum(jnp.abs(x) * (dt / grid.cell), 1)
    ay = jnp.minimum(jnp.abs(y) * (dt / grid.cell), 1)
    from_west, from_east = phase(left)(f, grid), phase(right)(f, grid)
    fx = jnp.where(x > 0, from_west, from_east)
    fy = jnp.where(y > 0, below(f, grid), above(f, grid))
    fxy = jnp.where(
        y > 0,
        jnp.where(x > 0, below(from_west, grid), below(from_east, grid)),
        jnp.where(x > 0, above(from_west, grid), above(from_east, grid)),
    )
    near, far = f + ax * (fx - f), fy + ax * (fxy - fy)
    return near + ay * (far - near), (f, fx, fy, fxy)
