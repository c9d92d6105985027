import type { SourceFolder } from './source_folder.js';
import type { MediaStreamLike, MediaStreamTrackLike } from '../api/types.js';
import type { AudioFileFacts, AudioLink, DecodedPiece, EncodedFile } from '../protocol/audio.js';
import type { EngineLink } from '../protocol/engine.js';
import type { NetworksLink } from '../protocol/networks.js';
import type { FilesLink } from '../protocol/files.js';
import type { StoredModel, StoredRequest } from './stored_model.js';
import type { SilenceSkipping } from './speech.js';
import type { ThreadChoice } from './threads.js';
import type { Assets } from '../api/types.js';

/** Bytes in order, and their number where it is known. */
export interface OpenedSource {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly byteCount?: number;
  /** Takes back a chunk that is done with, to reuse its memory. */
  readonly recycle?: (chunk: Uint8Array) => void;
  /** The chunks have no other owner: their memory may be transferred. */
  readonly givesAway?: boolean;
  /** For messages: a URL, a file's name. */
  readonly name?: string;
  /** What a server said about the bytes, for messages: "HTTP 200, text/html". */
  readonly remark?: string;
  /** Opens a file beside this one; absent where nothing is beside it. `name` is a bare name. */
  readonly sibling?: (name: string) => Promise<OpenedSource>;
  /** Bytes from anywhere in it, whatever was read already; absent where that cannot be had. */
  readonly readAt?: (begin: number, end: number) => Promise<Uint8Array>;
}

/** What the package needs from its environment. */
export interface Platform {
  /** A copy of this platform with the package's own files at another place. */
  withAssets(assets: Assets): Platform;
  /** How many threads an engine shall have here. */
  chooseThreads(wanted: number | 'auto' | undefined): ThreadChoice;
  /** Starts an engine, in a worker or in this thread; one that can have several threads, or one for a single thread. */
  openEngine(threads: number): EngineLink;
  /** Starts the module that runs models which are graphs, in a worker or in this thread. */
  openNetworks(): NetworksLink;
  /** Starts the module that reads model files without running them. */
  openFiles(): FilesLink;
  /** Compiles that module, for an instance in this thread. */
  compileFiles(): Promise<WebAssembly.Module>;
  /** A string or file URL that is a path here; undefined where it is to be fetched. */
  openPath(path: string | URL): Promise<OpenedSource | undefined>;
  /** Whether a string is the path of a file here. */
  isFile(path: string): Promise<boolean>;
  /** The absolute URL of an address that is to be fetched; undefined for a path. */
  urlOf(address: string | URL): string | undefined;
  /** A model that is kept, or is to be. Loads the code for that. */
  openStored(request: StoredRequest): Promise<StoredModel>;
  /** openPath() for reading parts, of a folder too; null where a path can only be read forwards, such as a pipe. */
  openFolder(path: string | URL): Promise<SourceFolder | null | undefined>;
  /** Lets `fill` write a new file, which gets its name when it is whole; rejects names where there are none. */
  writeFile<T>(
    destination: string | URL,
    force: boolean,
    fill: (write: (bytes: Uint8Array) => Promise<void>) => Promise<T>,
  ): Promise<T>;
  /** writeFile() for a file with others beside it, which `fill` creates by name, one after the other. */
  writeFiles<T>(
    destination: string | URL,
    force: boolean,
    fill: (create: (name?: string) => Promise<(bytes: Uint8Array) => Promise<void>>) => Promise<T>,
  ): Promise<T>;
  /** The model inside the package. */
  readonly embeddedModel: URL;
  /** The detector of speech inside the package. */
  readonly vadModel: URL;
  /** What leaves out silence. Loads the code for that. */
  loadSilenceSkipping(): Promise<SilenceSkipping>;
  /** Starts a decoder of one audio file, in a worker or in this thread. */
  openAudio(): AudioLink;
  /** An audio file at a path; undefined where the address is to be fetched. */
  openAudioFile(address: string | URL): Promise<EncodedFile | undefined>;
  /** Decodes a whole file at once where nothing else can; absent where there is no such decoder. */
  readonly decodeWhole?: (
    file: EncodedFile,
    facts: AudioFileFacts | undefined,
    signal: AbortSignal | undefined,
  ) => Promise<DecodedAudio>;
  /** What to do with a file that is not decoded here, for messages. */
  readonly undecodedNote: string;
  /** The sound of a MediaStream, or of one of its tracks, until it ends; refused where there are none. */
  capture(
    source: MediaStreamLike | MediaStreamTrackLike,
    signal: AbortSignal | undefined,
  ): Promise<CapturedSound>;
}

/** Interleaved samples as they come. */
export type CapturedSound = AsyncGenerator<DecodedPiece, undefined>;

/** One array per channel. */
export interface DecodedAudio {
  readonly channels: readonly Float32Array[];
  readonly sampleRate: number;
}
