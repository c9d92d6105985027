// What is kept: for each model a file of its bytes, one of facts about it, and a mark once the whole has been verified.
import type { KeptModel, WeightType } from '../../src/api/types.js';
import type { DownloadFile } from '../../src/sources/download.js';
import { sleep } from '../../src/api/signals.js';
import { FileInUse, writeSmall, type FoundFile, type StoreFiles } from './store_files.js';

/** What tells one model from another. */
export interface ModelKey {
  /** The URL of a model file, or the hub and repository of a model by name. */
  readonly address: string;
  readonly name?: string;
  readonly revision?: string;
  readonly dtype?: WeightType;
}

export interface ModelFacts extends ModelKey {
  /** Size of the whole model file, once it is known. */
  readonly byteCount?: number;
  /** Identifies the state of the file on the server: see validatorOf(). */
  readonly validator?: string;
}

/** Names of a model's files: letters and digits in front tell the model. */
const endings = { bytes: '.apr', facts: '.json', mark: '.kept' } as const;

/** Downloads of a repository's files, which are converted: they begin like their model's. */
export const downloadEnding = '.download';

const abandonedMilliseconds = 30 * 24 * 60 * 60 * 1000;
const pollMilliseconds = 100;

/** A name for files, from what is to be told apart. */
export async function digestName(parts: readonly (string | undefined)[]): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(parts));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Models of one repository begin alike, so that downloads for any of them do too. */
export async function idOf({ address, revision, dtype }: ModelKey): Promise<string> {
  return `${await digestName([address, revision])}${dtype ? `-${dtype}` : ''}`;
}

/** What the names of one repository's models and downloads begin with. */
export const groupOf = (name: string): string => name.slice(0, 32);

export interface ListedModel {
  readonly id: string;
  readonly model: KeptModel;
}

export class ModelStore {
  readonly files: StoreFiles;

  constructor(files: StoreFiles) {
    this.files = files;
  }

  /** The model's bytes, or their path, if it is kept. */
  async kept(id: string): Promise<Blob | string | undefined> {
    if (!(await this.files.find(id + endings.mark))) return undefined;
    const [bytes, facts] = [await this.files.find(id + endings.bytes), await this.facts(id)];
    return bytes && bytes.byteCount === facts?.byteCount ? bytes.source() : undefined;
  }

  /** What there is of the model's bytes, verified or not. */
  async part(id: string): Promise<Blob | string | undefined> {
    return (await this.files.find(id + endings.bytes))?.source();
  }

  async facts(id: string): Promise<ModelFacts | undefined> {
    try {
      const text = await (await this.files.find(id + endings.facts))?.text();
      return text === undefined ? undefined : (JSON.parse(text) as ModelFacts);
    } catch {
      // Its writer was killed: nothing is known of the bytes.
      return undefined;
    }
  }

  writeFacts(id: string, facts: ModelFacts): Promise<void> {
    return writeSmall(this.files, id + endings.facts, JSON.stringify(facts));
  }

  removeFacts(id: string): Promise<void> {
    return this.files.remove(id + endings.facts);
  }

  /** Opens the file of the model's bytes for writing, once it is free. The model is not kept until it is marked again. */
  async open(id: string, signal: AbortSignal): Promise<DownloadFile> {
    const file = await this.openFile(id + endings.bytes, signal);
    await this.files.remove(id + endings.mark);
    return file;
  }

  /** Opens any file, once it is free. */
  async openFile(name: string, signal: AbortSignal): Promise<DownloadFile> {
    for (;;) {
      try {
        return await this.files.open(name);
      } catch (error) {
        if (!(error instanceof FileInUse)) throw error;
        await sleep(pollMilliseconds, signal);
      }
    }
  }

  /** What there is of a model and of the downloads for its repository. */
  async byteCountOf(id: string): Promise<number> {
    const files = (await this.files.list()).filter(({ name }) => groupOf(name) === groupOf(id));
    return files.reduce((sum, { byteCount }) => sum + byteCount, 0);
  }

  /** From now on the model counts as kept. */
  async mark(id: string): Promise<void> {
    await (await this.files.open(id + endings.mark)).close(true);
  }

  /** The mark goes first: what is half removed is not kept. Throws FileInUse while the bytes are being written. */
  async remove(id: string): Promise<void> {
    for (const ending of [endings.mark, endings.bytes, endings.facts]) {
      await this.files.remove(id + ending);
    }
    const found = await this.files.list();
    const others = found.filter(({ name }) => groupOf(name) === groupOf(id));
    if (others.some(({ name }) => name.endsWith(endings.facts))) return;
    // No model of this repository is left that the downloads could be for.
    for (const { name } of others) await this.files.remove(name);
  }

  /** Removes downloads that were not resumed for a long time. */
  async removeAbandoned(): Promise<void> {
    for (const { name, changedAt } of await this.files.list()) {
      const isOld = Date.now() - changedAt.getTime() > abandonedMilliseconds;
      if (isOld && name.endsWith(downloadEnding))
        await this.files.remove(name).catch(() => undefined);
    }
  }

  /** Newest first; with those whose download broke off. */
  async list(): Promise<readonly ListedModel[]> {
    const found = new Map((await this.files.list()).map((file) => [file.name, file]));
    const ids = [...found.keys()].flatMap((name) =>
      name.endsWith(endings.facts) ? [name.slice(0, -endings.facts.length)] : [],
    );
    const models = await Promise.all(ids.map((id) => this.#describe(id, found)));
    return models
      .filter((model) => model !== undefined)
      .sort((a, b) => b.model.keptAt.getTime() - a.model.keptAt.getTime());
  }

  async #describe(
    id: string,
    found: ReadonlyMap<string, FoundFile>,
  ): Promise<ListedModel | undefined> {
    const facts = await this.facts(id);
    if (!facts) return undefined;
    const { address, name, revision, dtype, byteCount: totalBytes } = facts;
    const [mark, bytes] = [found.get(id + endings.mark), found.get(id + endings.bytes)];
    const downloads = [...found.values()].filter(
      (file) => file.name.endsWith(downloadEnding) && groupOf(file.name) === groupOf(id),
    );
    const parts = [...(bytes ? [bytes] : []), ...(mark ? [] : downloads)];
    const model: KeptModel = {
      ...{ address, name: name ?? address, complete: mark !== undefined },
      byteCount: parts.reduce((sum, part) => sum + part.byteCount, 0),
      keptAt: mark?.changedAt ?? bytes?.changedAt ?? new Date(0),
      ...(totalBytes !== undefined && { totalBytes }),
      ...(revision !== undefined && { revision }),
      ...(dtype !== undefined && { dtype }),
      ...(mark && bytes?.path !== undefined && { path: bytes.path }),
    };
    return { id, model };
  }
}
