"""Cut the bundled Chinese font from Noto Sans CJK: `python -m tools.make_font [NotoSansCJK-Regular.ttc]`.

Run it when `tests/test_style.py` says that a character is missing. The source is Debian's package `fonts-noto-cjk`;
the same source gives the same bytes. Licence: SIL Open Font License 1.1, which asks for the new name.
"""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTCollection

ROOT = Path(__file__).resolve().parent.parent
SOURCE = Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc")
TARGET = ROOT / "helpers" / "fonts" / "ChapterSansSC-Regular.otf"
SIMPLIFIED_CHINESE = 2  # the face's place in the collection
FAMILY, STYLE = "Chapter Sans SC", "Regular"
POSTSCRIPT_NAME = "ChapterSansSC-Regular"
NEW_NAMES = {  # by the OpenType name id; the others (copyright 0, version 5, licence 13, 14 ...) stay as they are
    1: FAMILY,
    2: STYLE,
    3: "1.0;" + POSTSCRIPT_NAME,
    4: f"{FAMILY} {STYLE}",
    6: POSTSCRIPT_NAME,
    16: FAMILY,
    17: STYLE,
}
TRADEMARK, SAMPLE_TEXT = 7, 19  # "Noto is a trademark of Google": not of this font any more
EPOCH = 2082844800  # 1970-01-01 in the font format's seconds since 1904, so that no clock shows in the bytes

BLOCKS = [
    (0x20, 0x7E),  # printable ASCII
    (0xA0, 0xFF),  # Latin-1
    (0x370, 0x3FF),  # Greek
    (0x2010, 0x205E),  # general punctuation
    (0x2070, 0x209C),  # superscripts and subscripts
    (0x2190, 0x21FF),  # arrows
    (0x2200, 0x22FF),  # mathematical operators
    (0x2460, 0x2473),  # circled numbers
    (0x25A0, 0x25FF),  # geometric shapes
    (0x3000, 0x303F),  # CJK punctuation
    (0xFF00, 0xFFEF),  # fullwidth forms
]
# Noto draws these as wide as a Chinese character: a root that covers nothing, a dot that tears q·k apart.
LEFT_TO_DEJAVU = {"√", "·"}
TEXT_FOLDERS = ("lessons", "helpers", "code")
TEXT_SUFFIXES = (".py", ".md", ".json", ".txt")  # the last two: the symbols and poems in helpers/models


def gb2312_level_1():
    """Return the 3,755 most common Chinese characters, GB 2312's level 1 (rows 16 to 55)."""
    codes = (bytes([0xA0 + row, 0xA0 + cell]) for row in range(16, 56) for cell in range(1, 95))
    return {code.decode("gb2312") for code in codes if code < b"\xd7\xfa"}  # row 55 ends at cell 89


def block_characters():
    """Return every character of `BLOCKS`, whether the source font has it or not."""
    return {chr(code) for first, last in BLOCKS for code in range(first, last + 1)}


def project_characters(root=ROOT):
    """Return every non-ASCII character of the project's lessons, helpers and scripts."""
    files = (path for folder in TEXT_FOLDERS for path in sorted((root / folder).rglob("*")))
    texts = (path.read_text(encoding="utf-8") for path in files if path.suffix in TEXT_SUFFIXES)
    return {character for text in texts for character in text if not character.isascii()}


def wanted_characters():
    """Return every character that the font should have if its source has it."""
    return (block_characters() | gb2312_level_1() | project_characters()) - LEFT_TO_DEJAVU


def open_face(source):
    """Open the Simplified Chinese face of the collection at the path `source`."""
    return TTCollection(source).fonts[SIMPLIFIED_CHINESE]


def cut(source, characters):
    """Return the subset font of `characters` as an open `TTFont`, unhinted, without layout tables, renamed."""
    font = open_face(source)
    options = subset.Options(
        hinting=False, layout_features=[], name_IDs=["*"], name_languages=[0x409], notdef_outline=True
    )
    options.drop_tables += ["GSUB", "GPOS", "GDEF", "BASE", "VORG", "vhea", "vmtx", "DSIG"]
    subsetter = subset.Subsetter(options)
    subsetter.populate(text="".join(sorted(characters)))
    subsetter.subset(font)
    rename(font)
    return font


def rename(font):
    """Give the font its own name everywhere a name stands, and a fixed date."""
    names = font["name"]
    names.names = [record for record in names.names if record.nameID not in (TRADEMARK, SAMPLE_TEXT)]
    for record in names.names:
        if record.nameID in NEW_NAMES:
            record.string = NEW_NAMES[record.nameID]
    cff = font["CFF "].cff
    cff.fontNames = [POSTSCRIPT_NAME]
    top = cff.topDictIndex[0]
    top.FullName, top.FamilyName = f"{FAMILY} {STYLE}", FAMILY
    for number, private_font in enumerate(top.FDArray):
        private_font.FontName = f"{POSTSCRIPT_NAME}-{number}"
    font["head"].created = font["head"].modified = EPOCH
    font.recalcTimestamp = False


def main(arguments):
    """Write the font and say how large it is."""
    source = Path(arguments[0]) if arguments else SOURCE
    if not source.exists():
        sys.exit(f"{source} is not there: install Debian's fonts-noto-cjk or give the path of NotoSansCJK-Regular.ttc")
    font = cut(source, wanted_characters())
    fresh = TARGET.with_suffix(".new")
    font.save(fresh)
    fresh.replace(TARGET)  # at once: a process that draws meanwhile keeps the old file
    print(f"{TARGET.relative_to(ROOT)}: {len(font.getBestCmap())} characters, {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
