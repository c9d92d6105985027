// The files of a repository, on the hub or on the caller's own server.
import { SusurrusError } from '../../src/api/errors.js';
import type { Architecture } from '../../src/api/generated/whisper.js';

export interface HubFile {
  readonly name: string;
  readonly byteCount: number;
  /**
   * On the hub, large files have the SHA-256 of their content, others Git's own SHA-1 of a blob. Absent where the server has
   * no digests.
   */
  readonly digest?: { readonly kind: 'sha256' | 'git'; readonly hex: string };
  /** Identifies a version of the file without a digest. */
  readonly validator?: string;
}

export interface RepositoryFiles {
  /** What people call where they are from: "ggerganov/whisper.cpp". */
  readonly title: string;
  /** The one that is the model, where no others belong to it. */
  readonly weightsFile?: string;
  /** The model's, where they are known without a file. */
  readonly architecture?: Architecture;
  /** Tells these files from those of any other repository, server or state of the same one. */
  readonly place: string;
  /** The state of the repository, where the server has a name for it. */
  readonly commit?: string;
  /** All files, where the server has a list. */
  readonly names?: readonly string[];
  find(name: string): Promise<HubFile | undefined>;
  /** The URL of a file. */
  urlOf(file: HubFile): string;
  /** The bytes of a file from `offset` on. An answer of status 206 begins there, one of 200 at the file's beginning. */
  open(file: HubFile, offset: number, signal: AbortSignal): Promise<Response>;
}

/** A digest in the making. */
export interface Hashing {
  update(bytes: Uint8Array): unknown;
  hex(): string;
}

export type NewHash = (kind: 'sha256' | 'sha1') => Hashing;

/** Takes all bytes of a file, in order. */
export interface DigestCheck {
  update(bytes: Uint8Array): unknown;
  /** Throws unless they are what the hub has. */
  end(): void;
}

/** Undefined where the server has no digest of the file. */
export function digestCheck(
  { name, byteCount, digest }: HubFile,
  newHash: NewHash,
): DigestCheck | undefined {
  if (!digest) return undefined;
  const hash = newHash(digest.kind === 'git' ? 'sha1' : 'sha256');
  // Git's digest of a file is that of a header and the file.
  if (digest.kind === 'git') hash.update(new TextEncoder().encode(`blob ${byteCount}\0`));
  return {
    update: (bytes) => hash.update(bytes),
    end() {
      const [expected, got] = [digest.hex, hash.hex()];
      if (got === expected) return;
      throw new SusurrusError(
        'checksum_mismatch',
        `${name}: what arrived is not what the hub has (${expected} expected, ${got} found).`,
        { reason: 'digest', subject: name, expected, got },
      );
    },
  };
}

/**
 * A model file among the files of a repository that needs no conversion: the one with the type in its name, or the only one if
 * no type is wanted or there is nothing to convert.
 */
export function readyModel(
  { names = [] }: RepositoryFiles,
  dtype: string | undefined,
): string | undefined {
  const ready = names.filter((name) => /^[^/]+\.apr$/i.test(name));
  const typed = ready.find((name) => dtype !== undefined && hasType(name, dtype));
  if (typed !== undefined || ready.length !== 1) return typed;
  const canConvert = names.some((name) => /\.(safetensors|bin)$/.test(name));
  return dtype === undefined || !canConvert ? ready[0] : undefined;
}

const hasType = (name: string, dtype: string): boolean =>
  name.toLowerCase().split(/[.-]/).includes(dtype);
