// What the page listens with: a speech model or a network, one at a time.
import { loadModel, SusurrusError } from '../../src/index.js';
import { openModule } from '../../src/graph.js';
import type { GraphModule } from '../../src/graph.js';
import type { Model } from '../../src/index.js';
import { ConversionChoice, lacksWords } from '../files/conversion_choice.js';
import { convertFiles } from '../files/convert_files.js';
import { strings } from '../strings.js';
import type { Work } from '../shell/work.js';
import { FirstChoice } from './first_choice.js';
import { loadCall, type LoadCall } from './load_call.js';
import { LoadQueue } from './load_queue.js';
import { keptType } from './catalogue.js';
import { ModelMenu } from './model_menu.js';
import { ModelPlace, type Occupant } from './model_place.js';
import {
  firstOf,
  keyOf,
  multilingualOf,
  offeredModels,
  ofOwn,
  trialOf,
  type OfferedModel,
} from './offered_models.js';
import { convertedName, ownModels } from './own_models.js';
import { forgetModel, rememberedModel, rememberModel } from './remembered.js';

/** What happens around a change of model. */
interface Callbacks {
  /** A model is there, in place of what was before. */
  readonly onModel: (name: string, model: Model) => Promise<void>;
  readonly onNetwork: (name: string, module: GraphModule, source: URL | File) => Promise<void>;
  /** Another model is there; the one from before goes when this resolves. */
  readonly onLeave: () => Promise<void>;
  /** What was before goes. */
  readonly onGone: () => void;
  readonly onConverted: (file: File, warnings: readonly string[]) => void;
  /** Resolves when no recording is under way; undefined if none is. */
  readonly whenFree: () => Promise<void> | undefined;
  /** One waits for that, from now on. */
  readonly onComing: () => void;
  /** What was being made ready does not come. */
  readonly onNotLoaded: () => void;
  /** Nothing more to do: the status line's sentence. */
  readonly onRest: (text: string) => void;
  /** Names of the recordings that wait for a model. */
  readonly waiting: () => readonly string[];
  /** The model that they wait for does not come: they are not given to another one unasked. Returns a remark on that. */
  readonly giveUpWaiting: () => string;
}

interface Wanted<Opened> {
  readonly name: string;
  readonly offered: OfferedModel | undefined;
  readonly open: (call: LoadCall) => Promise<Opened>;
}

/** A model has `model`. */
interface InUse extends Occupant {
  /** Others once the browser keeps it. */
  name: string;
  offered: OfferedModel | undefined;
  readonly model?: Model;
}

const oneOrAll = ([first, ...others]: readonly [File, ...File[]]): File | readonly File[] =>
  others.length > 0 ? [first, ...others] : first;

/** A server or the way to it failed, which may be over in a moment. */
const isOutOfReach = (error: unknown): boolean =>
  error instanceof SusurrusError && error.code === 'source_failed';

export class ModelDesk {
  readonly #work: Work;
  readonly #calls: Callbacks;
  readonly #loads: LoadQueue;
  readonly #menu = new ModelMenu({
    onChoose: (offered) => void this.useOffered(offered),
    read: offeredModels,
  });
  readonly #first = new FirstChoice({
    onChoose: (offered) => {
      // A page that is left while it downloads goes on with it.
      rememberModel(keyOf(offered));
      void this.useOffered(offered);
    },
    onTrial: () => void this.useOffered(trialOf(this.#offered)),
  });
  readonly #choice = new ConversionChoice();
  readonly #place: ModelPlace<InUse>;
  /** The one that was chosen last, while it waits for recordings that the one in use transcribes. */
  #coming: { readonly name: string } | undefined;
  /** The list when it was read last for the first visit. */
  #offered: readonly OfferedModel[] = [];
  /** The ten-word model, where it was loaded for the sample and nothing else: nobody has chosen a model yet. */
  #forSample: OfferedModel | undefined;
  #hasSaidNotKept = false;
  /** Loads and conversions, each until nothing of it is written any more. */
  readonly #underWay = new Set<Promise<void>>();
  /** Sample of the model chosen last from the list; if its load failed, of the model in use. */
  #sample = 'sample.wav';

  constructor(work: Work, calls: Callbacks) {
    this.#work = work;
    this.#calls = calls;
    this.#loads = new LoadQueue(calls.waiting);
    this.#place = new ModelPlace({
      onLeave: calls.onLeave,
      onGone: calls.onGone,
      onTaken: ({ name, offered }) => {
        this.#menu.mark(name, offered);
        if (this.isForSample) return;
        if (offered) rememberModel(keyOf(offered));
        this.#first.close();
      },
    });
  }

  get model(): Model | undefined {
    return this.#place.inUse?.model;
  }

  /** The name of the one in use, or empty. */
  get name(): string {
    return this.#place.inUse?.name ?? '';
  }

  /** Whether the model in use knows the ten digits and nothing else. */
  get knowsDigitsAlone(): boolean {
    return this.#place.inUse?.offered?.knowsDigitsAlone === true;
  }

  /** Whether the model in use is there for the sample alone, as long as none was chosen. */
  get isForSample(): boolean {
    return this.#forSample !== undefined && this.#place.inUse?.offered === this.#forSample;
  }

  get isLoading(): boolean {
    return this.#loads.isLoading || this.#coming !== undefined;
  }

  /** The name of the one that is loaded when the recordings under way are done. */
  get coming(): string | undefined {
    return this.#coming?.name;
  }

  /** What live captions may wait for: a model on its way, without a name until a person has chosen it. */
  get awaited(): { readonly name?: string } | undefined {
    const name = this.#loads.name ?? this.#coming?.name;
    if (name !== undefined) return { name };
    return this.#first.isOpen ? {} : undefined;
  }

  get sample(): string {
    return this.#sample;
  }

  /** Gives up what is being made ready. When this resolves, nothing of it is written any more. */
  async stop(): Promise<void> {
    this.#coming = undefined;
    if (this.#loads.isLoading) this.#work.stop();
    await Promise.all(this.#underWay);
  }

  async #tracked(work: () => Promise<void>): Promise<void> {
    const one = work();
    this.#underWay.add(one);
    try {
      await one;
    } finally {
      this.#underWay.delete(one);
    }
  }

  /** Opens the menu where this one, which knows English alone, may have heard another language. */
  chooseFor(englishModel: string): Promise<void> {
    return this.#menu.open((models) => multilingualOf(models, englishModel));
  }

  /** The sample is to be heard before any model was chosen: by the ten-word model, which hears nothing else. */
  async prepareSample(): Promise<void> {
    if (!this.#first.isOpen || this.model || this.isLoading) return;
    this.#forSample = { ...trialOf(this.#offered) };
    await this.useOffered(this.#forSample);
  }

  /** Loads the first model of the list, or asks for one where none can write down speech, unless something else was begun before the list is there. */
  async useFirst(): Promise<void> {
    const signal = this.#begin(strings.models.loading, strings.models.first);
    const stopped = new Promise<void>((done) => {
      signal.addEventListener('abort', () => done(), { once: true });
    });
    const list = offeredModels().then((models) => {
      this.#menu.offer(models);
      return models;
    });
    const models = await Promise.race([list, stopped]);
    if (!this.#work.isCurrent(signal)) return;
    if (models && !signal.aborted) {
      const first = firstOf(models, rememberedModel());
      if (!first) {
        this.#loads.end();
        this.#offered = models;
        this.#menu.mark('', undefined);
        this.#first.open(models);
        this.#calls.onRest(this.#askText);
        return;
      }
      this.#menu.mark(first.name, first);
      this.#loads.prepared();
      await this.useOffered(first);
    } else {
      this.#calls.onRest(
        `${strings.status.stopped} ${strings.models.none}${this.#giveUpWaiting()}`,
      );
    }
  }

  useOffered(offered: OfferedModel): Promise<void> {
    const { name, file, hub, isModule, own } = offered;
    if (own) {
      return this.#useSpeech(strings.models.loading, {
        ...{ name, offered },
        open: (call) => loadModel(oneOrAll(own.files), call),
      });
    }
    if (hub !== undefined) {
      const doing = offered.kept ? strings.models.loading : strings.models.downloading;
      return this.#useSpeech(doing, {
        ...{ name, offered },
        open: (call) => loadModel(hub, { ...call, dtype: keptType }),
      }).then(() => void this.#menu.renew());
    }
    const address = new URL(file ?? name, import.meta.url);
    return isModule
      ? this.useNetwork(address, name, offered)
      : this.#useSpeech(strings.models.loading, {
          name,
          offered,
          // It is cached, so that the page works offline.
          open: (call) => loadModel(address, { ...call, cache: true }),
        });
  }

  /** A model that a person brought, which is kept for the next visit; `from` names the file that it was converted from. */
  useModel(files: readonly [File, ...File[]], name: string, from?: string): Promise<void> {
    return this.#tracked(() => this.#useFiles(files, name, from));
  }

  async #useFiles(
    files: readonly [File, ...File[]],
    name: string,
    from: string | undefined,
  ): Promise<void> {
    let opened: Model | undefined;
    await this.#useSpeech(strings.models.loading, {
      ...{ name, offered: undefined },
      open: async (call) => (opened = await loadModel(oneOrAll(files), call)),
    });
    const { inUse } = this.#place;
    if (!opened || inUse?.model !== opened) return;
    await this.#keep(inUse, files, from === undefined ? name : convertedName(opened.info, from));
  }

  async #keep(inUse: InUse, files: readonly File[], name: string): Promise<void> {
    const own = await ownModels.keep(name, files);
    void this.#menu.renew();
    if (!own) {
      if (!this.#hasSaidNotKept) {
        this.#work.errors.show(strings.models.notKept(name), new Error(strings.models.noRoom));
      }
      this.#hasSaidNotKept = true;
      return;
    }
    if (this.#place.inUse !== inUse) return;
    inUse.name = name;
    inUse.offered = ofOwn(own);
    // One that is on its way already is marked in the menu.
    if (!this.isLoading) this.#menu.mark(name, inUse.offered);
    rememberModel(keyOf(inUse.offered));
  }

  /** A TenniS module or an ONNX network. */
  useNetwork(source: URL | File, name: string, offered?: OfferedModel): Promise<void> {
    return this.#use(
      strings.models.loading,
      { name, offered, open: (call) => openModule(source, call) },
      (module) => ({ show: () => this.#calls.onNetwork(name, module, source) }),
    );
  }

  #useSpeech(doing: string, wanted: Wanted<Model>): Promise<void> {
    return this.#use(doing, wanted, (model) => ({
      model,
      show: () => this.#calls.onModel(wanted.name, model),
    }));
  }

  /** Converts another program's model, with the files beside it, to use it here and to save it. */
  useCheckpoint(files: readonly File[], name: string): Promise<void> {
    return this.#tracked(() => this.#convert(files, name));
  }

  async #convert(files: readonly File[], name: string): Promise<void> {
    const free = this.#calls.whenFree();
    if (free && !(await this.#isWantedAfter(free, name))) return;
    this.#coming = undefined;
    const signal = this.#begin(strings.models.converting, name);
    try {
      const dtype = await this.#choice.ask(files, name, signal, () =>
        this.#work.status.waits(strings.conversion.waits),
      );
      this.#work.show(this.#loads.text);
      const { file, warnings } = await convertFiles(files, name, {
        dtype,
        signal,
        onPart: (part) => this.#work.status.progress(part),
      });
      // It would be in use in place of one that writes text.
      if (warnings.some((warning) => /has no vocabulary/.test(warning))) throw lacksWords();
      this.#calls.onConverted(file, warnings);
      this.#loads.prepared();
      await this.useModel([file], file.name, name);
    } catch (error) {
      if (!this.#work.isCurrent(signal)) return;
      if (!signal.aborted) this.#work.errors.show(strings.models.notConverted(name), error);
      const state = signal.aborted ? strings.status.stopped : strings.status.ready;
      this.#calls.onRest(`${state}${this.#giveUpWaiting()}`);
    }
  }

  /** Something joined or left what waits for the model. */
  showWaiting(): void {
    this.#first.say(this.#loads.waitText);
    if (this.#loads.isLoading) this.#work.show(this.#loads.text);
    else if (this.#first.isOpen) this.#work.status.idle(this.#askText);
    else if (!this.#place.inUse && !this.#coming) {
      this.#work.status.idle(strings.models.noneToListen);
    }
  }

  /** For the status line, while a person is to choose. */
  get #askText(): string {
    return `${this.#loads.waitText}${strings.first.rest}`;
  }

  /** Opens something and shows it, in place of the model or network from before. */
  #use<Opened extends { dispose(): void }>(
    doing: string,
    wanted: Wanted<Opened>,
    shown: (opened: Opened) => Pick<InUse, 'model' | 'show'>,
  ): Promise<void> {
    return this.#tracked(() => this.#load(doing, wanted, shown));
  }

  async #load<Opened extends { dispose(): void }>(
    doing: string,
    { name, offered, open }: Wanted<Opened>,
    shown: (opened: Opened) => Pick<InUse, 'model' | 'show'>,
  ): Promise<void> {
    const free = this.#calls.whenFree();
    if (free && !(await this.#isWantedAfter(free, name))) return;
    this.#coming = undefined;
    if (offered) this.#sample = offered.sample;
    this.#first.mark(offered);
    const signal = this.#begin(doing, name);
    try {
      const opened = await open(loadCall(signal, (part) => this.#work.status.progress(part)));
      const dispose = () => opened.dispose();
      await this.#place.give({ name, offered, dispose, ...shown(opened) }, signal);
      if (!this.#work.isCurrent(signal)) return;
      this.#loads.end();
      this.#calls.onRest(strings.models.loaded(name));
    } catch (error) {
      if (this.#work.isCurrent(signal)) await this.#place.stay();
      if (!this.#work.isCurrent(signal)) return;
      if (signal.aborted && offered) forgetModel(keyOf(offered));
      const isAsked = this.#first.isOpen && offered?.hub !== undefined;
      const again = isAsked || !isOutOfReach(error) ? undefined : offered;
      this.#restore(name, signal.aborted ? 'stopped' : { error, again });
      if (isAsked && !signal.aborted) this.#first.ask(offered);
    }
  }

  /** Another model takes no recording's text away: it waits for those under way. False where another one was chosen meanwhile. */
  async #isWantedAfter(free: Promise<void>, name: string): Promise<boolean> {
    const mine = { name };
    this.#coming = mine;
    this.#calls.onComing();
    await free;
    return this.#coming === mine;
  }

  /** The load failed or was stopped: what was before stays. `again`: what a person may try once more. */
  #restore(
    name: string,
    why: 'stopped' | { readonly error: unknown; readonly again: OfferedModel | undefined },
  ): void {
    const { inUse } = this.#place;
    if (why !== 'stopped') {
      const { error, again } = why;
      const onRetry = again && (() => void this.useOffered(again));
      this.#work.errors.show(strings.models.notLoaded(name), error, onRetry);
    }
    this.#menu.mark(inUse?.name ?? '', inUse?.offered);
    if (inUse?.offered) this.#sample = inUse.offered.sample;
    this.#first.mark(undefined);
    const still = inUse ? strings.models.stillThere : strings.models.none;
    const sentences = [
      why === 'stopped' ? strings.status.stopped : '',
      this.#first.isOpen ? '' : still,
      this.#giveUpWaiting().trim(),
    ];
    this.#calls.onRest(sentences.filter(Boolean).join(' '));
  }

  #begin(what: string, name: string): AbortSignal {
    const signal = this.#work.begin();
    this.#loads.begin(what, name);
    this.#work.show(this.#loads.text);
    return signal;
  }

  #giveUpWaiting(): string {
    this.#loads.end();
    this.#calls.onNotLoaded();
    // On a first visit they were not meant for this one alone: they wait for the next choice.
    if (this.#first.isOpen) return ` ${this.#askText}`;
    return this.#calls.giveUpWaiting();
  }
}
