"""Endpoints are split at the last colon; addresses become names."""

from __future__ import annotations

import pytest

from smartsbd.traces.endpoint import Endpoint, Pseudonyms, endpoint


@pytest.mark.parametrize(
    ("text", "address", "port", "family"),
    [
        ("192.0.2.1:5201", "192.0.2.1", 5201, 4),
        ("192.0.2.1:0", "192.0.2.1", 0, 4),
        ("192.0.2.1:65535", "192.0.2.1", 65535, 4),
        ("[2001:db8::1]:80", "[2001:db8::1]", 80, 6),
        ("[::ffff:10.0.1.1]:80", "[::ffff:10.0.1.1]", 80, 4),
        ("0000:0000:0000:0000:0000:ffff:7f00:0001:46274", "0000:0000:0000:0000:0000:ffff:7f00:0001", 46274, 4),
        ("2001:db8::1:80", "2001:db8::1", 80, 6),
        ("[fe80::1%eth0]:22", "[fe80::1%eth0]", 22, 6),
        ("[fe80::1]%eth0:22", "[fe80::1]%eth0", 22, 6),
        ("10.0.1.1%eth0:22", "10.0.1.1%eth0", 22, 4),
        ("203.208.xx.xx:443", "203.208.xx.xx", 443, None),
        ("*:443", "*", 443, None),
    ],
)
def test_an_endpoint_is_an_address_and_a_port(text: str, address: str, port: int, family: int | None) -> None:
    found = endpoint(text)
    assert found == Endpoint(address, port)
    assert found is not None and found.family == family


@pytest.mark.parametrize(
    "text",
    [
        "",
        ":",
        ":80",
        "192.0.2.1",
        *(f"192.0.2.1:{port}" for port in ("", "*", "http", "65536", "-1", "+1", "1_0", " 1", "000080", "٨٠", "²")),
    ],
)
def test_other_texts_are_none(text: str) -> None:
    assert endpoint(text) is None


def test_pseudonyms_are_the_same_each_time_and_say_nothing() -> None:
    names = Pseudonyms()
    assert [names.of(address) for address in ("192.0.2.7", "2001:db8::1", "192.0.2.7", "192.0.2.8")] == [
        "address 0",
        "address 1",
        "address 0",
        "address 2",
    ]
    assert Pseudonyms().of("192.0.2.8") == "address 0"
