"""Lays out what Sphinx reads, below build/docs: copies of the documents whose links lead to pages of the site.

    python -m docs.site.sources FOLDER

A document stays where it is and as a code host shows it. In the copy, a link to a document leads to its page, one to
the package ``smartsbd`` to its API, one to any other file to a page with its text, and one to a folder to a list of its
files. Code spans that name such a file become links too. Lines stay where they are, so that a warning of Sphinx names
the line of the document.
"""

from __future__ import annotations

import csv
import io
import json
import posixpath
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from docs.site.contents import CONTENTS, FRONT
from docs.site.public_package import PACKAGE, package_files

ROOT = Path(__file__).parents[2]
#: Folders of the site that no folder of the project has.
API, FILES = "api", "files"
#: The files themselves, which pages take in.
CONTENT = f"{FILES}/content"
#: Of the outputs of the pipeline: the page that shows all, and where the site lists the others.
REPORT, REPORTS = "reports/report.html", "reports/index.md"
#: Where tables of another profile's runs are: not to be taken for those of the default profile.
FULL = "reports/full/"
_IMAGES = (".png", ".svg")
#: A text of more bytes is only there to be downloaded.
_TEXT_BYTES = 200_000
_LANGUAGES = {
    "bash": (".sh",),
    "c": (".c", ".h"),
    "cpp": (".cc",),
    "json": (".json",),
    "makefile": ("Makefile", ".mk"),
    "python": (".py", ".pyi"),
    "rust": (".rs",),
    "toml": (".toml",),
    "yaml": (".yaml", ".yml", ".lock"),
}
#: What a page begins with that the side bar does not list.
_UNLISTED = "---\norphan: true\n---\n\n"
#: A fenced block, a link with its target, or a code span: the first that begins is taken.
_PIECES = re.compile(
    r"^[ \t]*(?P<fence>```+)[^`\n]*\n.*?^[ \t]*(?P=fence)[ \t]*$"
    r"|(?P<text>\[(?:[^\[\]]|\[[^\[\]]*\])*\])\((?P<target>[^)\s]+)\)"
    r"|(?<!`)`(?P<code>[^`\n]+)`(?!`)",
    re.MULTILINE | re.DOTALL,
)
_ELSEWHERE = re.compile(r"[a-z][a-z+.-]*:", re.IGNORECASE)


@dataclass
class Project:
    """The files of a project, and those of them that pages of the site show.

    Attributes
    ----------
    files : set of str
        Paths of all files that git knows, from the project's folder.
    packages : tuple of str
        Python packages whose docstrings the site has.
    documents : set of str
        Documents and notebooks of the site.
    shown : set of str
        Files with a page of their own, for a document links to them; grows as links are met.
    listed : set of str
        Folders with a page, in the same way.
    images : set of str
        Pictures that documents show or link to.
    """

    files: set[str]
    packages: tuple[str, ...]
    documents: set[str]
    shown: set[str] = field(default_factory=set)
    listed: set[str] = field(default_factory=set)
    images: set[str] = field(default_factory=set)

    def page_of(self, path: str) -> str | None:
        """Return the page that shows a file or folder, from the site's folder; None if the project has no such."""
        path = path.rstrip("/")
        return self._own_page(path) or (self._of_file(path) if path in self.files else self._of_folder(path))

    def page_of_file(self, path: str) -> str:
        """Return the page that shows a file which is there."""
        return self._own_page(path) or self._of_file(path)

    def _own_page(self, path: str) -> str | None:
        if path == REPORT:
            return REPORTS
        return {FRONT: "index.md"}.get(path, path) if path in self.documents else None

    def _of_file(self, path: str) -> str:
        if path == f"{PACKAGE}/__init__.py":
            return f"{API}/{PACKAGE}/index.rst"
        if path.endswith(_IMAGES):
            self.images.add(path)
            return path
        self.shown.add(path)
        return f"{FILES}/{path}.md"

    def _of_folder(self, path: str) -> str | None:
        if path == PACKAGE:
            return f"{API}/{PACKAGE}/index.rst"
        if f"{path}/README.md" in self.documents:
            return f"{path}/README.md"
        if not any(one.startswith(f"{path}/") for one in self.files):
            return None
        self.listed.add(path)
        return f"{FILES}/{path}/index.md"


def files_of(root: Path) -> Project:
    """Return the files of the project in a folder."""
    listed = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, capture_output=True, text=True, check=True).stdout.split("\0")
    settings = tomllib.loads((root / "pyproject.toml").read_text())
    return Project(
        files={name for name in names if name and (root / name).is_file()},
        packages=tuple(settings["tool"]["scikit-build"]["wheel"]["packages"].values()),
        documents={FRONT, *(name for names in CONTENTS.values() for name in names)},
    )


def rewritten(text: str, document: str, known: Project) -> str:
    """Return the text of a document with links to pages of the site in place of files of the project.

    Parameters
    ----------
    text : str
    document : str
        Path of the document, from the project's folder.
    known : Project
        Takes down which files and folders need a page.

    Raises
    ------
    FileNotFoundError
        If a link leads nowhere.
    """
    folder = posixpath.dirname(document)

    def relative(page: str) -> str:
        return posixpath.relpath(page, folder or ".")

    def piece(match: re.Match[str]) -> str:
        whole = match.group()
        if match["fence"]:
            return whole
        if match["code"]:
            page = _named(match["code"], known) if not _in_heading(match) else None
            return f"[{whole}]({relative(page)})" if page and page != document else whole
        if _ELSEWHERE.match(match["target"]) or match["target"].startswith("#"):
            return whole
        path, sign, anchor = match["target"].partition("#")
        page = known.page_of(posixpath.normpath(posixpath.join(folder, path)))
        if page is None:
            raise FileNotFoundError(f"{document}: nothing is at {match['target']}")
        return f"{match['text']}({relative(page)}{sign}{anchor})"

    return _PIECES.sub(piece, text)


def _in_heading(match: re.Match[str]) -> bool:
    line = match.string.rfind("\n", 0, match.start()) + 1
    return match.string.startswith("#", line)


def _named(code: str, known: Project) -> str | None:
    """Return the page of the file that a code span names by its path, or of a folder that ends in a slash."""
    if "/" not in code or not re.fullmatch(r"[\w./-]+", code) or code.startswith((".", "/")):
        return None
    is_package = code.endswith("/") and code.partition("/")[0] in known.packages and f"{code}__init__.py" in known.files
    return known.page_of(code) if code in known.files or is_package else None


def _table(text: str) -> str:
    """Return a CSV as a table of HTML: its cells are no Markdown."""
    rows = list(csv.reader(io.StringIO(text)))
    lines = []
    for number, row in enumerate(rows):
        kind = "td" if number else "th"
        lines.append("<tr>" + "".join(f"<{kind}>{escape(cell)}</{kind}>" for cell in row) + "</tr>")
    body = "\n".join(lines)
    return f'<div class="table-wrapper"><table class="docutils">\n{body}\n</table></div>\n'


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _language(path: str) -> str:
    return next((name for name, ends in _LANGUAGES.items() if path.endswith(ends)), "text")


def _page(path: str, content: bytes) -> str:
    """Return the page that shows a file: its text, a table, or a link to it where it is large or no text."""
    name = f"/{CONTENT}/{path}"
    head = f"{_UNLISTED}# {path}\n\n"
    if len(content) > _TEXT_BYTES or not _is_text(content):
        return f"{head}{{download}}`The file, {len(content) / 1000:.3g} kB <{name}>`\n"
    if path.endswith(".csv"):
        return head + _table(content.decode())
    return f"{head}```{{literalinclude}} {name}\n:language: {_language(path)}\n```\n"


def _contents() -> str:
    """Return the side bar: a list of pages for each section."""
    own = {
        "The evidence": [REPORTS],
        "Begin": [f"{API}/{PACKAGE}/index.rst"],
        "How to add to it": [f"{FILES}/index.md"],
    }
    blocks = []
    for title, documents in CONTENTS.items():
        lines = "\n".join([*documents, *own.get(title, [])])
        blocks.append(f"```{{toctree}}\n:hidden:\n:maxdepth: 1\n:caption: {title}\n\n{lines}\n```\n")
    return "\n" + "\n".join(blocks)


def _reports(known: Project, root: Path) -> str:
    """Return the page of what the pipeline left: its report if it is there, tables and figures in git."""
    lines = ["# Tables and figures", ""]
    if (root / REPORT).is_file():
        lines.append('<p><a href="report.html">The report of the last run</a> has them all on one page.</p>')
    else:
        lines.append(
            "The report of a run has them all on one page. It is not in git, and was not built when this site was: run"
        )
        lines.append("`make repro`, then `make docs`.")
    tables = sorted(path for path in known.files if path.startswith("reports/") and path.endswith(".csv"))
    figures = sorted(path for path in known.files if path.startswith("reports/figures/"))
    of_full = [path for path in tables if path.startswith(FULL)]
    for title, paths in (
        ("Tables", [path for path in tables if path not in of_full]),
        ("Tables of the profile full", of_full),
    ):
        lines += ["", f"## {title}", ""]
        for path in paths:
            page = posixpath.relpath(known.page_of_file(path), "reports")
            lines.append(f"- [{path.removeprefix('reports/')}]({page})")
    lines += ["", "## Figures", ""]
    for path in figures:
        known.images.add(path)
        name = path.removeprefix("reports/")
        lines += [f"### {name.removeprefix('figures/')}", "", f"![{name}]({name})", ""]
    return "\n".join(lines) + "\n"


def _folder(path: str, known: Project) -> str:
    """Return the page that lists the files of a folder."""
    inside = {one.removeprefix(f"{path}/") for one in known.files if one.startswith(f"{path}/")}
    lines = [f"{_UNLISTED}# {path}/", ""]
    for name in sorted({one.partition("/")[0] for one in inside}):
        if name in inside:
            page = posixpath.relpath(known.page_of_file(f"{path}/{name}"), f"{FILES}/{path}")
            lines.append(f"- [{name}]({page})")
        else:
            lines.append(f"- {name}/")
    return "\n".join(lines) + "\n"


def _write(path: Path, text: str) -> None:
    """Write a file unless it is there with this text, so that Sphinx reads again what has changed alone."""
    if not path.is_file() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def _notebook(text: str, document: str, known: Project) -> str:
    content = json.loads(text)
    for cell in content["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = rewritten("".join(cell["source"]), document, known)
    return json.dumps(content, ensure_ascii=False, indent=1)


def lay_out(root: Path, folder: Path) -> Project:
    """Write everything that Sphinx reads, and remove what it no longer shall.

    Parameters
    ----------
    root : Path
        The project.
    folder : Path
        Where to write; `source`, `package` and `extra` in it are this program's.

    Returns
    -------
    Project
        With every file and folder that has a page.
    """
    known = files_of(root)
    texts: dict[str, str] = {}
    for document in sorted(known.documents):
        text = (root / document).read_text()
        if document.endswith(".ipynb"):
            texts[document] = _notebook(text, document, known)
        elif document == FRONT:
            texts["index.md"] = rewritten(text, document, known) + _contents()
        else:
            texts[document] = rewritten(text, document, known)
    texts[REPORTS] = _reports(known, root)
    texts |= {f"{FILES}/{path}/index.md": _folder(path, known) for path in sorted(known.listed)}
    for path in sorted(known.shown):
        texts[f"{FILES}/{path}.md"] = _page(path, (root / path).read_bytes())
    pages = [page.removeprefix(f"{FILES}/") for page in texts if page.startswith(f"{FILES}/")]
    links = "".join(f"- [{page.removesuffix('.md').removesuffix('/index')}]({page})\n" for page in sorted(pages))
    intro = "# Files that documents link to\n\nThe rest of the project is not on this site.\n\n"
    texts[f"{FILES}/index.md"] = f"{intro}{links}"

    source = folder / "source"
    for name, text in texts.items():
        _write(source / name, text)
    copies = {path: path for path in known.images} | {f"{CONTENT}/{path}": path for path in known.shown}
    for name, path in copies.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(root / path, source / name)
    wanted = {source / name for name in (*texts, *copies)}
    for stale in [path for path in source.rglob("*") if path.is_file() and path not in wanted]:
        if not stale.is_relative_to(source / API):
            stale.unlink()
    for name, text in package_files(root).items():
        _write(folder / "package" / PACKAGE / name, text)
    shutil.rmtree(folder / "extra", ignore_errors=True)
    (folder / "extra/reports").mkdir(parents=True)
    if (root / REPORT).is_file():
        shutil.copy2(root / REPORT, folder / "extra" / REPORT)
    return known


if __name__ == "__main__":
    laid = lay_out(ROOT, Path(sys.argv[1]))
    print(f"{len(laid.documents)} documents, {len(laid.shown)} files and {len(laid.listed)} folders that they link to")
