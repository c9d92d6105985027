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
export interface GraphModule {
  runByteCount(): number;
  facts(): string;
  describe(inputs: EmbindString): string;
  description(): string;
  prepare(inputs: EmbindString): string;
  error(): string;
  outputs(): string;
  create(loader: Loader): string;
  step(milliseconds: number): Step;
  inputWindow(index: number): Uint8Array;
  output(index: number): Uint8Array;
  delete(): void;
}

export interface Loader {
  setByteCount(byteCount: number): void;
  setWeights(dtype: EmbindString): string;
  expectText(name: EmbindString): void;
  beginText(name: EmbindString, byteCount: number): string;
  push(byteCount: number): string;
  finish(): string;
  inputWindow(byteCount: number): Uint8Array;
  delete(): void;
}

export interface SpeakerNetworks {
  push(byteCount: number): string;
  finish(): string;
  byteCount(): number;
  inputWindow(byteCount: number): Uint8Array;
  delete(): void;
}

export interface SpeakerFinder {
  create(networks: SpeakerNetworks, least: number, most: number, windows: number): string;
  hear(byteCount: number): void;
  end(): void;
  error(): string;
  found(): string;
  beginSettling(): void;
  settled(): string;
  step(milliseconds: number): Step;
  settle(milliseconds: number): Step;
  inputWindow(byteCount: number): Uint8Array;
  delete(): void;
}

export interface SpeechDetector {
  create(byteCount: number): string;
  hear(byteCount: number): string;
  moduleWindow(byteCount: number): Uint8Array;
  inputWindow(byteCount: number): Uint8Array;
  probabilities(): Float32Array;
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

export interface Model extends EngineHolder {
  create(loader: Loader): string;
  facts(): string;
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
  GraphModule: {
    new(): GraphModule;
  };
  Loader: {
    new(): Loader;
  };
  SpeakerNetworks: {
    new(): SpeakerNetworks;
  };
  SpeakerFinder: {
    new(): SpeakerFinder;
  };
  SpeechDetector: {
    new(): SpeechDetector;
  };
  AudioConverter: {
    new(): AudioConverter;
  };
  Step: {needAudio: StepValue<0>, needWeights: StepValue<1>, working: StepValue<2>, segmentReady: StepValue<3>, rejectedReady: StepValue<4>, stateReady: StepValue<5>, done: StepValue<6>, failed: StepValue<7>};
  kernelVariant(): string;
  Live: {
    new(): Live;
  };
  EngineHolder: {};
  Model: {
    new(): Model;
  };
  Transcriber: {
    new(): Transcriber;
  };
  heapStatistics(): HeapStatistics;
  resetHeapPeak(): void;
}

export type MainModule = WasmModule & typeof RuntimeExports & EmbindModule;
export default function MainModuleFactory (options?: unknown): Promise<MainModule>;
