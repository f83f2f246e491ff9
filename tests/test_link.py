"""The pod link's frames and messages (docs/protocol.md)."""

import random
import re
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware import link

SPECIFICATION = Path(__file__).parent.parent / "docs" / "protocol.md"
VECTORS = [
    (bytes.fromhex(message), bytes.fromhex(frame))
    for message, frame in re.findall(
        r"^\|.*\| `([0-9a-f]+)` \| `([0-9a-f]+)` \|$", SPECIFICATION.read_text(), re.M
    )
]
AWKWARD = st.lists(
    st.one_of(st.integers(0, 6), st.integers(0, 255), st.just(0xFF)), min_size=1, max_size=link.MAX_PAYLOAD
).map(bytes)
"""Messages that are rich in bytes which must not be on the line."""


def stuffed_by_the_book(data: bytes) -> bytes:
    """The specification's words, written down once more and in another way."""
    out = b""
    rest = data + b"\0"
    while rest:
        run = re.match(rb"[^\0-\5]{0,41}", rest, re.S)[0]
        if len(run) == 41:
            out += b"\xfc" + run
            rest = rest[41:]
        else:
            out += bytes([6 + 6 * len(run) + rest[len(run)]]) + run
            rest = rest[len(run) + 1 :]
    return out


def test_vectors_of_the_specification():
    """Each message of docs/protocol.md is that frame, and the frame is that message."""
    assert len(VECTORS) >= 16
    for message, frame in VECTORS:
        assert link.frame(message) == frame
        assert link.Decoder().feed(frame) == [message]


def test_vectors_are_what_they_say():
    """The vectors' messages are read as the specification's table describes them."""
    by_type = {message[0]: message for message, _ in VECTORS if message[0] >= 0x10}
    assert link.parse_table_hello(by_type[link.HELLO]) == (1, 1, 0x1234)
    hello = link.parse_hello(by_type[link.POD_HELLO])
    assert (hello.lowest, hello.highest, hello.nonce, hello.boot) == (1, 1, 0x1234, 0xBEEF)
    assert (hello.pod_id.hex(), hello.newest, hello.status) == ("e66141040331a52c", 7, 1)
    assert (hello.columns, hello.rows, hello.abilities, hello.build) == (128, 64, link.HAS_LAMP, "1a2b3c4d")
    kind, tag, sequence, edge, body = link.parse_order(by_type[link.SHOW])
    assert (kind, tag, sequence, edge) == (link.SHOW, 0x1234 ^ 0xBEEF, 2, 7)
    assert link.parse_windows(body) == [(10, 12, 1, 2, 3)]
    report = link.parse_report(by_type[link.REPORT])
    assert (report.tag, report.last, report.before, report.first, report.queued) == (tag, 200, 255, 65535, 2)
    assert report.status == 8 | link.PANEL_SILENT
    assert report.edges == [(3, True, 84), (0, False, 8)]
    assert link.parse_counts(by_type[link.COUNTS]) == (tag, [3600, 100000, 3, 0, 1, 150000, 12])


@given(AWKWARD)
def test_stuffing_is_as_specified(data):
    """Stuffing equals the specification's, is undone, and costs a byte and one more in 41 at most."""
    stuffed = link.stuff(data)
    assert stuffed == stuffed_by_the_book(data)
    assert link.unstuff(stuffed) == data
    assert len(stuffed) <= len(data) + 1 + len(data) // 41


def test_no_byte_that_a_prompt_obeys_is_in_any_frame():
    """No byte 1 to 5 is in a frame and no zero within it, for messages of every length."""
    chance = random.Random(29)
    for length in range(1, link.MAX_PAYLOAD + 1):
        for low, high in ((0, 5), (0, 255), (3, 8), (250, 255)):
            message = bytes(chance.randint(low, high) for _ in range(length))
            frame = link.frame(message)
            assert frame[0] == frame[-1] == 0
            assert min(frame[1:-1]) >= 6
            assert len(frame) - 2 <= link.MAX_STUFFED
            assert link.Decoder().feed(frame) == [message]


@given(st.binary(max_size=300))
def test_any_bytes_can_be_unstuffed_or_refused(data):
    """Whatever arrives, unstuffing refuses it or gives data whose stuffing it is."""
    plain = link.unstuff(data)
    assert plain is None or link.stuff(plain) == data


@pytest.mark.parametrize("length", [1, 2, 40, 41, 42, 63, 64, 65, 127, 128, 129, 255, 256])
def test_any_split_gives_the_same_messages(length):
    """A stream cut anywhere, into two or into single bytes, gives the same messages."""
    chance = random.Random(length)
    messages = [chance.randbytes(length), bytes(length), b"\xff" * length]
    stream = b"".join(map(link.frame, messages))
    for cut in range(len(stream) + 1):
        decoder = link.Decoder()
        assert decoder.feed(stream[:cut]) + decoder.feed(stream[cut:]) == messages
    decoder = link.Decoder()
    assert [message for byte in stream for message in decoder.feed(bytes([byte]))] == messages
    assert decoder.bad == 0


def test_junk_between_frames_costs_none():
    """A prompt's text, modem commands or 4 KB without an end between two frames damage neither."""
    first, second = b"first message", b"second message"
    for junk in (b"AT\r\nATE1\r\n", b"\r\n>>> ", b"x" * 4096, b"\xff" * 300, b"\1\2\3\4\5"):
        decoder = link.Decoder()
        assert decoder.feed(link.frame(first) + junk + link.frame(second)) == [first, second]
        assert decoder.bad == 1
        one_by_one = link.Decoder()
        stream = link.frame(first) + junk + link.frame(second)
        assert [got for byte in stream for got in one_by_one.feed(bytes([byte]))] == [first, second]


def test_endless_junk_takes_no_memory():
    """Of megabytes without an end the decoder keeps a few hundred bytes, and goes on with the next frame."""
    decoder = link.Decoder()
    for _ in range(1000):
        decoder.feed(b"y" * 1000)
        assert len(decoder.junk) <= link.MAX_PAYLOAD
    assert decoder.feed(link.frame(b"after")) == [b"after"]


def test_any_single_byte_deleted_inserted_or_changed():
    """One byte lost, added or changed anywhere in a stream makes no wrong message, and costs one at most."""
    chance = random.Random(7)
    messages = [
        bytes([number]) + chance.randbytes(length) for number, length in enumerate((12, 64, 40, 9, 45))
    ]
    stream = b"".join(map(link.frame, messages))
    damaged = []
    for place in range(len(stream)):
        damaged.append(stream[:place] + stream[place + 1 :])
        for byte in range(256):
            damaged.append(stream[:place] + bytes([byte]) + stream[place:])
            if byte % 5 == 0:
                damaged.append(stream[:place] + bytes([byte]) + stream[place + 1 :])
    for stream in damaged:
        got = link.Decoder().feed(stream)
        assert set(got) <= set(messages)
        assert len(got) >= len(messages) - 1
        assert got == sorted(got)


def test_crc_is_the_common_one():
    """The checksum behind a message is zip's CRC-32, lowest byte first."""
    data = link.unstuff(link.frame(b"123456789")[1:-1])
    assert data[-4:] == zlib.crc32(b"123456789").to_bytes(4, "little") == bytes.fromhex("2639f4cb")


@given(st.binary(min_size=1, max_size=80))
def test_parsers_refuse_nonsense_quietly(body):
    """Every parser takes any bytes with a good checksum, and gives a message or None."""
    for kind in range(0x10, 0x30):
        message = bytes([kind]) + body
        link.parse_table_hello(message)
        link.parse_hello(message)
        link.parse_report(message)
        link.parse_counts(message)
        if (order := link.parse_order(message)) is not None:
            link.parse_windows(order[4])


@pytest.mark.parametrize(
    "body",
    [
        bytes([0, 0, 0x00]),  # content missing
        bytes([0, 0, 0x00, 1, 2]),  # a byte too many
        bytes([5, 4, 0x00]),  # right of left
        bytes([0, 128, 0x00]) + bytes(129),  # off the screen
        bytes([0, 0, 0x10, 1]),  # bottom above top
        bytes([0, 0, 0x08]) + bytes(9),  # below the screen
    ],
)
def test_windows_that_do_not_fit_are_refused(body):
    """A SHOW with one window that does not fit makes no sense as a whole."""
    assert link.parse_windows(body) is None
    assert link.parse_windows(bytes([0, 0, 0x00, 0xFF]) + body) is None


@given(st.integers(0, 255), st.integers(0, 255), st.integers(0, 255), st.integers(0, 255))
def test_common_version(lowest, highest, ours_lowest, ours_highest):
    """The version agreed on is the highest that both speak; 0 if there is none."""
    both = set(range(lowest, highest + 1)) & set(range(ours_lowest, ours_highest + 1)) - {0}
    assert link.common_version(lowest, highest, ours_lowest, ours_highest) == max(both, default=0)


def test_hello_of_an_unknown_version_is_read_as_far_as_it_never_changes():
    """Of a pod that speaks only another version, versions and id are known, and nothing else is read."""
    other = link.HIGHEST + 1
    message = bytes([link.POD_HELLO, other, other]) + bytes(range(12)) + b"whatever comes"
    hello = link.parse_hello(message)
    assert (hello.lowest, hello.highest, hello.pod_id, hello.columns) == (
        other,
        other,
        bytes(range(4, 12)),
        0,
    )


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.integers(0, 100_000)), max_size=6))
def test_reports_come_back(edges):
    """A report is read as it was written; ages count in two milliseconds and up to 8,190."""
    report = link.Report(tag=1, last=2, before=3, status=4, first=65535, queued=len(edges), edges=edges)
    read = link.parse_report(report.pack())
    assert (read.tag, read.last, read.before, read.status) == (1, 2, 3, 4)
    assert (read.first, read.queued) == (65535, len(edges))
    assert read.edges == [(button, down, min(age, 8190) // 2 * 2) for button, down, age in edges]
