"""The settings of a process in which every figure must be the same."""

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from ..measure import processor

BASE = {
    "CUDA_VISIBLE_DEVICES": "-1",  # none
    "OMP_NUM_THREADS": "2",
    "PYTHONHASHSEED": "0",
    "TZ": "UTC",
    "LC_ALL": "C.UTF-8",
}
"""Environment of the reference setting; the others change it."""

UNSET = ""
"""Value of a variable that a setting removes."""


@dataclass(frozen=True)
class Setting:
    """One setting of the process that computes the figures."""

    name: str
    """Name of its result files."""

    shows: str
    """The observation that it changes, if it changes anything; see `observe`."""

    environment: dict[str, str] = field(default_factory=dict)
    run: tuple[str, ...] = ()
    """Options of `inspect eval-set`."""

    connections: int = 10
    """Searches and calls of the model at once."""

    needs: str = ""
    """Flag that the processor must have."""

    same_bits: bool = False
    """Whether figures must equal the reference to the last bit."""


def _caps(variable: str, shows: str, values: dict[str, str]) -> list[Setting]:
    """Return a setting for each value of a variable, given with the flag that it needs."""
    return [
        Setting(f"{variable}={value}", shows, {variable: value}, needs=needs)
        for value, needs in values.items()
    ]


def _variants(variable: str, shows: str, *values: str) -> list[Setting]:
    """Return a setting for each value of a variable that no arithmetic depends on."""
    return [
        Setting(f"{variable}={value.replace('/', '-')}", shows, {variable: value}, same_bits=True)
        for value in values
    ]


def _concurrency(number: int) -> Setting:
    options = ("--max-connections", str(number))
    return Setting(f"connections={number}", "searches at once", {}, options, number, same_bits=True)


REFERENCE = Setting("reference", "threads", same_bits=True)

_LOWEST = {
    "ATEN_CPU_CAPABILITY": "default",
    "DNNL_MAX_CPU_ISA": "SSE41",
    "MKL_CBWR": "COMPATIBLE",
    "FAISS_SIMD_LEVEL": "NONE",
    "OPENBLAS_CORETYPE": "Nehalem",
}
_AVX2 = {
    "ATEN_CPU_CAPABILITY": "avx2",
    "DNNL_MAX_CPU_ISA": "AVX2",
    "FAISS_SIMD_LEVEL": "AVX2",
    "OPENBLAS_CORETYPE": "Haswell",
}
_OTHER_PROCESS = {"PYTHONHASHSEED": "77", "TZ": "America/St_Johns", "LC_ALL": "C"}

_SHUFFLED = ("--sample-shuffle", "8")
_ONE_BY_ONE = ("--max-connections", "1", "--max-samples", "1")

SETTINGS = (
    REFERENCE,
    Setting("all-threads", "threads", {"OMP_NUM_THREADS": UNSET}),
    Setting("1-thread", "threads", {"OMP_NUM_THREADS": "1"}),
    Setting("everything-lowest", "torch", _LOWEST),
    Setting("everything-AVX2", "torch", _AVX2, needs="avx512f"),
    Setting("other-process", "order of a set", _OTHER_PROCESS, (*_ONE_BY_ONE, *_SHUFFLED), 1,
            same_bits=True),
    *_caps("ATEN_CPU_CAPABILITY", "torch", {"default": "", "avx2": "avx2", "avx512": "avx512f"}),
    *_caps("DNNL_MAX_CPU_ISA", "oneDNN",
           {"SSE41": "", "AVX2": "avx2", "AVX512_CORE": "avx512f",
            "AVX512_CORE_BF16": "avx512_bf16"}),
    *_caps("MKL_CBWR", "MKL", {"COMPATIBLE": "", "AVX2": "avx2"}),
    *_caps("FAISS_SIMD_LEVEL", "FAISS", {"NONE": "", "AVX2": "avx2", "AVX512": "avx512f"}),
    *_caps("OPENBLAS_CORETYPE", "OpenBLAS",
           {"Nehalem": "", "Haswell": "avx2", "SkylakeX": "avx512f"}),
    *map(_concurrency, (1, 40)),
    Setting("max-samples=1", "samples at once", run=("--max-samples", "1"), same_bits=True),
    Setting("max-samples=20", "samples at once", run=("--max-samples", "20"), same_bits=True),
    Setting("shuffled", "first samples", run=_SHUFFLED, same_bits=True),
    *_variants("PYTHONHASHSEED", "order of a set", "1", "2", "3"),
    *_variants("TZ", "local time", "Asia/Tokyo", "America/St_Johns"),
    *_variants("LC_ALL", "locale", "C", "de_DE.UTF-8", "tr_TR.UTF-8"),
)  # fmt: skip
"""All settings, the reference first; it has 2 threads, 10 connections and hash seed 0."""

QUICK = tuple(
    setting
    for setting in SETTINGS
    if setting.name.startswith(("reference", "all-", "1-", "everything-", "other-"))
)
"""Those that differ most."""


@cache
def processor_flags() -> frozenset[str]:
    """Return the instruction sets of this processor, as Linux names them."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    flags = next((line.partition(":")[2] for line in lines if line.startswith("flags")), "")
    return frozenset(flags.split())


def is_possible(setting: Setting) -> bool:
    """Return whether this processor has the instructions of a setting."""
    return not setting.needs or setting.needs in processor_flags()


def describe_processor() -> str:
    """Name this processor and the widest instructions that it has."""
    wide = [
        flag for flag in ("avx2", "avx512f", "avx512_bf16", "amx_bf16") if flag in processor_flags()
    ]
    return f"{processor()} ({', '.join(wide) or 'no AVX2'})"
