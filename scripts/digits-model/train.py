#!/usr/bin/env python3
"""Train a small Whisper-architecture model that transcribes spoken English digits.

Usage: train.py DATA OUT [--hours H] [--processes N]

DATA/fsdd/recordings/*.wav   Free Spoken Digit Dataset (8 kHz, real speakers)
DATA/tts/*.wav               output of synthesise.py (16 kHz, synthetic voices)
OUT/                         config.json, generation_config.json, vocab.json, model.safetensors,
                             report.json

The network is Whisper exactly (log-mel [80, 3000] -> conv stem -> encoder -> decoder with cross
attention, tied embedding); only the widths and the vocabulary are small. A frame classifier on the
encoder (digit and third of the word, every 20 ms) teaches the ear first and helps alignment later;
it is not exported.
"""

import argparse
import json
import pathlib
import random
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

from network import ALIGNMENT_HEAD, FRAME_CLASSES, Model, STATE, log_mel
from timeline import Batches, load
from scores import alignment_loss, evaluate, frame_loss, token_loss
from export import export


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--hours", type=float, default=1.0)
    parser.add_argument(
        "--processes",
        type=int,
        default=1,
        help="each trains on its own samples with one thread; gradients are averaged",
    )
    parser.add_argument("--resume", type=pathlib.Path, help="a checkpoint.pt to go on from")
    parser.add_argument(
        "--begin",
        type=float,
        default=0.0,
        help="how much of the plan that checkpoint has behind it, 0 to 1",
    )
    parser.add_argument("--lr", type=float, default=4e-4)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    if args.processes == 1:
        train_model(0, args)
    else:
        torch.multiprocessing.spawn(train_model, (args,), args.processes)


def train_model(rank, args):
    torch.set_num_threads(1)
    torch.manual_seed(1)
    random.seed(rank)
    if args.processes > 1:
        torch.distributed.init_process_group(
            "gloo", "tcp://127.0.0.1:29511", rank=rank, world_size=args.processes
        )
    train, test, unseen = load(args.data)
    if rank == 0:
        print(
            f"{len(train)} training words, {len(test)} test, {len(unseen)} of the unseen speaker",
            flush=True,
        )
    model, head = Model(), nn.Linear(STATE, FRAME_CLASSES)
    if args.resume:
        saved = torch.load(args.resume)
        model.load_state_dict(saved["model"], strict=False)
        if saved["head"]["weight"].shape == head.weight.shape:
            head.load_state_dict(saved["head"])
    parameters = [p for p in list(model.parameters()) + list(head.parameters()) if p.requires_grad]
    optimiser = torch.optim.AdamW(parameters, lr=args.lr, betas=(0.9, 0.98), weight_decay=0.01)
    torch.set_flush_denormal(True)
    budget, began = args.hours * 3600, time.time()

    def progress():
        return min(1.0, args.begin + (1 - args.begin) * (time.time() - began) / budget)

    def plan(step, rng):
        done = progress()
        if done < 0.25:  # dense and clean
            return 3.0, 24, 6, rng.random() < 2 * done
        if done < 0.45:
            return rng.choice([3.0, 4.0, 5.0]), 20, None, True
        if done < 0.75:
            seconds = rng.choice([3.0, 5.0, 8.0, 12.0])
            return seconds, max(4, int(80 / seconds)), None, True
        seconds = rng.choice([6.0, 12.0, 20.0, 30.0])
        return seconds, max(3, int(100 / seconds)), None, True

    loader = torch.utils.data.DataLoader(
        Batches(train, 11 + int(100 * args.begin) + 1000 * rank, plan),
        batch_size=None,
        num_workers=1,
        prefetch_factor=4,
        multiprocessing_context="fork",
    )
    model.train()
    average, ear, aligned, report = None, None, float("nan"), {}
    for step, (audio, tokens, weight, frames, heard) in enumerate(loader):
        done = progress()
        if args.processes > 1:  # all stop at the same step
            clock = torch.tensor([done])
            torch.distributed.all_reduce(clock, torch.distributed.ReduceOp.MAX)
            done = float(clock)
        if done >= 1:
            break
        rate = min(1, (step + 1) / 80) * (1.0 if done < 0.5 else max(0.03, (1 - done) / 0.5))
        for group in optimiser.param_groups:
            group["lr"] = args.lr * rate
        mel = log_mel(audio)
        if random.random() < (0.1 if done < 0.5 else 0.25) and mel.shape[2] < 3000:
            # The rest of a window: silence (zero samples) or, at the end of a longer file, zeros
            # after normalization.
            spoken, longer = mel.shape[2], mel.shape[2] + random.choice(
                [200, 600, 1200] if done > 0.5 else [200]
            )
            fill = mel.amin(dim=(1, 2))[:, None, None] * random.randrange(2)
            mel = F.pad(mel, (0, min(3000, longer) - spoken))
            mel[:, :, spoken:] = fill
        drop = 0.05 if done > 0.5 else 0.0
        encoded = model.encoder(mel, drop)
        helper = frame_loss(head, encoded, frames)
        if done < 0.15:  # first the ear alone
            main_loss, loss = torch.tensor(float("nan")), helper
        else:
            main_loss = token_loss(
                model.decoder(tokens[:, :-1], encoded, drop), tokens[:, 1:], weight
            )
            aligned = alignment_loss(
                model.decoder.layers[ALIGNMENT_HEAD[0]].encoder_attn.weights[:, ALIGNMENT_HEAD[1]],
                heard,
            )
            loss = main_loss + 0.5 * helper + 0.3 * aligned
        optimiser.zero_grad()
        loss.backward()
        if args.processes > 1:
            together = torch.cat(
                [
                    p.grad.flatten() if p.grad is not None else torch.zeros(p.numel())
                    for p in parameters
                ]
            )
            torch.distributed.all_reduce(together)
            at = 0
            for p in parameters:
                p.grad = (together[at : at + p.numel()] / args.processes).view_as(p)
                at += p.numel()
        if not torch.isfinite(nn.utils.clip_grad_norm_(parameters, 1.0)):
            print(f"step {step}: gradients are not finite, left out", flush=True)
            continue
        optimiser.step()
        now = main_loss.item()
        average = now if average is None or average != average else 0.98 * average + 0.02 * now
        ear = helper.item() if ear is None else 0.98 * ear + 0.02 * helper.item()
        if rank:
            continue
        if step % 100 == 0:
            print(
                f"step {step} done {done:.3f} loss {average:.4f} frames {ear:.4f}"
                f" alignment {float(aligned):.4f}",
                flush=True,
            )
        if step % 500 == 499 and done < 0.15:
            torch.save(
                {"model": model.state_dict(), "head": head.state_dict()}, args.out / "checkpoint.pt"
            )
        elif step % 500 == 499:
            report = {
                "done": round(done, 3),
                "test speakers": evaluate(model, test, 4.0, 0, 30, 5),
                "unseen speaker": evaluate(model, unseen, 4.0, 0, 30, 5),
            }
            print(json.dumps(report), flush=True)
            torch.save(
                {"model": model.state_dict(), "head": head.state_dict()}, args.out / "checkpoint.pt"
            )
    if rank:
        return
    torch.save({"model": model.state_dict(), "head": head.state_dict()}, args.out / "checkpoint.pt")
    model.eval()
    report = {
        f"{name}, {seconds:g} s of digits in a 30 s window": evaluate(
            model, words, seconds, 30 - seconds, 60, 5
        )
        for name, words in (("test recordings of known speakers", test), ("unseen speaker", unseen))
        for seconds in (5.0, 12.0, 29.0)
    }
    report["steps"] = step
    print(json.dumps(report, indent=1), flush=True)
    export(model, args.out, report)


if __name__ == "__main__":
    main()
