// How many engines transcribe a recording together.
import { mostWorkers } from '../api/options.js';
import type { ModelInfo } from '../api/types.js';

/** What a device offers; what it does not tell is absent. */
export interface Device {
  readonly processors: number;
  readonly memoryBytes?: number | undefined;
  /** Why engines cannot work beside each other. */
  readonly whyOne?: string | undefined;
}

export type WorkersChoice = Pick<ModelInfo, 'workers' | 'workersReason'>;

/** Taken for a device that does not tell: a phone of some years ago. */
const leastMemory = 2 ** 31;
/** Of the memory, engines take no more than a quarter. */
const share = 4;
/** Where there are so many processors, one is left to the page, the detector, and other programs. */
const spareFrom = 4;

/** `engineBytes`: of one engine with its model. */
export function chooseWorkers(
  wanted: number | 'auto',
  { processors, memoryBytes = leastMemory, whyOne }: Device,
  engineBytes: number,
): WorkersChoice {
  if (whyOne !== undefined) return { workers: 1, workersReason: whyOne };
  if (wanted !== 'auto') return { workers: wanted, workersReason: 'asked for' };
  const byProcessors = processors < spareFrom ? processors : processors - 1;
  const byMemory = Math.floor(memoryBytes / share / engineBytes);
  if (byMemory < byProcessors) {
    return {
      workers: Math.max(1, byMemory),
      workersReason: 'as many as a quarter of the memory holds',
    };
  }
  return byProcessors > mostWorkers
    ? { workers: mostWorkers, workersReason: 'the most that help' }
    : { workers: byProcessors, workersReason: 'by the number of processors' };
}
