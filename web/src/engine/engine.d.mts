// TypeScript bindings for emscripten-generated code.  Automatically generated at compile time.
declare namespace RuntimeExports {
    let HEAPU8: any;
    let HEAPF32: any;
    let HEAPF64: any;
    let HEAP_DATA_VIEW: any;
    let HEAP8: any;
    let HEAP16: any;
    let HEAPU16: any;
    let HEAP32: any;
    let HEAPU32: any;
    let HEAP64: any;
    let HEAPU64: any;
}
interface WasmModule {
}

type EmbindString = ArrayBuffer|Uint8Array|Uint8ClampedArray|Int8Array|string;
export interface WindowWork {
  error(): string;
  result(): string;
  step(milliseconds: number): Step;
  begin(model: Model, task: EmbindString, request: EmbindString, sampleCount: number): string;
  delete(): void;
}

export interface Loader {
  setByteCount(byteCount: number): void;
  startVocabulary(byteCount: number): string;
  setVocabulary(): string;
  setFilterbank(choice: EmbindString): void;
  push(byteCount: number): string;
  canBegin(): boolean;
  finish(): string;
  mostBytes(threads: number): number;
  missingFiles(): string;
  inputWindow(byteCount: number): Uint8Array;
  vocabularyWindow(): Uint8Array;
  delete(): void;
}

export interface AudioConverter {
  beginWav(): void;
  beginSamples(sampleRate: number, channels: number): string;
  pushBytes(byteCount: number): string;
  pushSamples(byteCount: number): string;
  finish(): string;
  consume(sampleCount: number): void;
  inputWindow(byteCount: number): Uint8Array;
  output(): Float32Array;
  delete(): void;
}

export type Range = {
  begin: number,
  end: number
};

export interface StepValue<T extends number> {
  value: T;
}
export type Step = StepValue<0>|StepValue<1>|StepValue<2>|StepValue<3>|StepValue<4>|StepValue<5>|StepValue<6>|StepValue<7>;

export interface Live {
  expect(sampleCount: number): void;
  feed(byteCount: number): string;
  flush(): void;
  skip(sampleCount: number): void;
  step(milliseconds: number): Step;
  error(): string;
  takeEvents(): string;
  begin(model: EngineHolder, options: EmbindString): string;
  inputWindow(byteCount: number): Uint8Array;
  delete(): void;
}

export interface EngineHolder {
  delete(): void;
}

export interface BesideModel extends EngineHolder {
  create(model: Model): string;
  delete(): void;
}

export interface Model extends EngineHolder {
  create(loader: Loader): string;
  computeLogMel(samplesBegin: number, sampleCount: number, zeroCount: number, firstFrame: number, frameCount: number): number;
  normaliseMel(frameCount: number, maximum: number): void;
  beginEncode(): void;
  encodeStep(milliseconds: number): boolean;
  beginLogits(appends: boolean): string;
  logitsStep(milliseconds: number): boolean;
  address(): number;
  facts(): string;
  melBands(): number;
  windowFrames(): number;
  detokenize(): string;
  melSamples(firstFrame: number, frameCount: number, sampleCount: number): Range;
  sampleWindow(): Float32Array;
  melWindow(): Float32Array;
  encoderOutput(): Float32Array;
  logits(): Float32Array;
  tokenize(text: EmbindString): Uint32Array;
  tokenWindow(count: number): Uint32Array;
  delete(): void;
}

export interface Transcriber {
  begin(model: EngineHolder, options: EmbindString, sampleCount: number, state: EmbindString): string;
  step(milliseconds: number): Step;
  error(): string;
  audioRequest(): Range;
  endAudio(sampleCount: number): void;
  takeSegment(): string;
  state(): string;
  language(): string;
  languages(): string;
  text(): string;
  progress(): number;
  audioWindow(): Float32Array;
  delete(): void;
}

export type HeapStatistics = {
  currentBytes: number,
  peakBytes: number,
  allocationCount: number
};

interface EmbindModule {
  WindowWork: {
    new(): WindowWork;
  };
  Loader: {
    new(): Loader;
  };
  heapEnd(): number;
  growHeap(byteCount: number): boolean;
  AudioConverter: {
    new(): AudioConverter;
  };
  Step: {needAudio: StepValue<0>, needWeights: StepValue<1>, working: StepValue<2>, segmentReady: StepValue<3>, rejectedReady: StepValue<4>, stateReady: StepValue<5>, done: StepValue<6>, failed: StepValue<7>};
  kernelVariant(): string;
  Live: {
    new(): Live;
  };
  EngineHolder: {};
  BesideModel: {
    new(): BesideModel;
  };
  Model: {
    new(): Model;
  };
  modelAt(address: number): Model | null;
  Transcriber: {
    new(): Transcriber;
  };
  heapStatistics(): HeapStatistics;
  resetHeapPeak(): void;
}

export type MainModule = WasmModule & typeof RuntimeExports & EmbindModule;
export default function MainModuleFactory (options?: unknown): Promise<MainModule>;
