// The engine's panel: model, variant, threads, memory, speed. It is folded away; its first line says the most.
import type { GraphModule } from '../../src/graph.js';
import type { MemoryFacts, ModelInfo } from '../../src/index.js';
import { byId, element } from '../shell/dom.js';
import { duration, size } from '../shell/format.js';
import { strings } from '../strings.js';
import { languageName } from '../transcript/listening_options.js';

const { engine: words } = strings;

function describe({ family, dims }: ModelInfo): string {
  if (family === 'transducer') return words.transducer;
  if (!dims) return words.acoustic;
  const { nAudioLayer, nTextLayer, nAudioState, nVocab } = dims;
  return words.layers(nAudioLayer, nTextLayer, nAudioState, nVocab.toLocaleString('en'));
}

function languagesOf({ family, multilingual, languages }: ModelInfo): string {
  if (multilingual) return String(languages.length);
  if (family === 'whisper') return words.englishOnly;
  return languages.map(languageName).join(', ') || words.notSaid;
}

export class FactsView {
  readonly #list = byId('facts', HTMLElement);
  readonly #summary = byId('engine_summary', HTMLElement);
  readonly #values = new Map<string, HTMLElement>();

  model(name: string, info: ModelInfo): void {
    this.#clear();
    this.#set('Model', name, [
      words.weightsIn(info.format, info.dtypes.join(', ')),
      describe(info),
      ...info.warnings,
    ]);
    this.#set('Languages', languagesOf(info));
    this.#set('Variant', info.variant, [info.variantReason]);
    this.#set('Engines', String(info.workers), [
      ...(info.workers > 1 ? [words.forLong] : []),
      info.workersReason,
    ]);
    this.#set('Threads', String(info.threads), [info.threadsReason]);
    this.#set('Speed', '–', [words.measuredLater]);
    this.#summary.textContent = words.summary(info.workers, info.threads, info.variant);
  }

  /** A network that is run by name. */
  network(name: string, { format, weightBytes, warnings }: GraphModule): void {
    this.#clear();
    this.#set('Model', name, [words.module(format), ...warnings]);
    this.#set('Weights', size(weightBytes));
    this.#summary.textContent = words.module(format);
  }

  memory(facts: MemoryFacts): void {
    // Networks plan no caches.
    const parts = [
      [words.weights, facts.weightBytes],
      [words.caches, facts.kvCacheBytes],
      [words.activations, facts.activationBytes],
      [words.peak, facts.heapPeakBytes],
    ] as const;
    this.#set(
      'Memory',
      size(facts.wasmBytes),
      parts.filter(([, count]) => count > 0).map(([name, count]) => `${name} ${size(count)}`),
    );
  }

  /** Seconds of work for seconds of audio. */
  speed(work: number, audio: number): void {
    if (audio <= 0 || work <= 0) return;
    const factor = work / audio;
    this.#set('Speed', words.factor(factor.toPrecision(2)), [
      words.soundIn(duration(audio), duration(work)),
      factor <= 1 ? words.faster((audio / work).toFixed(1)) : words.slower,
    ]);
  }

  #clear(): void {
    this.#values.clear();
    this.#list.replaceChildren();
  }

  #set(name: string, value: string, notes: readonly string[] = []): void {
    let cell = this.#values.get(name);
    if (!cell) {
      cell = element('dd');
      cell.dataset.fact = name.toLowerCase();
      this.#values.set(name, cell);
      this.#list.append(element('dt', '', name), cell);
    }
    cell.replaceChildren(value, ...notes.map((note) => element('small', '', note)));
  }
}
