# pyright: reportMissingImports=false
"""Run on two processes: a model with adapters, cut into shards as FSDP 2 does, is whole again on the first of them.

python -m torch.distributed.run --nproc_per_node 2 tests/train/shards.py MODEL
"""

from __future__ import annotations

import sys

import torch
import torch.distributed as dist
from peft import get_peft_model
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

from training import models, sft
from training.adapters import lora
from training.presets import preset
from training.ranks import is_first

CHOSEN = preset("tiny", ["lora={rank: 4, alpha: 8, dropout: 0.0}"])


def main(place: str) -> None:
    dist.init_process_group("gloo")
    whole = models.load(place, device="cpu")[0]
    network = get_peft_model(whole, lora(CHOSEN, whole))
    with torch.no_grad():
        for name, one in network.named_parameters():
            if "lora" in name:
                one.normal_(generator=torch.Generator().manual_seed(len(name)))
    before = {name: one.clone() for name, one in network.state_dict().items()}
    mesh = init_device_mesh("cpu", (2,))
    for layer in network.base_model.model.model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(network, mesh=mesh)
    # What accelerate's get_state_dict does of a model of FSDP 2; its FSDP runs on GPUs alone.
    options = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True, cpu_offload=True)
    found = sft.joined(get_model_state_dict(network, options=options), place, CHOSEN)
    if is_first():
        after = found.state_dict()
        assert before.keys() == after.keys()
        assert all(torch.equal(before[name], after[name]) for name in before)
        sharded = next(network.parameters()).to_local().numel()
        print(f"whole again; a shard had {sharded} of {next(network.parameters()).numel()}")
    else:
        assert found is None
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1])
