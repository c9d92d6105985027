// Whatever came in, and where it goes: the model to be loaded, recordings into the queue, and a word on everything else.
import type { ModelDesk } from '../models/model_desk.js';
import type { Work } from '../shell/work.js';
import { strings } from '../strings.js';
import { plainProblem } from './plain_problem.js';
import type { QueueDesk } from './queue_desk.js';
import type { SavedText } from './save_all.js';
import { sortFiles, type SortedFiles, type SortedModel } from './sort_files.js';

interface Parts {
  readonly work: Work;
  readonly models: ModelDesk;
  readonly queue: Pick<QueueDesk<SavedText>, 'add' | 'refuse' | 'isListening'>;
}

export class Intake {
  readonly #parts: Parts;
  /** What came first is looked at first. */
  #looking: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async take(files: readonly File[]): Promise<void> {
    if (files.length === 0) return;
    const sorting = this.#looking.then(() => sortFiles(files));
    this.#looking = sorting;
    this.#use(await sorting);
  }

  #use({ model, recordings, wrong, leftOut }: SortedFiles): void {
    const { queue, work } = this.#parts;
    if (model) void this.#useModel(model);
    queue.add(recordings);
    // Beside recordings each has its line in the list; alone it has the page's attention.
    const isBeside = recordings.length > 0 || queue.isListening;
    if (isBeside) queue.refuse(wrong);
    const lines = leftOut.map(({ name }) => strings.files.leftOut(name));
    const [first, ...others] = isBeside ? [] : wrong;
    if (first && others.length === 0 && lines.length === 0) {
      work.errors.show(strings.files.notUsed(first.file.name), first.problem);
      return;
    }
    for (const { file, problem } of isBeside ? [] : wrong) {
      lines.push(`${file.name}: ${plainProblem(problem)}`);
    }
    if (lines.length === 0) return;
    const title = strings.files.severalNotUsed(lines.length);
    work.errors.show(title, new Error(lines.join('\n')));
  }

  #useModel({ kind, name, files }: SortedModel): Promise<void> {
    const { models } = this.#parts;
    if (kind === 'checkpoint') return models.useCheckpoint(files, name);
    if (kind === 'module') return models.useNetwork(files[0], name);
    return models.useModel(files, name);
  }
}
