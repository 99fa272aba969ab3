"""A model that answers many conversations at once, and remembers what each of its tokens was worth to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from training.chat import Messages
from training.models import ends_of, need_template

LARGEST = 64
"""Conversations in one batch: more are answered one batch after the other."""
TOKENS = 8192
"""Tokens of one pass over answers: what is more is done in several."""


class Said(msgspec.Struct, frozen=True):
    """An answer. Log-probabilities are those of the distribution that was drawn from, one for each token of `ids`, the
    end's included; `cut`: the answer ran into the limit and has no end."""

    text: str
    prompt: tuple[int, ...]
    ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    cut: bool


class Speaker:
    """Answers conversations with a causal language model of transformers."""

    def __init__(
        self, model: Any, tokenizer: Any, *, answer_tokens: int, temperature: float = 0.0, seed: int = 0
    ) -> None:
        """`temperature` 0: the likeliest token each time; else drawn, by `seed`, from the whole distribution. Raises
        ModelMissing for a model without a chat template."""
        import torch

        need_template(tokenizer)
        self.model = model
        self.tokenizer = tokenizer
        self._ends = ends_of(tokenizer)
        self.answer_tokens = answer_tokens
        self.temperature = temperature
        self.tokens = 0
        """Tokens of answers so far."""
        self._draws = torch.Generator(device=model.device).manual_seed(seed)

    def answer(self, conversations: Sequence[Messages]) -> list[Said]:
        """An answer to each, in their order."""
        prompts = [prompt_ids(self.tokenizer, one) for one in conversations]
        order = sorted(range(len(prompts)), key=lambda k: len(prompts[k]))
        found: dict[int, Said] = {}
        for start in range(0, len(order), LARGEST):
            these = order[start : start + LARGEST]
            found.update(zip(these, self._batch([prompts[k] for k in these]), strict=True))
        return [found[k] for k in range(len(prompts))]

    def _batch(self, prompts: list[list[int]]) -> list[Said]:
        import torch
        from transformers import DynamicCache

        ids, mask = padded(prompts, self.tokenizer.pad_token_id, self.model.device)
        ends = torch.tensor(self._ends, device=ids.device)
        positions = (mask.cumsum(1) - 1).clamp(min=0)
        made: list[Any] = []
        logprobs: list[Any] = []
        cache = DynamicCache(config=self.model.config)
        over = torch.zeros(len(prompts), dtype=torch.bool, device=ids.device)
        now, where = ids, positions
        with torch.inference_mode():
            for _ in range(self.answer_tokens):
                out = self.model(
                    input_ids=now,
                    attention_mask=mask,
                    position_ids=where,
                    cache=cache,
                    use_cache=True,
                    logits_to_keep=1,
                )
                token, logprob = self._choose(out.logits[:, -1].float())
                token = torch.where(over, ends[0], token)
                made.append(token)
                logprobs.append(logprob)
                over = over | torch.isin(token, ends)
                if bool(over.all()):
                    break
                now, where = token[:, None], where[:, -1:] + 1
                mask = torch.cat([mask, torch.ones_like(mask[:, :1])], dim=1)
        tokens = torch.stack(made, 1).tolist()
        worth = torch.stack(logprobs, 1).tolist()
        return [self._said(*one) for one in zip(prompts, tokens, worth, strict=True)]

    def _choose(self, logits: Any) -> tuple[Any, Any]:
        """A token for each row, and its log-probability."""
        import torch

        scores = torch.log_softmax(logits / (self.temperature or 1.0), dim=-1)
        if self.temperature:
            token = torch.multinomial(scores.exp(), 1, generator=self._draws)
        else:
            token = scores.argmax(-1, keepdim=True)
        return token[:, 0], scores.gather(1, token)[:, 0]

    def _said(self, prompt: list[int], tokens: list[int], logprobs: list[float]) -> Said:
        length = next((k + 1 for k, token in enumerate(tokens) if token in self._ends), len(tokens))
        kept = tokens[:length]
        self.tokens += length
        text = said_text(self.tokenizer, kept, self._ends)
        return Said(text, tuple(prompt), tuple(kept), tuple(logprobs[:length]), kept[-1] not in self._ends)


def prompt_ids(tokenizer: Any, messages: Messages) -> list[int]:
    """The tokens of a conversation, up to where the answer begins."""
    return list(tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=True, return_dict=False))


def said_text(tokenizer: Any, ids: Sequence[int], ends: Sequence[int]) -> str:
    """The text of an answer's tokens, without its end."""
    return tokenizer.decode([one for one in ids if one not in ends], skip_special_tokens=True)


def answer_scores(model: Any, said: Sequence[Said], temperature: float = 1.0) -> tuple[Any, Any, Any]:
    """One pass over these answers: the log-probability of every token of the vocabulary where each of their tokens
    stands, shape (answers, longest, vocabulary); their tokens, and 1 where there is one and 0 before it, both of shape
    (answers, longest). Answers stand to the right."""
    ids, mask = padded([[*one.prompt, *one.ids] for one in said], 0, model.device)
    longest = max(len(one.ids) for one in said)
    out = model(
        input_ids=ids,
        attention_mask=mask,
        position_ids=(mask.cumsum(1) - 1).clamp(min=0),
        logits_to_keep=longest + 1,
        use_cache=False,
    )
    scores = (out.logits[:, :-1].float() / temperature).log_softmax(dim=-1)
    kept = [[0.0] * (longest - len(one.ids)) + [1.0] * len(one.ids) for one in said]
    return scores, ids[:, -longest:], scores.new_tensor(kept)


def token_logprobs(model: Any, said: Sequence[Said], temperature: float = 1.0) -> list[list[float]]:
    """The log-probability of each token of each answer, in their order."""
    import torch

    found: dict[int, list[float]] = {}
    for places in alike(said):
        these = [said[k] for k in places]
        with torch.inference_mode():
            scores, ids, _ = answer_scores(model, these, temperature)
            worth = scores.gather(2, ids[..., None])[..., 0].tolist()
        found.update((k, row[-len(said[k].ids) :]) for k, row in zip(places, worth, strict=True))
    return [found[k] for k in range(len(said))]


def alike(said: Sequence[Said], tokens: int = TOKENS) -> Iterator[list[int]]:
    """Places of answers of about one length together, at most so many that their padded tokens are `tokens`."""
    lengths = [len(one.prompt) + len(one.ids) for one in said]
    part: list[int] = []
    for k in sorted(range(len(said)), key=lambda k: lengths[k]):
        if part and (len(part) + 1) * lengths[k] > tokens:
            yield part
            part = []
        part.append(k)
    if part:
        yield part


def padded(rows: Sequence[Sequence[int]], pad: int, device: Any) -> tuple[Any, Any]:
    """Rows of tokens, padded on the left to one length, and the mask of what is no padding."""
    import torch

    width = max(map(len, rows))
    ids = torch.tensor([[pad] * (width - len(row)) + list(row) for row in rows], device=device)
    mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows], device=device)
    return ids, mask
