import type { GraphModule, MemoryFacts, ModelInfo } from '../../src/index.js';
import { byId, element } from '../shell/dom.js';
import { languageName } from '../transcript/listening_options.js';
import { bytes, duration } from '../shell/format.js';

function describe({ family, dims }: ModelInfo): string {
  if (family === 'transducer') return 'streaming transducer (april-asr)';
  if (!dims) return 'acoustic model (wav2letter)';
  return `${dims.nAudioLayer} + ${dims.nTextLayer} layers, width ${dims.nAudioState}, ${dims.nVocab.toLocaleString('en')} tokens`;
}

function languagesOf({ family, multilingual, languages }: ModelInfo): string {
  if (multilingual) return String(languages.length);
  if (family === 'whisper') return 'English only';
  return languages.map(languageName).join(', ') || 'not said in the file';
}

/** The engine's facts: model, variant, memory, speed. */
export class FactsView {
  readonly #list = byId('facts', HTMLElement);
  readonly #values = new Map<string, HTMLElement>();

  model(name: string, info: ModelInfo): void {
    this.#clear();
    this.#set('Model', name, [
      `${info.format}, weights in ${info.dtypes.join(' and ')}`,
      describe(info),
      ...info.warnings,
    ]);
    this.#set('Languages', languagesOf(info));
    this.#set('Variant', info.variant, [info.variantReason]);
    this.#set('Speed', '–', ['measured when it transcribes']);
  }

  /** A network that is run by name. */
  network(name: string, { format, weightBytes, warnings }: GraphModule): void {
    this.#clear();
    this.#set('Model', name, [`${format} module`, ...warnings]);
    this.#set('Weights', bytes(weightBytes));
  }

  memory(facts: MemoryFacts): void {
    // Networks plan no caches.
    const parts = [
      ['weights', facts.weightBytes],
      ['caches', facts.kvCacheBytes],
      ['activations', facts.activationBytes],
      ['peak in use', facts.heapPeakBytes],
    ] as const;
    this.#set(
      'Memory',
      bytes(facts.wasmBytes),
      parts.filter(([, count]) => count > 0).map(([name, count]) => `${name} ${bytes(count)}`),
    );
  }

  /** Seconds of work for seconds of audio. */
  speed(work: number, audio: number): void {
    if (audio <= 0 || work <= 0) return;
    const factor = work / audio;
    const times = audio / work;
    const said = times >= 1 ? `${times.toFixed(1)} times as fast as speech` : 'slower than speech';
    this.#set('Speed', `real-time factor ${factor.toPrecision(2)}`, [
      `${duration(audio)} of sound in ${duration(work)}`,
      said,
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
