"""Tests without enough disk space, permissions, descriptors or memory, or with a wrong clock."""

import ctypes
import os
import resource
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.faults import FULL
from tests.faults.desk import COMMANDS, Command, Desk
from tests.faults.processes import apart

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

_WRITING = COMMANDS[1:]
_FEW = ("run", "prepare", "report")
_DAY = 24 * 3600.0


@pytest.mark.parametrize("name", _WRITING if FULL else _FEW)
def test_command_recovers_from_full_disk_or_read_only_folder(name: str, desk: Desk) -> None:
    def attempts() -> None:
        disk = _Disk(desk.work)
        [command] = desk.commands(name)
        desk.clear()
        before = disk.used()
        expected = _expected_result(command)
        needed = disk.used() - before
        for share in (0.0, 0.1, 0.3, 0.5, 0.7, 0.9) if FULL else (0.5,):
            disk.change(_ROOMY)
            desk.clear()
            size = disk.used() + int(share * needed)
            _run_twice(command, expected, partial(disk.change, size), partial(disk.change, _ROOMY))
        disk.change(_ROOMY)
        desk.clear()
        closed = partial(disk.change, _ROOMY, read_only=True)
        _run_twice(command, expected, closed, partial(disk.change, _ROOMY))

    apart(attempts)


@pytest.mark.parametrize("name", _WRITING if FULL else _FEW[1:])
def test_command_recovers_from_lack_of_descriptors_or_memory(name: str, desk: Desk) -> None:
    [command] = desk.commands(name)
    desk.clear()
    expected = _expected_result(command)

    def starve(kind: int, most: int) -> None:
        most += _address_space() if kind == resource.RLIMIT_AS else 0
        resource.setrlimit(kind, (most, most))

    for number in [8, 12, 16, 24, 48] if FULL else [16]:
        desk.clear()
        _run_twice(command, expected, partial(starve, resource.RLIMIT_NOFILE, number))
    for mib in [0, 16, 64, 128, 256] if FULL else [64]:
        desk.clear()
        _run_twice(command, expected, partial(starve, resource.RLIMIT_AS, mib << 20), memory=True)


@pytest.mark.parametrize("name", _WRITING if FULL else ("run", "report"))
def test_command_result_is_unaffected_by_clock_one_day_ahead(name: str, desk: Desk) -> None:
    import time_machine

    [command] = desk.commands(name)
    desk.clear()
    for _ in range(2):
        command.whole()
    expected = command.found()
    assert expected is not None
    desk.clear()
    assert command.whole(time_machine.travel(time.time() + _DAY, tick=True).start) == 0
    for path in desk.work.rglob("*"):
        moved = path.stat().st_mtime + _DAY
        os.utime(path, (moved, moved))
    command.whole()
    assert command.found() == expected


def _expected_result(command: Command) -> str:
    assert command.whole() == 0
    expected = command.found()
    assert expected is not None
    return expected


def _run_twice(
    command: Command,
    expected: str | None,
    fault: Callable[[], object],
    repair: Callable[[], object] = lambda: None,
    *,
    memory: bool = False,
) -> None:
    """Run a command under a fault, and again without it.

    The first run must either fail with a one-line error or finish its work; the second must
    finish it in any case. When memory is short, the system may also end the process with a signal,
    or the C library with its own message and exit code 127.
    """
    first = command.whole(fault)
    assert (
        first == 1
        or (memory and (-64 < first < 0 or first == 127))
        or (first == 0 and command.found() == expected)
    )
    repair()
    assert command.whole() == 0
    assert command.found() == expected


def _address_space() -> int:
    """Return the address space of this process, in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


_ROOMY = 256 << 20
_NEW_USER, _NEW_MOUNTS = 0x10000000, 0x00020000
_READ_ONLY, _REMOUNT = 1, 32
_LIBC = ctypes.CDLL(None, use_errno=True)


class _Disk:
    """An in-memory file system visible only to this process and its children; needs no privileges.

    If the kernel forbids it, a file size limit takes its place.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        user, group = os.getuid(), os.getgid()
        self._mounted = _LIBC.unshare(_NEW_USER | _NEW_MOUNTS) == 0
        if not self._mounted:
            return
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")
        Path("/proc/self/gid_map").write_text(f"0 {group} 1")
        self._mount(0, _ROOMY)

    def used(self) -> int:
        """Return the bytes in use."""
        if not self._mounted:
            return 0
        found = os.statvfs(self._folder)
        return (found.f_blocks - found.f_bfree) * found.f_frsize

    def change(self, size: int, *, read_only: bool = False) -> None:
        """Set the size in bytes."""
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
