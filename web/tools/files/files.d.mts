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
export interface Apr2Layout {
  readHeader(byteCount: number): string;
  header(): string;
  pushIndex(byteCount: number): string;
  entries(): string;
  findFooter(byteCount: number, fileOffset: number): string;
  inputWindow(byteCount: number): Uint8Array;
  plainHeader(): Uint8Array;
  newHeader(isEncrypted: boolean, isSigned: boolean, metadataByteCount: number): Uint8Array;
  footer(crc32: number, fileByteCount: number): Uint8Array;
  delete(): void;
}

export interface Crc32 {
  value(): number;
  patch(wanted: number): number;
  update(byteCount: number): string;
  inputWindow(byteCount: number): Uint8Array;
  delete(): void;
}

export interface CheckpointSource {
  checkpointFacts(): string;
  vocabularyBytes(): Uint8Array;
  filterbank(): Float32Array;
  vocabularyEnds(): Uint32Array;
  delete(): void;
}

export interface Checkpoint extends CheckpointSource {
  push(byteCount: number): string;
  skip(byteCount: number): void;
  finish(): string;
  skippable(): number;
  isComplete(): boolean;
  inputWindow(byteCount: number): Uint8Array;
  delete(): void;
}

export interface ComposerPassValue<T extends number> {
  value: T;
}
export type ComposerPass = ComposerPassValue<0>|ComposerPassValue<1>|ComposerPassValue<2>;

export interface Composer {
  plan(): string;
  parts(): string;
  needsScanning(): boolean;
  needsMeasuring(): boolean;
  begin(pass: ComposerPass): string;
  beginPart(isFloats: boolean): string;
  push(byteCount: number): string;
  finishPart(): string;
  finish(): string;
  consumeOutput(): void;
  warnings(): string;
  textWindow(byteCount: number): Uint8Array;
  inputWindow(byteCount: number): Uint8Array;
  output(): Uint8Array;
  delete(): void;
}

export type SourceRange = {
  source: number,
  offset: number,
  byteCount: number
};

export interface PassValue<T extends number> {
  value: T;
}
export type Pass = PassValue<0>|PassValue<1>|PassValue<2>;

export interface Converter {
  addSource(source: CheckpointSource): string;
  leaveOutFilterbankTensor(): void;
  setMetadata(): string;
  filterbankWarning(): string;
  needsMeasuring(): boolean;
  needsScanning(): boolean;
  begin(pass: Pass): string;
  tensorCount(): number;
  sourceRange(tensor: number): SourceRange;
  tensorName(tensor: number): string;
  push(byteCount: number): string;
  finishTensor(): string;
  finish(): string;
  consumeOutput(): void;
  files(): string;
  tensors(): string;
  warnings(): string;
  inputWindow(byteCount: number): Uint8Array;
  textWindow(byteCount: number): Uint8Array;
  output(): Uint8Array;
  delete(): void;
}

export interface Filterbank {
  values(): Float32Array;
  delete(): void;
}

export interface Inspector extends CheckpointSource {
  describeAll(): void;
  showAll(): void;
  skim(): void;
  skimMetadata(): void;
  setFilterbank(choice: EmbindString): void;
  skippable(): number;
  skip(byteCount: number): void;
  setByteCount(byteCount: number): void;
  push(byteCount: number): string;
  isDescribed(): boolean;
  finish(): string;
  missingFiles(): string;
  laterMetadata(): string;
  facts(): string;
  inputWindow(byteCount: number): Uint8Array;
  metadataText(): Uint8Array;
  delete(): void;
}

export type Range = {
  begin: number,
  end: number
};

export interface LogMel {
  create(nMels: number, filterbankByteCount: number): string;
  melBands(): number;
  windowFrames(): number;
  melSamples(firstFrame: number, frameCount: number, sampleCount: number): Range;
  computeLogMel(samplesBegin: number, sampleCount: number, zeroCount: number, firstFrame: number, frameCount: number): number;
  normaliseMel(frameCount: number, maximum: number): void;
  inputWindow(byteCount: number): Uint8Array;
  sampleWindow(): Float32Array;
  melWindow(): Float32Array;
  delete(): void;
}

export type StoredRange = {
  file: number,
  offset: number,
  byteCount: number
};

export interface Repacker {
  plan(inspector: Inspector, shardByteCount: number, alignment: number): string;
  tensorCount(): number;
  sourceRange(tensor: number): StoredRange;
  files(): string;
  push(byteCount: number): string;
  finishTensor(): string;
  finish(): string;
  consumeOutput(): void;
  textWindow(byteCount: number): Uint8Array;
  inputWindow(byteCount: number): Uint8Array;
  output(): Uint8Array;
  delete(): void;
}

export interface Rewriter {
  open(byteCount: number): boolean;
  format(): string;
  isWriting(): boolean;
  isComplete(): boolean;
  beginPass(): void;
  push(byteCount: number): string;
  finishPass(): string;
  consumeOutput(): void;
  tensorCount(): number;
  warnings(): string;
  inputWindow(byteCount: number): Uint8Array;
  output(): Uint8Array;
  delete(): void;
}

export interface TensorDecoder {
  start(inspector: Inspector, tensor: number): string;
  startDecrypted(inspector: Inspector, tensor: number, byteCount: number): string;
  startNumbers(name: EmbindString, type: EmbindString, byteCount: number, scale: number, offset: number): string;
  push(byteCount: number): string;
  finish(): string;
  statistics(): string;
  inputWindow(byteCount: number): Uint8Array;
  stored(): Uint8Array;
  values(): Float32Array;
  delete(): void;
}

export type HeapStatistics = {
  currentBytes: number,
  peakBytes: number,
  allocationCount: number
};

interface EmbindModule {
  Apr2Layout: {
    new(): Apr2Layout;
  };
  Crc32: {
    new(): Crc32;
  };
  CheckpointSource: {};
  Checkpoint: {
    new(_0: number): Checkpoint;
  };
  ComposerPass: {scan: ComposerPassValue<0>, measure: ComposerPassValue<1>, write: ComposerPassValue<2>};
  Composer: {
    new(): Composer;
  };
  Pass: {scan: PassValue<0>, measure: PassValue<1>, write: PassValue<2>};
  Converter: {
    new(_0: EmbindString, _1: EmbindString, _2: boolean, _3: number, _4: number): Converter;
  };
  Filterbank: {
    new(_0: number): Filterbank;
  };
  Inspector: {
    new(): Inspector;
  };
  planModel(inspector: Inspector, threads: number, sequences: number): string;
  planConverted(dimensions: EmbindString, dtype: EmbindString, threads: number, sequences: number): string;
  LogMel: {
    new(): LogMel;
  };
  Repacker: {
    new(): Repacker;
  };
  Rewriter: {
    new(_0: number): Rewriter;
  };
  TensorDecoder: {
    new(_0: boolean): TensorDecoder;
  };
  heapStatistics(): HeapStatistics;
  resetHeapPeak(): void;
}

export type MainModule = WasmModule & typeof RuntimeExports & EmbindModule;
export default function MainModuleFactory (options?: unknown): Promise<MainModule>;
