"""How often one address may ask, for the doors that anybody may knock at."""

from __future__ import annotations

import math
from ipaddress import IPv6Address, IPv6Network
from time import monotonic

from parlay_env.doors.hub import Bucket

ADDRESSES_AT_MOST = 4096


class Rates:
    """A token bucket for each address: `rate` requests a second for long, twice as many at once. 0: no limit."""

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._buckets: dict[str, Bucket] = {}

    def wait(self, address: str) -> int:
        """Takes a request of this address: 0, or after how many seconds the next one will be taken."""
        if self._rate <= 0:
            return 0
        now = monotonic()
        bucket = self._buckets.get(address)
        if bucket is None:
            if len(self._buckets) >= ADDRESSES_AT_MOST:
                self._buckets = {key: one for key, one in self._buckets.items() if not one.is_full(now)}
            bucket = self._buckets[address] = Bucket(self._rate)
        return 0 if bucket.take(now) else max(1, math.ceil(1 / self._rate))


def network_of(address: str) -> str:
    """Whom an address belongs to: of IPv6 everybody has 2⁶⁴ of them, all with the same first half."""
    if ":" not in address:
        return address
    try:
        found = IPv6Address(address.partition("%")[0])
    except ValueError:
        return address
    return str(found.ipv4_mapped or IPv6Network((found, 64), strict=False))
