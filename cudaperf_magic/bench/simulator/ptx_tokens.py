"""PTX text -> tokens: words, numbers, strings, marks, and whole lines of those directives that end with their line.

Only ASCII is read. It knows no grammar.
"""

from __future__ import annotations

import re
import struct

from cudaperf_magic.bench.simulator.ptx import PtxError

TOKEN = re.compile(
    r"""(?P<skip>[ \t\r\n]+|//[^\n]*|/\*(?:.*?\*/|.*))
      |(?P<line>\.(?:loc|file|version|target|address_size)\b[^\n]*)
      |(?P<string>"(?:[^"\\]|\\.)*")
      |(?P<number>0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|0[xX][0-9a-fA-F]+U?
                |\d+\.\d*(?:[eE][-+]?\d+)?|\d+U?)
      |(?P<word>[.%$A-Za-z_](?:[\w.$%]|::)*)
      |(?P<mark>.)""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)

DECLARES = (".reg", ".local", ".shared", ".param")  # may stand next to its type without a space


def tokens_of(text: str) -> list[tuple[str, str]]:
    """Each token's group in TOKEN and its text; comments and blanks are gone."""
    found: list[tuple[str, str]] = []
    for match in TOKEN.finditer(text):
        if match.lastgroup != "skip":
            found += _words(match.lastgroup or "", match.group())
    return found


def _words(group: str, text: str) -> list[tuple[str, str]]:
    """The token, or two of it: inline assembly may write `.reg.b32 t;`."""
    for start in DECLARES:
        if text.startswith(f"{start}."):
            return [(group, start), *_words(group, text[len(start) :])]
    if group == "number" and "." in text:  # as PTX writes doubles by their bits
        return [(group, f"0D{int.from_bytes(struct.pack('>d', float(text)), 'big'):016X}")]
    return [(group, text)]


def integer(text: str) -> int:
    """The value of a PTX integer: decimal, hexadecimal or octal.

    Raises:
        PtxError: it is none, or does not fit into 64 bits.
    """
    digits = text.removesuffix("U")
    is_octal = len(digits) > 1 and digits[0] == "0" and digits.isdecimal()
    try:
        value = int(digits, 8 if is_octal else 0)
    except ValueError:
        raise PtxError(f"{text[:40]!r} where a number belongs") from None
    if value >> 64:
        raise PtxError(f"{text[:40]}, which needs more than 64 bits")
    return value
