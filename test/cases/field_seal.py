"""field_seal.py - the reports from the field that are about carriers.

Each is said again in the words of seal.py's "do", so that the same second
reading of the format makes the carriers.
"""

from seal import Maker, World
from tools import NotOk

MALFORMED, ACCEPTED = "carrier_malformed", "accepted"
DAY = 86400


def opened(area, expected, **do):
    """One open of a carrier that is made as do says."""
    area.check({"id": "field", "op": "open", "expected": expected, "do": do})


def edited(area, expected, *edits, **do):
    opened(area, expected, edit=list(edits), resign=False, **do)


def one_spelling(area):
    """K01: another spelling of the same bytes, another alphabet, padding."""
    edited(area, MALFORMED, {"part": "mac_text", "how": "spare_bits"})
    for rest in (1, 2):
        edited(area, MALFORMED,
               {"part": "claims_text", "how": "spare_bits"},
               claims_mod3=rest)
    edited(area, MALFORMED,
           {"part": "caveat0_text", "how": "spare_bits"},
           caveats=[{"egress": "none"}])
    # both letters that plain base64 spells otherwise
    for here, other in (("-", "+"), ("_", "/")):
        found = spelled_with(area, here)
        edited(area, MALFORMED,
               {"part": found[0], "how": "replace", "find": here,
                "value": other}, **found[1])
    edited(area, MALFORMED, {"part": "mac_text", "how": "append",
                             "value": "="})
    edited(area, MALFORMED, {"part": "claims_text", "how": "insert",
                             "at": "middle", "value": "="})
    opened(area, ACCEPTED)


def spelled_with(area, letter):
    """A part whose text holds the letter, and the do that makes it."""
    for n in range(400):
        do = {"claims": {"userId": "ada%d" % n}}
        world = World(area, do)
        try:
            maker = Maker(world, do)
        finally:
            world.close()
        for part in ("claims_text", "mac_text"):
            if letter.encode() in maker.text[part]:
                return part, do
    raise NotOk("no %r in 400 carriers" % letter, "one")


def line_ends(area):
    """K03: a line end behind the carrier, inside JSON and bare."""
    def raw(expected, *edits):
        edited(area, expected, *edits, transport="raw")

    def end(how, value):
        return {"part": "stdin", "how": how, "value": value}

    edited(area, ACCEPTED, end("append", "\n"))
    raw(ACCEPTED, end("append", "\n"))
    raw(ACCEPTED, end("append", "\r\n"))
    raw(MALFORMED, end("prepend", " "))
    raw(MALFORMED, end("append", "\n\n"))
    raw(MALFORMED, end("append", "\r"))
    raw(MALFORMED, end("append", "\n "))
    for value in (" ", "\n", "\r\n", "\t"):
        edited(area, MALFORMED, {"part": "carrier", "how": "append",
                                 "value": value})


def odd_keys(area):
    """K05: key bytes that look like blanks, or hold a NUL."""
    blank = b"\x20" + bytes(range(100, 130)) + b"\x0a"
    middle = bytes(range(1, 16)) + b"\x00" + bytes(range(40, 56))
    for key in (blank, middle):
        opened(area, ACCEPTED, keyfile={"bytes_hex": key.hex()})
        minted(area, key)
    for key in (blank[:31], blank + b"\n", blank.strip()):
        opened(area, "key_invalid", keyfile={"bytes_hex": key.hex()})


def minted(area, key):
    """What is sealed under a key opens under it."""
    do = {"keyfile": {"bytes_hex": key.hex()}}
    world = World(area, do)
    try:
        env = world.environment(do)
        seal = area.tools.path("cx-seal")
        made = area.tools.run(
            [seal, "mint"], env,
            b'{"session":{"orgId":"acme","userId":"ada",'
            b'"surface":"chat"}}')
        found = area.tools.run([seal, "open"], env, made.stdout)
        if found.status != 0:
            raise NotOk("%s, then %s" % (made, found), "a session")
    finally:
        world.close()


def clock(area):
    """K08: the edges of a life, and ends that are none."""
    bad = "carrier_bad_claims"
    opened(area, ACCEPTED, now=899)
    opened(area, "carrier_expired", now=900)
    opened(area, "carrier_expired", now=901)
    opened(area, "carrier_not_yet_valid", now=-3600)
    opened(area, bad, claims={"exp": None})
    opened(area, bad, claims={"exp": "1900000900"})
    opened(area, bad, claims={"exp": -1})
    for text in ("10000000000", "9007199254740993", "1900000900.0",
                 "01900000900", "null", "1e10"):
        opened(area, bad, resign=True,
               edit=[{"part": "claims", "how": "replace",
                      "find": '"exp":1900000900',
                      "value": '"exp":' + text}])
    # the tolerance bears on both edges and stretches neither further
    skew = {"seal": {"skew": 30}}
    opened(area, ACCEPTED, now=929, config=skew)
    opened(area, "carrier_expired", now=930, config=skew)
    opened(area, ACCEPTED, now=-30, config=skew)
    opened(area, "carrier_not_yet_valid", now=-31, config=skew)
    # exact to the second at the longest life
    opened(area, ACCEPTED, claims={"exp": 1900000000 + DAY}, now=DAY - 1)
    opened(area, bad, claims={"exp": 1900000000 + DAY + 1})


def rotation(area):
    """K10: an old and a new key, an unknown kid, a kid exchanged."""
    ring = [{"kid": "k1", "state": "verify-only"}, {"kid": "k2"}]
    opened(area, ACCEPTED, ring=ring, kid="k1")
    opened(area, ACCEPTED, ring=ring, kid="k2")
    edited(area, "carrier_unknown_key",
           {"part": "kid", "how": "set", "value": "k9"}, ring=ring)
    edited(area, "carrier_bad_signature",
           {"part": "kid", "how": "set", "value": "k2"}, ring=ring)
    do = {"ring": ring}
    world = World(area, do)
    try:
        made = area.tools.run(
            [area.tools.path("cx-seal"), "mint"], world.environment(do),
            b'{"session":{"orgId":"acme","userId":"ada",'
            b'"surface":"chat"}}')
        carrier = (made.document() or {}).get("carrier", "")
        if not carrier.startswith("cxs1.k2."):
            raise NotOk(str(made), "a carrier under the active key")
    finally:
        world.close()
    retired = [{"kid": "k1", "state": "retired"}, {"kid": "k2"}]
    opened(area, "carrier_unknown_key", ring=retired, kid="k1")


CASES = {
    "K01": one_spelling,
    "K03": line_ends,
    "K05": odd_keys,
    "K08": clock,
    "K10": rotation,
}
