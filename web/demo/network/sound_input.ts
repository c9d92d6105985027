// Networks that take sound: a recording is given to them frame by frame.
import type {
  GraphModule,
  ModuleDescription,
  ModuleInput,
  ModuleOutput,
  ModuleTensor,
} from '../../src/graph.js';

/** 10 ms: shorter rows are no sound. */
const leastFrame = 160;
/** Between messages to the engine the page is told how far it is. */
const framesPerReport = 32;

/** How a network is given sound. */
export interface SoundInput {
  /** Index of the input for sound, and its shape. */
  readonly sound: number;
  readonly shape: readonly number[];
  /** Samples of a frame that are new; those before them are of the frame before. Absent where a frame may be of any length. */
  readonly step?: number;
  /** What it remembers: index of the input → index of the output that it is fed with next time. */
  readonly remembered: ReadonlyMap<number, number>;
}

/**
 * Undefined for a network that takes no sound. One does where one input is a long row of numbers, and each other one has the shape of an
 * output, which it gets back with the next frame.
 */
export function soundInputOf(
  { inputShapes, nodes, outputs }: ModuleDescription,
  inputs: readonly ModuleInput[],
): SoundInput | undefined {
  const rows = inputShapes.flatMap((shape, i) => (isRow(shape) ? [i] : []));
  const [sound] = rows;
  if (sound === undefined || rows.length > 1) return undefined;
  const free = new Map(
    outputs.map((node, i) => [i, nodes[node]?.outputs[0]?.shape.join('×') ?? '']),
  );
  const remembered = new Map<number, number>();
  for (const [i, shape] of inputShapes.entries()) {
    if (i === sound) continue;
    const output = [...free].find(([, own]) => own === shape.join('×'))?.[0];
    if (output === undefined) return undefined;
    free.delete(output);
    remembered.set(i, output);
  }
  const shape = inputShapes[sound] ?? [];
  // Where any length will do, all of the recording is one frame.
  const step = inputs[sound]?.shape?.at(-1) === null ? undefined : stepOf(shape.at(-1) ?? 0);
  return { sound, shape, remembered, ...(step !== undefined && { step }) };
}

const isRow = (shape: readonly number[]): boolean =>
  (shape.at(-1) ?? 0) >= leastFrame && shape.slice(0, -1).every((dim) => dim === 1);

/** Silero's frames are a power of two behind a few samples of the frame before: 512 + 64, 256 + 32. Other frames are all new. */
function stepOf(frame: number): number {
  const power = 2 ** Math.floor(Math.log2(frame));
  return power + power / 8 === frame ? power : frame;
}

/** What the network gives for each frame, but for what it remembers; `onPart` gets the part that is done. */
export async function hear(
  module: GraphModule,
  samples: Float32Array,
  { sound, shape: usual, step: fixedStep, remembered }: SoundInput,
  { inputShapes }: ModuleDescription,
  { signal, onPart }: { readonly signal: AbortSignal; readonly onPart: (part: number) => void },
): Promise<readonly (readonly ModuleOutput[])[]> {
  const step = fixedStep ?? samples.length;
  const frame = fixedStep === undefined ? samples.length : (usual.at(-1) ?? 0);
  const shape = [...usual.slice(0, -1), frame];
  const inputs: ModuleTensor[] = inputShapes.map((own) => ({
    shape: own,
    data: new Float32Array(own.reduce((product, dim) => product * dim, 1)),
  }));
  const heard: (readonly ModuleOutput[])[] = [];
  for (let at = 0; at < samples.length; at += step) {
    const data = new Float32Array(frame);
    const begin = at - (frame - step);
    data.set(samples.subarray(Math.max(0, begin), begin + frame), Math.max(0, -begin));
    inputs[sound] = { shape, data };
    const outputs = await module.run(inputs, { signal });
    for (const [input, output] of remembered) inputs[input] = outputs[output]!;
    heard.push(outputs.filter((_, i) => ![...remembered.values()].includes(i)));
    if (heard.length % framesPerReport === 0) onPart(at / samples.length);
  }
  return heard;
}
