"""A machine that lacks something: room, the right to write, descriptors, memory, the right time."""

import ctypes
import os
import resource
import time
from collections.abc import Callable
from pathlib import Path

from .desk import Command, Desk
from .row import Row

_WRITING = ("run", "prepare", "facts", "report", "rejudge", "references", "meta-eval")
_FEW = ("run", "prepare", "report")
_DAY = 24 * 3600.0


def full_disk(row: Row, quick: bool, folder: Path, material: Path) -> None:
    """Type commands where there is room for a part of what they write, then again with room."""
    disk = _Disk(row, folder / "w")
    desk = Desk(material, folder / "w")
    for command in desk.commands(*(_FEW if quick else _WRITING)):
        disk.change(_ROOMY)
        desk.clear()
        before = disk.used()
        expected = _whole(command)
        wanted = disk.used() - before
        for share in (0.5,) if quick else (0.0, 0.1, 0.3, 0.5, 0.7, 0.9):
            desk.clear()
            size = disk.used() + int(share * wanted)

            def full(size: int = size) -> None:
                disk.change(size)

            _again(
                row,
                command,
                expected,
                full,
                lambda: disk.change(_ROOMY),
                f"with {share:.0%} of room",
            )
            disk.change(_ROOMY)


def read_only(row: Row, quick: bool, folder: Path, material: Path) -> None:
    """Type commands where nothing can be written, then again where it can."""
    disk = _Disk(row, folder / "w")
    desk = Desk(material, folder / "w")
    for command in desk.commands(*(_FEW if quick else _WRITING)):
        desk.clear()
        expected = _whole(command)
        desk.clear()
        _again(
            row,
            command,
            expected,
            lambda: disk.change(_ROOMY, read_only=True),
            lambda: disk.change(_ROOMY),
        )


def limits(row: Row, quick: bool, folder: Path, material: Path) -> None:
    """Type commands with few descriptors and with little memory, then again with enough."""
    desk = Desk(material, folder / "w")
    descriptors = [16] if quick else [8, 12, 16, 24, 48]
    memory = [64] if quick else [0, 16, 64, 128, 256]
    for command in desk.commands(*(_FEW[1:] if quick else _WRITING)):
        desk.clear()
        expected = _whole(command)
        for kind, numbers in (("descriptors", descriptors), ("memory", memory)):
            for number in numbers:
                desk.clear()

                def starve(kind: str = kind, number: int = number) -> None:
                    if kind == "descriptors":
                        resource.setrlimit(resource.RLIMIT_NOFILE, (number, number))
                    else:
                        most = _mapped() + (number << 20)
                        resource.setrlimit(resource.RLIMIT_AS, (most, most))

                _again(row, command, expected, starve, what=f"with {number} of {kind}")


def clock(row: Row, quick: bool, folder: Path, material: Path) -> None:
    """Type commands while the clock is a day ahead, and again when it is right."""
    import time_machine

    row.note = "the clock of the process, and the times of files"
    desk = Desk(material, folder / "w")
    for command in desk.commands(*(("run", "report") if quick else _WRITING)):
        desk.clear()
        for _ in range(2):
            command.whole()
        expected = command.found()
        desk.clear()
        travel = time_machine.travel(time.time() + _DAY, tick=True)
        first = command.whole(travel.start)
        for path in desk.work.rglob("*"):
            moved = path.stat().st_mtime + _DAY
            os.utime(path, (moved, moved))
        command.whole()
        found = command.found()
        row.count(lost=first != 0, wrong=found != expected, what=f"{command.name}: {found}"[:500])


def _whole(command: Command) -> str | None:
    if code := command.whole():
        raise SystemExit(f"{command.name}: exit status {code}")
    return command.found()


def _again(
    row: Row,
    command: Command,
    expected: str | None,
    fault: Callable[[], None],
    mend: Callable[[], None] = lambda: None,
    what: str = "",
) -> None:
    """Type a command under a fault, and again without it.

    The first must end with a line on what is wrong, or else have done all its work; the second
    must do it in any case. Where memory is short the system may also end it by a signal, or the C
    library with a line of its own and status 127.
    """
    first = command.whole(fault)
    honest = (
        first == 1
        or ("memory" in what and (-64 < first < 0 or first == 127))
        or (first == 0 and command.found() == expected)
    )
    mend()
    second = command.whole()
    found = command.found()
    row.count(
        lost=found is None,
        wrong=found != expected or not honest,
        what=f"{command.name} {what}, status {first}, then {second}: {found}"[:500],
    )


def _mapped() -> int:
    """Address space of this process, in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


_ROOMY = 256 << 20
_NEW_USER, _NEW_MOUNTS = 0x10000000, 0x00020000
_READ_ONLY, _REMOUNT = 1, 32
_LIBC = ctypes.CDLL(None, use_errno=True)


class _Disk:
    """A file system in memory that only this process and its children see; needs no rights.

    Where the kernel allows none, a limit on the size of files stands for it, and the row says so.
    """

    def __init__(self, row: Row, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        user, group = os.getuid(), os.getgid()
        self._mounted = _LIBC.unshare(_NEW_USER | _NEW_MOUNTS) == 0
        if not self._mounted:
            row.note = "no file system of its own here: a limit on the size of files stands for it"
            return
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")
        Path("/proc/self/gid_map").write_text(f"0 {group} 1")
        self._mount(0, _ROOMY)

    def used(self) -> int:
        """Bytes in use."""
        if not self._mounted:
            return 0
        found = os.statvfs(self._folder)
        return (found.f_blocks - found.f_bfree) * found.f_frsize

    def change(self, size: int, *, read_only: bool = False) -> None:
        """Set its size in bytes."""
        if self._mounted:
            self._mount(_REMOUNT | (_READ_ONLY if read_only else 0), size)
        elif size < _ROOMY or read_only:
            most = 0 if read_only else size
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))

    def _mount(self, flags: int, size: int) -> None:
        options = f"size={max(size, resource.getpagesize())}".encode()
        if _LIBC.mount(b"tmpfs", bytes(self._folder), b"tmpfs", flags, options):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(self._folder))
