// Pieces of audio become 16 kHz mono in the engine, a piece at a time, so that no whole recording is copied or resampled at once.
import type { AudioShape, EngineLink } from '../protocol/engine.js';
import { sampleRate } from '../api/generated/whisper.js';
import { leave } from './leave.js';
import { orAborted } from '../api/signals.js';
import { joined } from '../api/joined.js';

/** Interleaved samples, or bytes of a WAV file. */
export type Piece =
  | { readonly samples: Float32Array; readonly sampleRate: number; readonly channels: number }
  | { readonly wav: Uint8Array };

/** What may be pulled: a generator, or an iterator of a caller's stream. */
export interface PieceSource {
  next(): Promise<IteratorResult<Piece, undefined>> | IteratorResult<Piece, undefined>;
  return?(value: undefined): unknown;
  /** Takes back the memory of a piece that has no other owner. */
  recycle?(memory: Uint8Array | Float32Array): void;
}

export interface Converted {
  readonly samples: Float32Array;
  readonly isLast: boolean;
}

export interface ConversionOptions {
  readonly engine: EngineLink;
  readonly signal: AbortSignal | undefined;
  /** So many samples are held back; a recording that has no more comes out in one. */
  readonly heldBack: number;
  /** The pieces have no other owner. */
  readonly givesAway: boolean;
  /** Seconds of audio converted so far. */
  readonly onProgress?: ((seconds: number) => void) | undefined;
}

/** 16 kHz mono as it is pulled. Closes the source when it is left. */
export async function* converted(
  source: PieceSource,
  { engine, signal, heldBack, givesAway, onProgress }: ConversionOptions,
): AsyncGenerator<Converted, undefined> {
  let open: { readonly id: number; readonly shape: AudioShape } | undefined;
  /** Samples of conversions that have ended since the last output. */
  let kept: Float32Array[] = [];
  let keptCount = 0;
  let given = 0;
  let holds = heldBack;
  let isOver = false;
  const all = (rest: Float32Array): Float32Array => {
    const samples = kept.length === 0 ? rest : joined([...kept, rest], Float32Array);
    kept = [];
    keptCount = 0;
    given += samples.length;
    return samples;
  };
  try {
    for (;;) {
      const step = await orAborted(Promise.resolve(source.next()), signal);
      if (step.done) break;
      const piece = step.value;
      const shape = shapeOf(piece);
      if (open && !isSame(open.shape, shape)) {
        const rest = await engine.call('endConversion', { id: open.id });
        open = undefined;
        kept.push(rest);
        keptCount += rest.length;
      }
      open ??= { id: await engine.call('beginConversion', shape), shape };
      const { id } = open;
      const bytes = 'wav' in piece ? piece.wav : piece.samples;
      const { ready, piece: spent } = await engine.call(
        'convertPiece',
        { id, piece: bytes },
        { signal, givesAway },
      );
      if (givesAway) source.recycle?.(spent);
      onProgress?.((given + keptCount + ready) / sampleRate);
      if (ready > 0 && ready + keptCount > holds) {
        holds = 0;
        yield { samples: all(await engine.call('takeConverted', { id })), isLast: false };
      }
    }
    isOver = true;
    const ended = open;
    open = undefined;
    const rest = ended ? await engine.call('endConversion', { id: ended.id }) : new Float32Array();
    yield { samples: all(rest), isLast: true };
  } finally {
    if (!isOver) leave(source);
    if (open) void engine.call('dropConversion', { id: open.id }).catch(() => undefined);
  }
}

const shapeOf = (piece: Piece): AudioShape =>
  'wav' in piece
    ? { kind: 'wav' }
    : { kind: 'samples', sampleRate: piece.sampleRate, channels: piece.channels };

const isSame = (a: AudioShape, b: AudioShape): boolean =>
  a.kind === 'samples' && b.kind === 'samples'
    ? a.sampleRate === b.sampleRate && a.channels === b.channels
    : a.kind === b.kind;
