"""Small hand-written PDFs that contain only what a test puts on their pages."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from pypdf import PdfReader, PdfWriter
from pypdf.generic import DecodedStreamObject, NameObject

LINE_HEIGHT = 12


Placed = Sequence[tuple[float, float, float, str]]
"""Texts of a page in the order they are drawn: x, y, size, text."""


def write_pdf(
    path: Path,
    pages: Sequence[str | Placed],
    matrix: str = "1 0 0 1 0 0",
    drawing: str = "",
) -> Path:
    """Write a PDF in Courier with one text line per line of each page, or with positioned texts.

    The matrix rotates pages: `0 1 -1 0 792 0` makes them read upwards, `0 -1 1 0 0 792` downwards.
    The drawing, in operators of PDF, is on every page.
    """
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{_kids(len(pages))}] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>",
    ]
    for number, text in enumerate(pages):
        content = f"{matrix} cm\n{drawing}\n{_content(text)}"
        objects += [
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 792 792] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * number} 0 R >>",
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        ]
    path.write_bytes(_assemble(objects))
    return path


def draw_over(path: Path, numbers: Iterable[int]) -> None:
    """Replace the contents of pages, numbered from 0, by a drawing without text, as in a scan."""
    writer = PdfWriter(clone_from=PdfReader(path))
    for number in numbers:
        drawing = DecodedStreamObject()
        drawing.set_data(b"9 9 400 400 re f")
        writer.pages[number][NameObject("/Contents")] = writer._add_object(drawing)
    writer.write(path)


def _kids(pages: int) -> str:
    return " ".join(f"{4 + 2 * number} 0 R" for number in range(pages))


def _content(page: str | Placed) -> str:
    if isinstance(page, str):
        lines = "\n".join(f"({_escaped(line)}) Tj T*" for line in page.split("\n"))
        return f"BT /F1 8 Tf {LINE_HEIGHT} TL 36 756 Td\n{lines}\nET"
    return "\n".join(
        f"BT /F1 {size} Tf {x} {y} Td ({_escaped(text)}) Tj ET" for x, y, size, text in page
    )


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def _assemble(objects: Sequence[str]) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("cp1252")
    start = len(out)
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}".encode()
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n".encode()
    return bytes(out + b"%%EOF\n")
