"""The page's server: who may connect, what a socket carries, and what its end lets go."""

import gc
import json
import socket
import struct
import threading
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection

import pytest
from conftest import WAIT_S
from rights import LOW_PORTS, without
from web_table import MemoryTable, noise
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from firmware.errors import UsageError
from firmware.web import server
from firmware.web.wire import FRAME_BYTES, MESSAGE_BYTES


@pytest.fixture
def table():
    """Six seats with pictures of their own."""
    return MemoryTable()


@pytest.fixture
def serving(table, start):
    """The real server on a free port."""
    return start(table.serve())


@contextmanager
def opened(serving, path="/socket", **options):
    """A socket like the page's."""
    origin = f"http://127.0.0.1:{serving.port}"
    with connect(f"ws://127.0.0.1:{serving.port}{path}", origin=origin, **options) as client:
        yield client


def read(client):
    """The next message that says something."""
    while not (message := client.recv(timeout=WAIT_S)):
        pass
    return message


def snapshot(client):
    """Hello, and the first frame of each seat in it."""
    hello = json.loads(read(client))
    return hello, [read(client) for _ in hello["seats"]]


def ask(serving, path="/", method="GET", headers=(), body=None):
    """One request, with exactly these headers besides Host."""
    with closing(HTTPConnection("127.0.0.1", serving.port, timeout=WAIT_S)) as client:
        headers = {"Host": f"127.0.0.1:{serving.port}", **dict(headers)}
        client.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            client.putheader(name, value)
        if body is not None:
            client.putheader("Content-Length", str(len(body)))
        client.endheaders(body)
        answer = client.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()


TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Wire:
    """A socket by hand (RFC 6455 section 5.2): it answers nothing by itself."""

    def __init__(self, serving, path="/socket"):
        self.tcp = socket.create_connection(("127.0.0.1", serving.port), timeout=WAIT_S)
        own = f"127.0.0.1:{serving.port}"
        self.tcp.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {own}\r\nOrigin: http://{own}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
            "AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
        )
        self._stream = self.tcp.makefile("rb")
        assert self._stream.readline().startswith(b"HTTP/1.1 101 ")
        while self._stream.readline() != b"\r\n":
            pass

    def send(self, opcode, payload):
        """Send one frame; its mask of zeros leaves the payload readable."""
        length = len(payload)
        size = bytes((0x80 | length,)) if length < 126 else struct.pack("!BQ", 0xFF, length)
        self.tcp.sendall(bytes((0x80 | opcode,)) + size + bytes(4) + payload)

    def read(self):
        """The next frame: opcode and payload. None at the end of the connection."""
        head = self._stream.read(2)
        if not head:
            return None
        length = head[1]
        if length == 126:
            (length,) = struct.unpack("!H", self._stream.read(2))
        return head[0] & 0x0F, self._stream.read(length)

    def snapshot(self):
        """The frames up to the first ping, and the ping."""
        got = [self.read()]
        while got[-1][0] != PING:
            got.append(self.read())
        return got

    def close(self):
        """End it without a word."""
        self._stream.close()
        self.tcp.close()


# What a socket carries


def test_a_socket_begins_with_everything(serving, table):
    """First hello with the protocol's version and the seats in clockwise order, then one frame a seat: its
    number, its lamp (0 off, 1 lit, 2 none) and its panel's 1024 bytes."""
    table.show(2, lamp=True)
    with opened(serving) as client:
        hello, first = snapshot(client)
    assert hello["protocol"] == 3
    assert hello["seats"] == [{"seat": seat, "label": f"Place {seat}", "pod": False} for seat in range(1, 7)]
    lamps = {1: 0, 2: 1, 3: 0, 4: 2, 5: 0, 6: 0}
    assert first == [bytes((seat, lamps[seat])) + noise(seat) for seat in range(1, 7)]
    assert {len(frame) for frame in first} == {FRAME_BYTES}


def test_afterwards_only_what_changes(serving, table):
    """A changed picture or lamp sends that seat's frame; a seat that looks as before sends nothing."""
    with opened(serving) as client:
        snapshot(client)
        table.show(3, noise("new"))
        assert read(client) == bytes((3, 0)) + noise("new")
        table.show(1, noise(1))
        table.show(5)
        table.show(6, lamp=True)
        assert read(client) == bytes((6, 1)) + noise(6)


def test_changes_from_any_thread_arrive(serving, table):
    """Six threads change six seats many times: the last picture of each arrives."""
    with opened(serving) as client:
        snapshot(client)
        last = {seat: noise(f"last {seat}") for seat in table.seats}

        def change(seat):
            for turn in range(50):
                table.show(seat, noise(f"{seat} {turn}"))
            table.show(seat, last[seat])

        threads = [threading.Thread(target=change, args=[seat]) for seat in table.seats]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seen = {}
        while seen != last:
            frame = read(client)
            seen[frame[0]] = frame[2:]


def test_a_seats_socket_never_carries_another_seat(serving, table):
    """Whatever happens at the table, /seat/3/socket names and shows seat 3 alone."""
    canaries = {seat: noise(f"canary {seat}") for seat in table.seats}
    with opened(serving, "/seat/3/socket") as client:
        hello, first = snapshot(client)
        for seat in table.seats:
            table.show(seat, canaries[seat], lamp=True)
        table.show(3, noise("end"))
        got = [read(client)]
        while got[-1][2:] != noise("end"):
            got.append(read(client))
    assert [place["seat"] for place in hello["seats"]] == [3]
    assert first == [bytes((3, 0)) + noise(3)]
    assert {frame[0] for frame in got} == {3}
    everything = b"".join([json.dumps(hello).encode(), *first, *got])
    for seat in set(table.seats) - {3}:
        assert f"Place {seat}".encode() not in everything
        assert canaries[seat][:16] not in everything
        assert noise(seat)[:16] not in everything


def test_a_slow_page_gets_the_latest_and_no_backlog(serving, table):
    """Two thousand pictures while a page reads nothing: what it gets then is the last one."""
    with closing(Wire(serving)) as wire, opened(serving, "/seat/1/socket") as witness:
        snapshot(witness)
        *_, (_, ping) = wire.snapshot()
        for turn in range(2000):
            table.show(1, noise(turn))
        while read(witness)[2:] != noise(1999):
            pass
        wire.send(PONG, ping)
        assert wire.read() == (BINARY, bytes((1, 0)) + noise(1999))
        assert wire.read()[0] == PING


def test_a_quiet_table_still_says_that_it_is_there(table, start):
    """Where nothing changes an empty message comes every ``alive_s``: a page can tell a dead socket."""
    serving = start(table.serve(ping_s=0.05))
    with opened(serving) as client:
        hello, _ = snapshot(client)
        assert hello["alive_s"] == 0.05
        assert client.recv(timeout=WAIT_S) == ""


# What a page does


def test_press_and_release_arrive(serving, table):
    """Each button of each seat can be pressed and released, by name."""
    with opened(serving) as client:
        for seat in table.seats:
            for button in ("left", "right", "mark", "play"):
                client.send(f"press {seat} {button}")
                client.send(f"release {seat} {button}")
                assert table.next_edges(2) == [(seat, button, True), (seat, button, False)]


def test_a_seats_socket_presses_its_own_buttons_only(serving, table):
    """On /seat/2/socket seat 2's button is pressed, seat 3's ends the socket."""
    with opened(serving, "/seat/2/socket") as client:
        client.send("press 2 play")
        assert table.next_edges(1) == [(2, "play", True)]
        client.send("press 3 play")
        assert table.next_edges(1) == [(2, "play", False)]
        assert end_of(client) == (1008, "this socket has no such seat")
    assert table.edges.empty()


def test_repeated_downs_are_one_press(serving, table):
    """Thirty times down without an up between is one press."""
    with opened(serving) as client:
        for _ in range(30):
            client.send("press 1 mark")
        client.send("release 1 mark")
        client.send("press 1 play")
        assert table.next_edges(3) == [(1, "mark", True), (1, "mark", False), (1, "play", True)]


def test_two_tabs_on_one_button(serving, table):
    """A button that two tabs hold is up when the last one lets go, be it by closing."""
    with opened(serving) as one:
        with opened(serving) as two:
            one.send("press 1 left")
            assert table.next_edges(1) == [(1, "left", True)]
            two.send("press 1 left")
            two.send("press 1 right")
            assert table.next_edges(1) == [(1, "right", True)]
            one.send("release 1 left")
            one.send("press 1 mark")
            assert table.next_edges(1) == [(1, "mark", True)]
        assert sorted(table.next_edges(2)) == [(1, "left", False), (1, "right", False)]


def closes(wire):
    """The page closes its socket in due form."""
    wire.send(CLOSE, struct.pack("!H", 1001))


def closes_and_stays(wire):
    """As above, but behind other messages, and the TCP connection stays open."""
    wire.send(TEXT, b"press 1 left")
    wire.send(CLOSE, struct.pack("!H", 1001))


def vanishes(wire):
    """The TCP connection is reset."""
    wire.tcp.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    wire.close()


def ends(wire):
    """The TCP connection ends without a closing frame."""
    wire.tcp.shutdown(socket.SHUT_WR)


def shouts(wire):
    """A message that is too long."""
    wire.send(TEXT, b"x" * 70)


def lies(wire):
    """A frame that no client sends: it is not masked."""
    wire.tcp.sendall(b"\x81\x01x")


@pytest.mark.parametrize(
    "leave", [closes, closes_and_stays, vanishes, ends, shouts, lies], ids=lambda how: how.__name__
)
def test_whoever_leaves_lets_go(serving, table, leave):
    """However a socket ends, and though its other end goes on standing there, its buttons are up in 1 s."""
    wire = Wire(serving)
    wire.send(TEXT, b"press 1 left")
    wire.send(TEXT, b"press 2 play")
    assert table.next_edges(2) == [(1, "left", True), (2, "play", True)]
    leave(wire)
    assert sorted(table.edges.get(timeout=1) for _ in range(2)) == [(1, "left", False), (2, "play", False)]
    wire.close()


def test_a_press_just_before_the_end_does_not_stay(serving, table):
    """A press that is read after its socket has said goodbye is released at once."""
    with closing(Wire(serving)) as wire:
        goodbye = struct.pack("!BB4xH", 0x88, 0x82, 1001)
        wire.tcp.sendall(b"\x81\x8c" + bytes(4) + b"press 1 left" + goodbye)
        assert [table.edges.get(timeout=1) for _ in range(2)] == [(1, "left", True), (1, "left", False)]


def end_of(client):
    """How the server ended a socket: code and reason."""
    with pytest.raises(ConnectionClosed) as closed:
        drain(client)
    assert closed.value.rcvd is not None
    return closed.value.rcvd.code, closed.value.rcvd.reason


def drain(client):
    """Read to the end."""
    while True:
        client.recv(timeout=WAIT_S)


NONSENSE = [
    ("", 1008),
    ("press", 1008),
    ("press 1", 1008),
    ("press 1 left now", 1008),
    ("press  1 left", 1008),
    (" press 1 left", 1008),
    ("press 1 left\n", 1008),
    ("PRESS 1 left", 1008),
    ("press 0 left", 1008),
    ("press 7 left", 1008),
    ("press 01 left", 1008),
    ("press +1 left", 1008),
    ("press \u0661 left", 1008),
    ("press 1 Left", 1008),
    ("press 1 __class__", 1008),
    ("hold 1 left", 1008),
    ('{"press": 1}', 1008),
    ("<script>alert(1)</script>", 1008),
    ("\0" * MESSAGE_BYTES, 1008),
    (b"", 1008),
    (b"press 1 left", 1008),
    (bytes(range(60)), 1008),
    ("x" * (MESSAGE_BYTES + 1), 1009),
    ("x" * 1_000_000, 1009),
]


@pytest.mark.parametrize(("message", "code"), NONSENSE, ids=lambda value: ascii(value)[:24])
def test_nonsense_ends_its_socket_with_a_reason_only(serving, table, message, code):
    """What no page says ends the socket that said it, with a reason that repeats none of it; others go on."""
    with opened(serving) as other, opened(serving) as client:
        client.send(message)
        got, reason = end_of(client)
        assert got == code
        assert reason
        text = message if isinstance(message, str) else message.decode("latin-1")
        assert len(text) < 8 or text not in reason
        other.send("press 1 left")
        assert table.next_edges(1) == [(1, "left", True)]


def test_text_that_is_no_text_ends_its_socket(serving):
    """A text message that is not UTF-8 is refused (RFC 6455 section 8.1)."""
    with closing(Wire(serving)) as wire:
        wire.send(TEXT, b"\xff\xfe")
        while (frame := wire.read())[0] != CLOSE:
            pass
        assert struct.unpack("!H", frame[1][:2]) == (1007,)


def test_a_half_open_socket_is_dropped(table, start, monkeypatch):
    """A socket that answers no ping is ended, its buttons go up: within 30 s with the server's own times."""
    assert 2 * server.PING_S + server.CLOSE_S < 30
    monkeypatch.setattr(server, "CLOSE_S", 0.1)
    serving = start(table.serve(ping_s=0.05))
    with closing(Wire(serving)) as wire:
        wire.send(TEXT, b"press 1 left")
        assert table.next_edges(2) == [(1, "left", True), (1, "left", False)]


# Who may connect

FOREIGN_HOSTS = [
    "",
    "evil.example",
    "127.0.0.1",
    "127.0.0.1:1{port}",
    "127.0.0.1:{port}0",
    "127.0.0.1:{port}@evil.example",
    "127.0.0.1.evil.example:{port}",
    "evil-127.0.0.1:{port}",
    "1127.0.0.1:{port}",
    "127.0.0.2:{port}",
    "localhost",
    "localhost.:{port}",
    "localhost.evil.example:{port}",
    "evillocalhost:{port}",
    "[::2]:{port}",
    "0.0.0.0:{port}",
]
OWN_HOSTS = ["127.0.0.1:{port}", "localhost:{port}", "LocalHost:{port}", "[::1]:{port}"]


@pytest.mark.parametrize("path", ["/", "/seat/1", "/page.js", "/nowhere", "/socket", "/seat/1/socket"])
@pytest.mark.parametrize("host", FOREIGN_HOSTS)
def test_a_foreign_host_is_refused(serving, host, path):
    """A request that was meant for another name, or for one that looks like ours, gets 403 and no more."""
    host = host.format(port=serving.port)
    status, _, body = ask(serving, path, headers={"Host": host, **UPGRADE, "Origin": f"http://{host}"})
    assert (status, body) == (403, b"The Host of this request is not this server.\n")


@pytest.mark.parametrize("host", OWN_HOSTS)
def test_our_own_names_are_served(serving, host):
    """The page and its socket are served under each name of this computer's own, with that name's Origin."""
    host = host.format(port=serving.port)
    assert ask(serving, headers={"Host": host})[0] == 200
    assert ask(serving, headers={"Host": host, "Origin": f"http://{host}"})[0] == 200
    assert ask(serving, "/socket", headers={"Host": host, **UPGRADE, "Origin": f"http://{host}"})[0] == 101


UPGRADE = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
}
FOREIGN_ORIGINS = [
    "",
    "null",
    "http://evil.example",
    "http://evil.example:{port}",
    "https://127.0.0.1:{port}",
    "127.0.0.1:{port}",
    "http://127.0.0.1",
    "http://127.0.0.1:{port}0",
    "http://127.0.0.1:1{port}",
    "http://127.0.0.1:{port}/",
    "http://127.0.0.1:{port}.evil.example",
    "http://127.0.0.1.evil.example:{port}",
    "http://evil127.0.0.1:{port}",
    "http://127.0.0.1:{port}@evil.example",
    "http://localhost:{port}",
    "http://[::1]:{port}",
    "chrome-extension://abcdef",
]


@pytest.mark.parametrize("path", ["/", "/page.js", "/socket", "/seat/1/socket"])
@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
def test_a_foreign_origin_is_refused(serving, origin, path):
    """A page of another origin, or of one that looks like ours, gets 403, and no socket opens for it."""
    origin = origin.format(port=serving.port)
    status, _, body = ask(serving, path, headers={**UPGRADE, "Origin": origin})
    assert (status, body) == (403, b"The Origin of this request is not this server.\n")


def test_a_socket_needs_an_origin(serving):
    """A browser always names the page that opens a socket: without an Origin it is refused."""
    with pytest.raises(InvalidStatus, match="403"), connect(f"ws://127.0.0.1:{serving.port}/socket"):
        pass


def test_two_hosts_or_origins_are_refused(serving):
    """A request with a second Host or Origin is refused whichever of them is ours."""
    own = f"127.0.0.1:{serving.port}"
    for extra in (f"Host: {own}", "Host: evil.example", f"Origin: http://{own}\r\nOrigin: http://{own}"):
        with closing(socket.create_connection(("127.0.0.1", serving.port), timeout=WAIT_S)) as wire:
            wire.sendall(f"GET / HTTP/1.1\r\nHost: {own}\r\n{extra}\r\n\r\n".encode())
            assert wire.makefile("rb").readline() == b"HTTP/1.1 403 Forbidden\r\n"


def test_an_address_that_was_reached_is_ours(table, start):
    """A server told to listen everywhere serves under the address that it was reached at, and no other."""
    serving = start(table.serve(host="0.0.0.0"))
    assert serving.address == f"http://127.0.0.1:{serving.port}/"
    with closing(HTTPConnection("127.0.0.2", serving.port, timeout=WAIT_S)) as client:
        client.request("GET", "/")
        assert client.getresponse().status == 200
    assert ask(serving, headers={"Host": f"127.0.0.2:{serving.port}"})[0] == 403


# Pages


def test_every_page_and_file(serving, table):
    """The table, each seat, and their files are there, typed and guarded, and refer to no other host."""
    paths = {
        "/": "text/html",
        "/style.css": "text/css",
        "/page.js": "text/javascript",
        "/icon.svg": "image/svg",
    }
    paths |= {f"/seat/{seat}": "text/html" for seat in table.seats}
    for path, kind in paths.items():
        status, headers, body = ask(serving, path)
        assert (status, headers["Content-Type"].startswith(kind)) == (200, True), path
        assert int(headers["Content-Length"]) == len(body) > 0
        assert b"https:" not in body
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"
        policy = headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none';")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
    assert ask(serving, "/?from=mail")[0] == 200


@pytest.mark.parametrize(
    "path",
    [
        *("/nowhere", "/index.html", "/page.js%00", "page.js", "/../server.py", "/%2e%2e/server.py", "*"),
        *("/seat", "/seat/", "/seat/0", "/seat/7", "/seat/01", "/seat/1/", "/seat/7/socket"),
        *("//etc/passwd", "http://evil.example/"),
    ],
)
def test_unknown_paths(serving, path):
    """What is not on the list of pages is not there, however it is written."""
    assert ask(serving, path)[::2] == (404, b"There is no such page here.\n")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "GETS", "get", "G"])
@pytest.mark.parametrize("body", [None, b"x" * 100_000], ids=["empty", "body"])
@pytest.mark.parametrize("path", ["/", "/socket", "/nowhere"])
def test_other_methods(serving, method, body, path):
    """Every method but GET is answered with 405, with or without a body."""
    status, headers, text = ask(serving, path, method, body=body)
    assert (status, headers["Allow"], text) == (405, "GET", b"Only GET is understood here.\n")


def test_a_socket_asked_for_as_a_page(serving):
    """A plain GET of a socket's path is told what it is."""
    status, headers, _ = ask(serving, "/socket", headers={"Origin": f"http://127.0.0.1:{serving.port}"})
    assert (status, headers["Upgrade"]) == (426, "websocket")


@pytest.mark.parametrize(
    "noise_on_the_wire",
    [b"\x16\x03\x01\x02\x00\x01\x00", b"\r\n\r\n", b"GET /\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
     b"GET / HTTP/1.1\r\nHost\r\n\r\n", b"GET /" + b"x" * 100_000, b"GET \xff HTTP/1.1\r\n\r\n",
     b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 1000],
    ids=lambda value: ascii(value)[:24],
)  # fmt: skip
def test_garbage_instead_of_a_request(serving, noise_on_the_wire, caplog):
    """What is no request ends its connection, tells the log nothing, and the next request is served."""
    with closing(socket.create_connection(("127.0.0.1", serving.port), timeout=WAIT_S)) as wire:
        try:
            wire.sendall(noise_on_the_wire)
            while wire.recv(4096):
                pass
        except ConnectionError:
            pass  # ended by reset, with bytes of ours unread
    assert ask(serving)[0] == 200
    assert caplog.records == []


# Beginning and end


def test_it_ends_cleanly(table, start):
    """Stop closes every socket as going away, puts buttons up, and does not wait long for a deaf one."""
    serving = start(table.serve())
    with closing(Wire(serving)), opened(serving) as client:
        snapshot(client)
        client.send("press 1 left")
        assert table.next_edges(1) == [(1, "left", True)]
        serving.stop()
        assert end_of(client)[0] == 1001
        assert table.next_edges(1) == [(1, "left", False)]
        table.show(1, noise("after the end"))


def test_a_connection_in_advance_holds_up_nothing(table, start, monkeypatch):
    """Browsers open connections that they may need: one without a request is not waited for at the end."""
    monkeypatch.setattr(server, "STOP_S", 10 * WAIT_S)
    serving = start(table.serve())
    with closing(socket.create_connection(("127.0.0.1", serving.port))):
        assert ask(serving)[0] == 200
        serving.stop()


def test_a_restart_takes_the_same_port(table, start):
    """A server that ended leaves its port free: the next one serves there at once."""
    first = start(table.serve())
    with opened(first) as client:
        snapshot(client)
    first.stop()
    table.show(2, noise("later"))
    second = start(table.serve(port=first.port))
    with opened(second) as client:
        assert snapshot(client)[1][1] == bytes((2, 0)) + noise("later")


def test_a_port_in_use_is_named(serving, table, start):
    """A second server on the same port says which port, of which address, and what to do."""
    with pytest.raises(UsageError, match=rf"port {serving.port} of 127.0.0.1 is in use.*another with --port"):
        start(table.serve(port=serving.port))


@pytest.mark.parametrize(
    ("options", "message"),
    [({"port": 70000}, "port 70000 does not exist"), ({"port": -1}, "port -1 does not exist"),
     ({"host": "192.0.2.1"}, "192.0.2.1 is no address of this computer"),
     ({"host": "no.such.host.invalid"}, "no host named no.such.host.invalid"),
     ({"host": "two..dots"}, "no host named two..dots"),
     ({"host": "\udcff"}, "no host named \udcff")],
)  # fmt: skip
def test_places_where_nobody_can_listen(table, start, options, message):
    """A port that does not exist, another computer's address and an unknown host are each named."""
    with pytest.raises(UsageError, match=message):
        start(table.serve(**options))


def test_a_port_for_root_only(table, start):
    """A port below 1024 is refused in words."""
    with (
        without(*LOW_PORTS),
        pytest.raises(UsageError, match=r"port 22 of 127\.0\.0\.1 (is not for everybody|is in use)"),
    ):
        start(table.serve(port=22))


def test_who_comes_while_it_stops_is_let_go(table, start):
    """Connections that are made while the server ends are closed with it: none is forgotten (30 ends)."""
    for _ in range(30):
        serving = start(table.serve())
        callers = []

        def call(port=serving.port, callers=callers):
            with suppress(OSError):
                while len(callers) < 20:
                    callers.append(socket.create_connection(("127.0.0.1", port), WAIT_S))

        calling = threading.Thread(target=call)
        calling.start()
        serving.stop()
        calling.join()
        for caller in callers:
            caller.close()
    gc.collect()  # what was forgotten is complained about now


def test_what_goes_wrong_at_the_table_ends_one_socket(serving, table, caplog):
    """A mistake of our own ends the socket that met it with 1011 and is logged; the next one is served."""
    table.press = None
    with opened(serving) as client:
        client.send("press 1 left")
        assert end_of(client) == (1011, "")
    del table.press
    with opened(serving) as client:
        snapshot(client)
    assert [record.levelname for record in caplog.records] == ["ERROR"]
