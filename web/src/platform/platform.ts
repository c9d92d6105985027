import type { Variant } from '../api_types.js';
import type { EngineLink } from '../engine/protocol.js';

/** Bytes in order, and their number where it is known. */
export interface OpenedSource {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly byteCount?: number;
  /** For messages: a URL, a file's name. */
  readonly name?: string;
  /** What a server said about the bytes, for messages: "HTTP 200, text/html". */
  readonly remark?: string;
}

/** What the package needs from where it runs. */
export interface Platform {
  /** Starts an engine, in a worker or in this thread. */
  openEngine(): EngineLink;
  /** A string or file URL that is a path here; undefined where it is to be fetched. */
  openPath(path: string | URL): Promise<OpenedSource | undefined>;
  /** The model inside the package. */
  readonly embeddedModel: URL;
  /** Decodes a compressed audio file; undefined when the format is not known here. */
  decodeAudio(bytes: Uint8Array): Promise<DecodedAudio>;
}

/** One array per channel. */
export interface DecodedAudio {
  readonly channels: readonly Float32Array[];
  readonly sampleRate: number;
}

/** Compiled WebAssembly of a variant. */
export type EngineSource = (variant: Variant) => Promise<WebAssembly.Module>;
