import type { SourceFolder } from './source_folder.js';
import type { MediaStreamLike, MediaStreamTrackLike } from '../api/types.js';
import type { AudioFileFacts, AudioLink, DecodedPiece, EncodedFile } from '../protocol/audio.js';
import type { EngineLink } from '../protocol/engine.js';
import type { NetworksLink } from '../protocol/networks.js';
import type { FilesLink } from '../protocol/files.js';
import type { StoredModel, StoredRequest } from './stored_model.js';
import type { SpeakerFinding } from './speakers.js';
import type { SilenceSkipping } from './speech.js';
import type { ThreadChoice } from './threads.js';
import type { Device } from './workers.js';
import type { Assets, TranscribeOptions } from '../api/types.js';

/** Bytes in order, and their number where it is known. */
export interface OpenedSource {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly byteCount?: number;
  /** Returns a processed chunk to the source, which reuses its memory. */
  readonly recycle?: (chunk: Uint8Array) => void;
  /** The chunks have no other owner: their buffers may be transferred. */
  readonly givesAway?: boolean;
  /** For messages: a URL, a file's name. */
  readonly name?: string;
  /** The server's answer, for messages: "HTTP 200, text/html". */
  readonly remark?: string;
  /** Opens a file of the same folder by its bare name; absent if there is no folder. */
  readonly sibling?: (name: string) => Promise<OpenedSource>;
  /** Reads bytes at any position, independent of `chunks`; absent if the source cannot. */
  readonly readAt?: (begin: number, end: number) => Promise<Uint8Array>;
}

/** Writes Chinese text in one script. The number of characters stays. */
export type ConvertText = (text: string) => string;

/** What the package needs from its environment. */
export interface Platform {
  /** Returns a copy of this platform that has the package's own files at another place. */
  withAssets(assets: Assets): Platform;
  /** Chooses the number of threads of an engine. */
  chooseThreads(wanted: number | 'auto' | undefined): ThreadChoice;
  /** What it offers to engines that work together. */
  device(): Device;
  /** Starts an engine, in a worker or in this thread; one that can have several threads, or one for a single thread. */
  openEngine(threads: number): EngineLink;
  /** Starts one that computes beside it: in a worker of its own. Throws where there are no workers. */
  openFurtherEngine(threads: number): EngineLink;
  /** Starts the module that runs models which are graphs, in a worker or in this thread. */
  openNetworks(): NetworksLink;
  /** Starts such a module for the voice detector, which is to work beside an engine. */
  openDetector(): NetworksLink;
  /** Starts the module that reads model files without running them. */
  openFiles(): FilesLink;
  /** Compiles that module, for an instance in this thread. */
  compileFiles(): Promise<WebAssembly.Module>;
  /** Opens a path or file URL; undefined for a URL that must be fetched. */
  openPath(path: string | URL): Promise<OpenedSource | undefined>;
  /** Whether a string is the path of an existing file. */
  isFile(path: string): Promise<boolean>;
  /** Returns the absolute URL of an address that must be fetched; undefined for a path. */
  urlOf(address: string | URL): string | undefined;
  /** Opens a model that is, or will be, cached. Loads the code for that. */
  openStored(request: StoredRequest): Promise<StoredModel>;
  /** Like openPath(), for reading parts of a file or folder; null for a path that can only be read forwards, such as a pipe. */
  openFolder(path: string | URL): Promise<SourceFolder | null | undefined>;
  /** Lets `fill` write a new file, which gets its name when it is complete; rejects paths in pages. */
  writeFile<T>(
    destination: string | URL,
    force: boolean,
    fill: (write: (bytes: Uint8Array) => Promise<void>) => Promise<T>,
  ): Promise<T>;
  /** Like writeFile(), for several files of one folder, which `fill` creates by name, one after the other. */
  writeFiles<T>(
    destination: string | URL,
    force: boolean,
    fill: (create: (name?: string) => Promise<(bytes: Uint8Array) => Promise<void>>) => Promise<T>,
  ): Promise<T>;
  /** The model inside the package. */
  readonly embeddedModel: URL;
  /** The detector of speech inside the package. */
  readonly vadModel: URL;
  /** The networks inside the package that tell speakers apart. */
  readonly speakersModel: URL;
  /** Loads the code that skips silence. */
  loadSilenceSkipping(): Promise<SilenceSkipping>;
  /** Loads the code that tells speakers apart. */
  loadSpeakerFinding(): Promise<SpeakerFinding>;
  /** Loads the dictionaries of a Chinese script. */
  loadScript(script: NonNullable<TranscribeOptions['script']>): Promise<ConvertText>;
  /** Starts a decoder of one audio file, in a worker or in this thread. */
  openAudio(): AudioLink;
  /** Opens an audio file at a path; undefined for a URL that must be fetched. */
  openAudioFile(address: string | URL): Promise<EncodedFile | undefined>;
  /** Decodes a whole file at once if no other decoder can; absent without such a decoder. */
  readonly decodeWhole?: (
    file: EncodedFile,
    facts: AudioFileFacts | undefined,
    signal: AbortSignal | undefined,
  ) => Promise<DecodedAudio>;
  /** Advice for files that cannot be decoded here, for messages. */
  readonly undecodedNote: string;
  /** Yields the audio of a MediaStream, or of one of its tracks, until it ends; throws in Node. */
  capture(
    source: MediaStreamLike | MediaStreamTrackLike,
    signal: AbortSignal | undefined,
  ): Promise<CapturedSound>;
}

/** Interleaved live samples. */
export type CapturedSound = AsyncGenerator<DecodedPiece, undefined>;

/** One array per channel. */
export interface DecodedAudio {
  readonly channels: readonly Float32Array[];
  readonly sampleRate: number;
}
