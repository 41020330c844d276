"""Probe vectors, which show whether two machines produce the same vectors."""

import base64
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict

PROBES = (
    "Revenue",
    "cash and cash equivalents",
    "Which segment grew fastest?",
    "Net sales rose 12.4% to $3.2 billion.",
    "What does management expect for the gross margin next year?",
    "COMPANY: Example Corp PERIOD: 2021-Q3 Adjusted EBITDA was €45 million, up from €38 million.",
    "We repurchased 1.5 million shares during the quarter and paid a dividend of $0.22 per share.",
    "Operating expenses declined by 80 basis points as a share of sales, helped by lower freight "
    "rates, while higher wages offset about a third of the improvement.",
    "Turning to the outlook, we now expect full-year organic growth of between 4% and 6%, compared "
    "with our previous range of 3% to 5%, and free cash flow of at least $600 million.",
    "(in millions) | 2022 | 2021 Cash from operations | 1,204 | (37) Capital expenditures | (310) "
    "| (288) Proceeds from the sale of businesses | - | 95 Net change in cash | 894 | (230)",
)
"""Texts whose vectors a manifest keeps."""

_LIBRARIES = ("torch", "sentence-transformers", "transformers", "tokenizers", "faiss-cpu", "numpy")


class Machine(BaseModel):
    """The hardware and software that computed vectors."""

    model_config = ConfigDict(extra="forbid")

    device: str
    """`cpu`, or the name of a GPU."""

    instruction_set: str
    """Instructions that PyTorch uses, e.g. `AVX2`."""

    threads: int
    """Threads of a computation."""

    libraries: dict[str, str]
    """Version of each library, by name."""

    @classmethod
    def current(cls, device: Any) -> "Machine":
        """Describe this machine.

        Args:
            device: PyTorch device of the model.
        """
        import torch

        return cls(
            device=device_name(device),
            instruction_set=torch.backends.cpu.get_cpu_capability(),
            threads=torch.get_num_threads(),
            libraries={name: _version(name) for name in _LIBRARIES},
        )

    def __str__(self) -> str:
        """Return the parts that affect vectors, in one line."""
        threads = "1 thread" if self.threads == 1 else f"{self.threads} threads"
        return f"{self.device}, {self.instruction_set}, {threads}, torch {self.libraries['torch']}"


def device_name(device: Any) -> str:
    """Return `cpu`, or the name of a GPU.

    Args:
        device: PyTorch device.
    """
    import torch

    name: str = torch.cuda.get_device_name(device) if device.type == "cuda" else device.type
    return name


def name_arithmetic(dtype: str, device: str) -> str:
    """Name the arithmetic: `float32` on CPUs, `float32 on NVIDIA H100` on a GPU."""
    return dtype if device == "cpu" else f"{dtype} on {device}"


def pack_vectors(vectors: npt.NDArray[np.float32]) -> str:
    """Return vectors as base64 of little-endian float32."""
    return base64.b64encode(vectors.astype("<f4").tobytes()).decode()


def unpack_vectors(packed: str, dimension: int) -> npt.NDArray[np.float32]:
    """Return the vectors of the probes, shape (probes, dimension).

    Raises:
        ValueError: `packed` does not contain them.
    """
    numbers = np.frombuffer(base64.b64decode(packed, validate=True), "<f4")
    return numbers.reshape(len(PROBES), dimension)


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:  # FAISS, for example, has packages of other names
        return "not installed"
