// How many engines transcribe a recording together.
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
/** Engines take no more than a quarter of the memory. */
const share = 4;
/** Where there are so many processors, one is left to the page, the detector, and other programs. */
const spareFrom = 4;
/** 15 engines of tiny.en took 0.8 to 1 of the time of 8, with twice the memory, on 16 processors; 8 took 0.37 of that of two. */
const mostAlone = 8;
/** Engines with threads do best with so many: on 16 processors four of them took 0.8 of the time of 15 with one thread. */
const threadsOfEach = 4;

/** `engineBytes`: of one engine with its model. `threads`: of that engine. */
export function chooseWorkers(
  wanted: number | 'auto',
  { processors, memoryBytes = leastMemory, whyOne }: Device,
  { engineBytes, threads }: { readonly engineBytes: number; readonly threads: number },
): WorkersChoice {
  if (whyOne !== undefined) return { workers: 1, workersReason: whyOne };
  if (wanted !== 'auto') return { workers: wanted, workersReason: 'asked for' };
  const alone = processors < spareFrom ? processors : Math.min(mostAlone, processors - 1);
  const byProcessors = threads === 1 ? alone : Math.max(1, Math.floor(processors / threadsOfEach));
  const most = Math.min(mostAlone, byProcessors);
  const byMemory = Math.max(1, Math.floor(memoryBytes / share / engineBytes));
  if (byMemory < most) {
    return { workers: byMemory, workersReason: 'as many as a quarter of the memory holds' };
  }
  const how = threads === 1 ? '' : ', which their threads share';
  return { workers: most, workersReason: `by the number of processors${how}` };
}
