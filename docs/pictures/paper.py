"""Writes SVG pages, with one style that is readable on light and on dark backgrounds.

The colors and the page's background follow the reader's color scheme. Fonts are those of the
reader's system, so labels leave room. Coordinates are pixels with one decimal; y goes down.
"""

from dataclasses import dataclass, field
from typing import Literal
from xml.sax.saxutils import escape


Anchor = Literal["start", "middle", "end"]

_STYLE = """
    text { font: 14px system-ui, -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif;
           fill: #2b3137 }
    .small { font-size: 12px; fill: #59636e }
    .strong { font-weight: 600 }
    .big { font-size: 19px; font-weight: 600 }
    .page { fill: #fcfcfb; stroke: #d5d9dd }
    .box { fill: #f1f3f4; stroke: #a3abb3 }
    .rim { fill: none; stroke: #59636e; stroke-width: 2 }
    .own { fill: #b9c3cc }
    .water { fill: #86b6dc }
    .new { fill: #eebc6c }
    .open { fill: none; stroke: #a3abb3; stroke-dasharray: 3 3 }
    .rule { fill: none; stroke: #a3abb3 }
    .mark { stroke: #2b3137; stroke-width: 2 }
    .level { stroke: #2470a8; stroke-width: 2; stroke-dasharray: 6 4 }
    .series0 { fill: none; stroke: #2470a8; stroke-width: 2 }
    .series1 { fill: none; stroke: #b5651d; stroke-width: 2 }
    .series2 { fill: none; stroke: #3f8f5f; stroke-width: 2 }
    .series3 { fill: none; stroke: #8a5aa8; stroke-width: 2 }
    @media (prefers-color-scheme: dark) {
      text { fill: #e2e6ea }
      .small { fill: #a2abb4 }
      .page { fill: #171b20; stroke: #3a424a }
      .box { fill: #20262c; stroke: #5b656f }
      .rim { stroke: #a2abb4 }
      .own { fill: #4d5863 }
      .water { fill: #2f6797 }
      .new { fill: #8a6420 }
      .open, .rule { stroke: #5b656f }
      .mark { stroke: #e2e6ea }
      .level { stroke: #72b4e6 }
    }
"""


@dataclass
class Page:
    """A picture being drawn; ``title`` and ``description`` are its alternative text."""

    width: int
    height: int
    title: str
    description: str
    _parts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rect(0.5, 0.5, self.width - 1, self.height - 1, "page", corner=8)

    def rect(self, x: float, y: float, w: float, h: float, look: str, corner: float = 0) -> None:
        self._parts.append(
            f'<rect x="{_px(x)}" y="{_px(y)}" width="{_px(w)}" height="{_px(h)}"'
            f' rx="{_px(corner)}" class="{look}"/>'
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, look: str = "rule") -> None:
        self._parts.append(
            f'<line x1="{_px(x1)}" y1="{_px(y1)}" x2="{_px(x2)}" y2="{_px(y2)}" class="{look}"/>'
        )

    def path(self, *points: tuple[float, float], look: str) -> None:
        """Draw straight lines from point to point, open at the end."""
        steps = " L".join(f"{_px(x)} {_px(y)}" for x, y in points)
        self._parts.append(f'<path d="M{steps}" class="{look}"/>')

    def text(
        self, x: float, y: float, words: str, look: str = "", anchor: Anchor = "start"
    ) -> None:
        kind = f' class="{look}"' if look else ""
        self._parts.append(
            f'<text x="{_px(x)}" y="{_px(y)}" text-anchor="{anchor}"{kind}>{escape(words)}</text>'
        )

    def svg(self) -> str:
        """The complete SVG document."""
        body = "\n  ".join(self._parts)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}"'
            f' width="{self.width}" height="{self.height}" role="img"'
            ' aria-labelledby="title description">\n'
            f'  <title id="title">{escape(self.title)}</title>\n'
            f'  <desc id="description">{escape(self.description)}</desc>\n'
            f"  <style>{_STYLE}  </style>\n"
            f"  {body}\n"
            "</svg>\n"
        )


def _px(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
