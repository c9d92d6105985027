// One number for a whole call, from what its phases report.
import type { Progress } from './types.js';

type Phase = Progress['phase'];

/** What a phase reports. withProgress() adds `overall`. */
export type PhaseProgress = Omit<Progress, 'overall'>;

/** How the phases of a call make one bar. */
export interface ProgressPlan {
  /** What each phase costs, against the others; 1 if absent. Whole numbers, so that sums are exact. */
  readonly costs?: Partial<Record<Phase, number>>;
  /** The phase that every such call ends with. If it is reported first, and with its length, the bar shows it alone. */
  readonly main?: Phase;
  /** The others are over when the main phase advances; else they advance beside it. */
  readonly inTurn?: boolean;
}

/** Decoding takes a few hundredths of the time that the engine needs. */
export const transcribing: ProgressPlan = {
  costs: { download: 1, decode: 1, wait: 0, transcribe: 18 },
  main: 'transcribe',
  inTurn: true,
};

/** The network is slower than all that is done with its bytes. */
export const loading: ProgressPlan = {
  costs: { download: 8, inspect: 0, convert: 1, load: 1 },
  main: 'load',
};

/** A download that is converted, or kept as it is. */
export const pulling: ProgressPlan = { costs: { download: 8, inspect: 0, convert: 2 } };

/** Looking at a checkpoint is quick. */
export const converting: ProgressPlan = {
  costs: { inspect: 1, convert: 9 },
  main: 'convert',
  inTurn: true,
};

/** Both read the whole model. */
export const repacking: ProgressPlan = { main: 'convert', inTurn: true };

/** A call whose phases all count alike. */
export const anyWork: ProgressPlan = {};

/** A repository's small files may come before the weights; their length tells nothing about the model's. */
const leastModelBytes = 2 ** 20;

/** Where a length is unknown, so much of it is half of the phase. */
const halfOfUnknown = { seconds: 300, bytes: 1e8 };

/** Adds up one call. */
export class OverallProgress {
  readonly #plan: ProgressPlan;
  /** 0 to 1, of each phase that was reported or will be. */
  readonly #parts = new Map<Phase, number>();
  #isMainAlone = false;
  #overall = 0;

  constructor(plan: ProgressPlan) {
    this.#plan = plan;
  }

  /** How much of the call is done, with this report: never less than before. */
  add(report: PhaseProgress): number {
    const { main } = this.#plan;
    if (this.#parts.size === 0) {
      this.#isMainAlone = report.phase === main && report.fraction !== undefined;
      if (main) this.#parts.set(main, 0);
    }
    // The bytes of one file may come from both.
    const phase = report.phase === 'cache' ? 'download' : report.phase;
    this.#parts.set(phase, partOf(report));
    this.#overall = Math.max(this.#overall, this.#sum());
    return this.#overall;
  }

  /** All is done, whatever the phases said. */
  finish(): void {
    this.#overall = 1;
  }

  #sum(): number {
    const { costs = {}, main, inTurn = false } = this.#plan;
    const mainPart = (main && this.#parts.get(main)) ?? 0;
    if (this.#isMainAlone) return mainPart;
    let done = 0;
    let all = 0;
    for (const [phase, part] of this.#parts) {
      const cost = costs[phase] ?? 1;
      const isOver = inTurn && mainPart > 0 && phase !== main;
      done += cost * (isOver ? 1 : part);
      all += cost;
    }
    return all > 0 ? done / all : 0;
  }
}

function partOf({ phase, loaded, total, fraction, source }: PhaseProgress): number {
  if (source !== undefined && total !== undefined) {
    return Math.min(1, loaded / Math.max(total, leastModelBytes));
  }
  // Not NaN, either.
  if (fraction !== undefined && fraction >= 0) return Math.min(1, fraction);
  const isSeconds = phase === 'decode' || phase === 'transcribe';
  const half = isSeconds ? halfOfUnknown.seconds : halfOfUnknown.bytes;
  return loaded > 0 ? loaded / (loaded + half) : 0;
}
