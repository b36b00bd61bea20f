"""A virtual machine that boots a kernel of Debian's from memory, runs a script of `guest/` and ends.

Nothing is installed: the kernel's package is unpacked into `build/kernel/`. Without KVM, QEMU takes less than a minute.
"""

from __future__ import annotations

import gzip
import lzma
import re
import shutil
import subprocess
import tarfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

GUEST = Path(__file__).parent / "guest"
#: Beside the programs that `make kernel` builds.
TOOLS = ("busybox", "gcc", "ip", "qemu-system-x86_64", "tc")
_MODULES = ("veth", "sch_tbf")
_LONGEST_S = 300
_LIBRARY = re.compile(r"(/\S+) \(0x")


class UnavailableError(Exception):
    """A package or a tool is not to be had here; the message says which."""


def _packages(*words: str | Path, cwd: Path | None = None) -> str:
    """Run a program of apt's or dpkg's; what it says if it fails is the error."""
    try:
        return subprocess.run(words, capture_output=True, text=True, check=True, cwd=cwd).stdout
    except FileNotFoundError as error:
        raise UnavailableError(f"{words[0]}: not installed") from error
    except subprocess.CalledProcessError as error:
        raise UnavailableError(f"{words[0]}: {error.stderr.strip()}") from error


def newest_package(release: str) -> str:
    """Name of the newest package of a kernel, for example 6.1 or 6.12."""
    pattern = re.compile(rf"linux-image-{re.escape(release)}\.[\d.-]+(\+deb\d+)?-cloud-amd64")
    names = [
        line.split()[0] for line in _packages("apt-cache", "search", "--names-only", "^linux-image-6").splitlines()
    ]
    found = [name for name in names if pattern.fullmatch(name)]
    if not found:
        raise UnavailableError(f"apt-cache: no package of kernel {release}")
    return max(found, key=lambda name: [int(number) for number in re.findall(r"\d+", name)])


def unpacked(release: str, folder: Path) -> Path:
    """Folder with the newest package of a kernel, fetched if it is not there."""
    name = newest_package(release)
    own = folder / name
    if not own.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder) as part:
            _packages("apt-get", "download", name, cwd=Path(part))
            (archive,) = Path(part).glob("*.deb")
            _packages("dpkg-deb", "-x", archive, Path(part) / name)
            with suppress(FileExistsError):
                (Path(part) / name).rename(own)
    return own


def _copy_program(program: Path, root: Path) -> None:
    """Copy a program and the libraries that it is linked with."""
    shutil.copy(program, root / "tools" / program.name)
    for library in _LIBRARY.findall(subprocess.check_output(["ldd", program], text=True)):
        there = root / library.lstrip("/")
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, there)


def _copy_module(name: str, package: Path, number: int, root: Path) -> None:
    (packed,) = package.glob(f"lib/modules/*/kernel/**/{name}.ko*")
    content = packed.read_bytes()
    # They are loaded in the order of their names.
    plain = lzma.decompress(content) if packed.suffix == ".xz" else content
    (root / "modules" / f"{number}-{name}.ko").write_bytes(plain)


def _initramfs(package: Path, programs: list[Path], folder: Path, script: str, files: Sequence[Path]) -> Path:
    root, image = folder / "root", folder / "initramfs.gz"
    for name in ("bin", "tools", "modules", "files"):
        (root / name).mkdir(parents=True)
    shutil.copy(GUEST / script, root / "init")
    for file in files:
        shutil.copy(file, root / "files")
    shutil.copy(str(shutil.which("busybox")), root / "bin/busybox")
    for program in (*programs, Path(str(shutil.which("ip"))), Path(str(shutil.which("tc")))):
        _copy_program(program, root)
    traffic = [str(GUEST / "traffic.c"), "-o", str(root / "tools/traffic")]
    subprocess.run(["gcc", "-O2", "-Wall", "-Werror", "-static", *traffic], check=True)
    for number, name in enumerate(_MODULES):
        _copy_module(name, package, number, root)
    names = "".join(f"{path.relative_to(root)}\n" for path in sorted(root.rglob("*"))).encode()
    packed = subprocess.run(
        ["busybox", "cpio", "-o", "-H", "newc"], input=names, cwd=root, capture_output=True, check=True
    )
    image.write_bytes(gzip.compress(packed.stdout, 1))
    return image


def boot(package: Path, programs: list[Path], folder: Path, script: str = "init", files: Sequence[Path] = ()) -> Path:
    """Boot the kernel, with programs in its PATH; return the folder of what a script handed out.

    What it said stands in ``console`` there.

    Parameters
    ----------
    package : Path
        Of the kernel, as :func:`unpacked` returns it.
    programs : list of Path
    folder : Path
        An empty one.
    script : str
        Name in `guest/` of what runs as the first process.
    files : sequence of Path
        What it finds in ``/files``.
    """
    missing = [name for name in TOOLS if shutil.which(name) is None]
    if missing:
        raise UnavailableError(f"{', '.join(missing)}: not installed")
    image = _initramfs(package, programs, folder, script, files)
    archive, out = folder / "out.tar.gz", folder / "out"
    (kernel,) = package.glob("boot/vmlinuz-*")
    out.mkdir()
    console = out / "console"
    words = [
        *("qemu-system-x86_64", "-accel", "tcg", "-cpu", "max", "-smp", "1", "-m", "512", "-nodefaults"),
        *("-no-reboot", "-display", "none", "-serial", f"file:{console}", "-serial", f"file:{archive}"),
        *("-kernel", str(kernel), "-initrd", str(image), "-append", "console=ttyS0 quiet panic=-1"),
    ]
    with suppress(subprocess.TimeoutExpired):
        subprocess.run(words, stdin=subprocess.DEVNULL, check=True, timeout=_LONGEST_S)
    assert tarfile.is_tarfile(archive), console.read_text(errors="replace")
    with tarfile.open(archive) as packed:
        packed.extractall(out, filter="data")
    return out
