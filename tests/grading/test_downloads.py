"""Archives and folders as they come, honest or not: what is a notebook is found, nothing leads anywhere else."""

import io
import os
import stat
import tarfile
import zipfile
from datetime import UTC, datetime

import pytest

import grading.downloads
from grading.downloads import NO_DATE, Download, Refused, find_downloads

TEXT = b'{"nbformat": 4}'


def zipped(members, **options):
    """Return the bytes of a zip file; a member is a name or a ZipInfo, with what it holds."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", **options) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def tarred(members, mode="w:gz"):
    """Return the bytes of a tar file; a member is a name or a TarInfo, with what it holds."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name) if isinstance(name, str) else name
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return file.getvalue()


@pytest.fixture
def found(tmp_path):
    """Return a function that writes a zip file and returns what is found in it, by the last name."""

    def find(members, name="class.zip"):
        path = tmp_path / name
        path.write_bytes(members if isinstance(members, bytes) else zipped(members))
        return {(each.parts or (each.given,))[-1]: each for each in find_downloads(path)}

    return find


def taken(found):
    return sorted(name for name, each in found.items() if isinstance(each, Download))


def test_notebooks_in_folders_and_in_archives_within_the_archive_are_found(found):
    inner = zipped({"b/2.ipynb": TEXT})
    each = found({"Ada_1_assignsubmission_file_/1.ipynb": TEXT, "bob.zip": inner})
    assert each["1.ipynb"].parts == ("Ada_1_assignsubmission_file_", "1.ipynb")
    assert each["2.ipynb"].parts == ("bob.zip", "b", "2.ipynb")
    assert each["2.ipynb"].origin == "class.zip/bob.zip/b/2.ipynb"
    assert each["2.ipynb"].content == TEXT


@pytest.mark.parametrize(
    "name",
    [
        "“01_attention.ipynb”的副本",
        "01_attention.ipynb.txt",
        "01_attention.ipynb的副本.ipynb",
        "1.ipynb.download",
        "01.json",
        "01",
    ],
)
def test_a_notebook_without_its_ending_is_found_by_what_it_holds(found, name):
    assert taken(found({name: TEXT})) == [name]


@pytest.mark.parametrize("name", ["x.html", "x.pdf", "x.rar", "README.txt", "data.json"])
def test_another_file_is_said_to_be_one(found, name):
    other = found({name: b"{}"})[name]
    assert isinstance(other, Refused)
    assert other.is_other_file


@pytest.mark.parametrize("name", ["__MACOSX/._1.ipynb", ".ipynb_checkpoints/1.ipynb", ".DS_Store", "a/Thumbs.db"])
def test_what_systems_leave_behind_is_passed_over(found, name):
    assert found({name: TEXT}) == {}


@pytest.mark.parametrize("name", ["../1.ipynb", "a/../../1.ipynb", "/etc/1.ipynb", "..\\1.ipynb", "C:\\1.ipynb"])
def test_a_name_that_leads_out_of_the_archive_is_refused(found, name, tmp_path):
    each = found({name: TEXT, "2.ipynb": TEXT})
    assert taken(each) == ["2.ipynb"]
    assert [other.reason for other in each.values() if isinstance(other, Refused)] == [
        "a name that leads out of its archive"
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["class.zip"]


def test_a_link_in_an_archive_is_refused(found):
    link = zipfile.ZipInfo("1.ipynb")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    assert "a link" in found({link: "/etc/passwd"})["1.ipynb"].reason


def test_links_in_a_folder_are_refused_and_not_followed(tmp_path):
    secret, folder = tmp_path / "secret", tmp_path / "class"
    secret.mkdir()
    folder.mkdir()
    (secret / "2.ipynb").write_bytes(TEXT)
    (folder / "1.ipynb").symlink_to(secret / "2.ipynb")
    (folder / "more").symlink_to(secret)
    (folder / "3.ipynb").write_bytes(TEXT)
    each = {one.parts: one for one in find_downloads(folder)}
    assert "a link" in each["1.ipynb",].reason
    assert "a link" in each["more",].reason
    assert each["3.ipynb",].content == TEXT
    assert len(each) == 3


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="makes a pipe, as Unix has it")
def test_a_pipe_is_refused_instead_of_waited_for(tmp_path):
    os.mkfifo(tmp_path / "1.ipynb")
    assert [each.reason for each in find_downloads(tmp_path)] == ["not a regular file"]


def test_a_notebook_over_the_limit_is_refused_even_if_the_archive_lies_about_it(found, monkeypatch):
    monkeypatch.setattr(grading.downloads, "MAX_NOTEBOOK_BYTES", 100)
    large = zipped({"1.ipynb": TEXT + b" " * 1000, "2.ipynb": TEXT}, compression=zipfile.ZIP_DEFLATED)
    assert taken(found(large)) == ["2.ipynb"]
    size = (1000 + len(TEXT)).to_bytes(4, "little")
    assert large.count(size) == 2
    assert taken(found(large.replace(size, (50).to_bytes(4, "little")))) == ["2.ipynb"]


def test_all_archives_together_may_unpack_to_so_much_and_no_more(found, monkeypatch):
    monkeypatch.setattr(grading.downloads, "MAX_BYTES", 2 * len(TEXT))
    assert taken(found({f"{number}.ipynb": TEXT for number in range(5)})) == ["0.ipynb", "1.ipynb"]


def test_archives_within_archives_end_somewhere(found):
    content = {"1.ipynb": TEXT}
    for _ in range(grading.downloads.MAX_DEPTH):
        content = {"inner.zip": zipped(content)}
    assert "archives within archives" in found(content)["inner.zip"].reason


def test_an_archive_of_very_many_files_is_refused(found, monkeypatch):
    monkeypatch.setattr(grading.downloads, "MAX_MEMBERS", 2)
    assert "too many" in found({f"{number}.ipynb": TEXT for number in range(3)})["class.zip"].reason


def test_a_large_archive_within_another_is_refused_and_the_rest_is_found(found, monkeypatch):
    monkeypatch.setattr(grading.downloads, "MAX_ARCHIVE_BYTES", 50)
    each = found({"a.zip": zipped({"1.ipynb": TEXT}), "b.ipynb": TEXT})
    assert taken(each) == ["b.ipynb"]
    assert "too large" in each["a.zip"].reason


def test_a_broken_archive_is_said_to_be_one_and_the_rest_is_found(found):
    each = found({"a.zip": b"PK nonsense", "b.ipynb": TEXT})
    assert "not a zip file" in each["a.zip"].reason
    assert taken(each) == ["b.ipynb"]
    assert "not a zip file" in found(b"nonsense")["class.zip"].reason


def test_a_damaged_member_is_said_to_be_one_and_the_rest_is_found(found):
    damaged = zipped({"1.ipynb": b"first" + TEXT, "2.ipynb": TEXT}).replace(b"first", b"fxrst", 1)
    each = found(damaged)
    assert "cannot be read" in each["1.ipynb"].reason
    assert taken(each) == ["2.ipynb"]


def test_an_encrypted_member_is_said_to_be_one(found):
    content = bytearray(zipped({"1.ipynb": TEXT}))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(signature) + offset] |= 1
    assert "cannot be read" in found(bytes(content))["1.ipynb"].reason


@pytest.mark.parametrize("encoding", ["gb18030", "utf-8"])
def test_chinese_names_are_read_however_the_archive_wrote_them(found, encoding):
    name = "张三_自注意力.ipynb"
    stand_in = "x" * len(name.encode(encoding))
    content = zipped({stand_in: TEXT}).replace(stand_in.encode(), name.encode(encoding))
    assert list(found(content)) == [name]


def test_names_cannot_act_on_a_terminal_and_accents_have_one_form(found):
    assert list(found({"\x1b[2J1.ipynb": TEXT})) == ["?[2J1.ipynb"]
    assert list(found({"Jose\u0301.ipynb": TEXT})) == ["Jos\u00e9.ipynb"]


def test_a_file_keeps_its_time_and_takes_the_archives_if_it_has_none(found, tmp_path):
    dated, undated = (
        zipfile.ZipInfo("1.ipynb", (2026, 11, 29, 8, 30, 2)),
        zipfile.ZipInfo("2.ipynb", (*NO_DATE, 0, 0, 0)),
    )
    each = found({dated: TEXT, undated: TEXT})
    assert each["1.ipynb"].time == datetime(2026, 11, 29, 8, 30, 2).astimezone(UTC)
    assert each["2.ipynb"].time.timestamp() == pytest.approx((tmp_path / "class.zip").stat().st_mtime)


def test_a_notebook_may_be_given_by_itself(tmp_path):
    (tmp_path / "1.ipynb").write_bytes(TEXT)
    assert [each.origin for each in find_downloads(tmp_path / "1.ipynb")] == [f"{tmp_path.name}/1.ipynb"]


@pytest.mark.parametrize(("name", "mode"), [("class.tar", "w:"), ("class.tar.gz", "w:gz"), ("class.TGZ", "w:gz")])
def test_tar_files_are_opened_too_also_within_others(found, name, mode):
    dated = tarfile.TarInfo("张三/1.ipynb")
    dated.mtime = 1_700_000_000
    inner = tarred({"b/2.ipynb": TEXT})
    each = found(tarred({dated: TEXT, "bob.tgz": inner, "x.zip": zipped({"3.ipynb": TEXT})}, mode), name)
    assert taken(each) == ["1.ipynb", "2.ipynb", "3.ipynb"]
    assert each["1.ipynb"].parts == ("张三", "1.ipynb")
    assert each["1.ipynb"].time.timestamp() == 1_700_000_000
    assert each["2.ipynb"].origin == f"{name}/bob.tgz/b/2.ipynb"
    assert "2.ipynb" in taken(found({"bob.tgz": inner}))


@pytest.mark.parametrize("name", ["../1.ipynb", "a/../../1.ipynb", "/etc/1.ipynb", "C:\\1.ipynb"])
def test_a_name_that_leads_out_of_a_tar_file_is_refused(found, name, tmp_path):
    each = found(tarred({name: TEXT, "2.ipynb": TEXT}), "class.tgz")
    assert taken(each) == ["2.ipynb"]
    assert {other.reason for other in each.values() if isinstance(other, Refused)} == {
        "a name that leads out of its archive"
    }
    assert [path.name for path in tmp_path.iterdir()] == ["class.tgz"]


@pytest.mark.parametrize(
    ("kind", "reason"), [(tarfile.SYMTYPE, "a link"), (tarfile.LNKTYPE, "a link"), (tarfile.FIFOTYPE, "not a regular")]
)
def test_a_link_or_a_pipe_in_a_tar_file_is_refused(found, kind, reason):
    special = tarfile.TarInfo("1.ipynb")
    special.type, special.linkname = kind, "/etc/passwd"
    each = found(tarred({special: b"", "2.ipynb": TEXT}), "class.tar.gz")
    assert reason in each["1.ipynb"].reason
    assert taken(each) == ["2.ipynb"]


def test_what_a_tar_file_unpacks_to_is_counted_also_where_it_is_passed_over(found, monkeypatch):
    monkeypatch.setattr(grading.downloads, "MAX_BYTES", 100_000)
    bomb = tarred({"x.bin": bytes(10**7), "1.ipynb": TEXT})
    assert len(bomb) < 20_000
    each = found(bomb, "class.tgz")
    assert taken(each) == []
    assert "not a tar file that can be read" in each["class.tgz"].reason


def test_a_tar_file_whose_header_claims_to_be_huge_is_not_believed(found, monkeypatch):
    monkeypatch.setattr(grading.downloads, "CHUNK", 10_000)
    each = found(tarred({"x" * 20_000: TEXT}), "class.tgz")
    assert "not a tar file" in each["class.tgz"].reason


def test_a_tar_file_of_very_many_files_is_refused(found, monkeypatch):
    monkeypatch.setattr(grading.downloads, "MAX_MEMBERS", 2)
    each = found(tarred({f"{number}.ipynb": TEXT for number in range(3)}), "class.tgz")
    assert "too many" in each["class.tgz"].reason


def test_a_broken_tar_file_is_said_to_be_one_and_what_came_before_is_found(found):
    whole = tarred({"1.ipynb": TEXT, "2.ipynb": os.urandom(100_000)})
    each = found(whole[: len(whole) // 2], "class.tgz")
    assert taken(each) == ["1.ipynb"]
    assert "cannot be read" in each["2.ipynb"].reason
    assert "not a tar file" in found(b"nonsense", "class.tgz")["class.tgz"].reason


def test_a_chinese_name_of_an_old_tar_file_is_read(found):
    name = "张三_自注意力.ipynb"
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:", encoding="gb18030", format=tarfile.GNU_FORMAT) as archive:
        archive.addfile(tarfile.TarInfo(name))
    assert list(found(file.getvalue(), "class.tar")) == [name]


@pytest.mark.parametrize("name", ["class.rar", "class.7z", "class.tar.bz2"])
def test_an_archive_of_another_kind_is_said_to_need_unpacking(found, name):
    assert "unpack it" in found({name: b"Rar!"})[name].reason
