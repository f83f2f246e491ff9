"""A pod on a very bad line, in virtual time: what is pressed is what is told."""

import random

import pytest
from pod_rig import USB, Noise, Rig

BYTE, FRAME = 0.05, 0.10
"""Share of bytes that are lost, doubled, changed or added, and of writes dropped whole, each way."""
PRESSES = 12_500
RUNS = 8


def noisy(seed: int, *, byte: float = BYTE, frame: float = FRAME, pieces: bool = False, **options) -> Rig:
    """A rig on a bad line, once the table has met the pod."""
    seeds = iter(range(2 * seed, 2 * seed + 2))
    rig = Rig(noise=lambda: Noise(next(seeds), byte, frame, pieces=pieces), seed=seed, **options)
    while not rig.link.up:
        rig.run(0.1)
    return rig


def chord(rig: Rig, chance: random.Random) -> list[tuple[int, bool]]:
    """Somebody presses all four buttons, two by two, then lets go in another order; the line works."""
    edges = []
    at, down = rig.now + 0.01, 0
    for pressing in (True, False):
        order = chance.sample(range(4), 4)
        for pair in (sorted(order[:2]), sorted(order[2:])):
            at += chance.uniform(0.001, 0.01)
            for button in pair:
                down ^= 1 << button
                edges.append((button, pressing))
            rig.plans.append((at, down))
        at += 0.045
    rig.run(at - rig.now)
    return edges


def quiet(rig: Rig) -> None:
    """The noise ends."""
    for wire in (rig.to_pod, rig.to_table):
        wire.noise.byte = wire.noise.frame = 0.0


@pytest.mark.parametrize("seed", range(RUNS))
def test_presses_survive_a_very_bad_line(seed):
    """Of 8 × 12,500 presses at 5 % damaged bytes and 10 % dropped frames all are told, once and in order.

    One run paints as well, windows of about 64 bytes. A second after the noise all presses are told, and the
    pod's picture is the wanted one.
    """
    rig = noisy(seed, pieces=seed % 4 == 1)
    chance = random.Random(seed)
    expected = []
    while len(expected) < 2 * PRESSES:
        if seed == 3 and len(expected) % 160 == 0:
            picture = bytearray(rig.link.picture.wanted)
            start = chance.randrange(1024 - 70)
            picture[start : start + 64] = chance.randbytes(64)
            rig.link.picture.wanted = bytes(picture)
        expected += chord(rig, chance)
        while len(rig.pod._queue) > 14:
            rig.run(0.05)
    quiet(rig)
    rig.run(1)
    told = [(button, down) for button, down, _ in rig.edges]
    assert told == expected
    assert rig.pod._dropped == 0
    assert rig.pod.picture == rig.link.picture.wanted
    assert rig.link.bad_frames > PRESSES


@pytest.mark.parametrize("rate", [11_520, USB])
def test_screen_is_right_within_a_second_after_the_noise(rate):
    """However long the noise lasted, and whatever it broke: a second later the whole new picture is there."""
    for seed in range(25):
        rig = noisy(seed, rate=rate, pieces=True)
        chance = random.Random(seed)
        for _ in range(chance.randrange(10)):
            rig.link.picture.wanted = chance.randbytes(1024)
            rig.run(chance.uniform(0.05, 1.0))
        quiet(rig)
        rig.run(1)
        assert rig.pod.picture == rig.link.picture.wanted
        assert rig.link.problem(rig.now) is None


def test_one_per_cent():
    """At 1 % damaged bytes the picture is painted while the noise goes on, too."""
    for seed in range(5):
        rig = noisy(seed, byte=0.01, frame=0.0)
        rig.link.picture.wanted = random.Random(seed).randbytes(1024)
        rig.run(10)
        assert rig.pod.picture == rig.link.picture.wanted


@pytest.mark.parametrize("seed", range(6))
def test_restarts_in_the_noise(seed):
    """Pod and table start anew again and again on a bad line: no press is doubled, none comes out of order.

    What was pressed just before a restart may be lost with it; if the pod's queue was empty, all was told.
    """
    rig = noisy(seed, pieces=True)
    chance = random.Random(seed)
    for _ in range(40):
        rig.edges.clear()
        expected = chord(rig, chance)
        rig.run(chance.choice((0.0, 0.1, 2.5)))
        told = [(button, down) for button, down, _ in rig.edges]
        assert told == expected[: len(told)]
        lasted = len(rig.pod._queue) == 0
        assert told == expected or not lasted
        (rig.start_pod if chance.random() < 0.5 else rig.start_link)()
        while not (rig.link.up and rig.pod.in_session):
            rig.run(0.1)
    quiet(rig)
    rig.link.picture.wanted = chance.randbytes(1024)
    rig.run(1.2)
    assert rig.pod.picture == rig.link.picture.wanted
