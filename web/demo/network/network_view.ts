import { inspect } from '../../src/files.js';
import type { GraphModule, ModuleDescription, ModuleOutput } from '../../src/graph.js';
import type { ModelSource } from '../../src/index.js';
import { curve, rangesOf } from './curve.js';
import { byId, element } from '../shell/dom.js';
import { clock, count, size } from '../shell/format.js';
import { graphPicture } from './graph_picture.js';
import { graphRows, outputRows } from './graph_rows.js';
import { hear, soundInputOf, type SoundInput } from './sound_input.js';
import { InputFields } from './network_inputs.js';
import { recordedSamples, sampleRate } from './recorded_samples.js';
import { withoutRun, withRun, type ShownGraph } from './shown_graph.js';

/** A network that is no recogniser: what it holds, as a picture and a table, and what it gives. */
export class NetworkView {
  readonly #card = byId('network', HTMLElement);
  readonly #inputs = byId('network_inputs', HTMLFormElement);
  readonly #note = byId('network_note', HTMLElement);
  readonly #heard = byId('network_heard', HTMLElement);
  readonly #outputs = byId('network_outputs', HTMLTableElement);
  readonly #graph = byId('graph', HTMLElement);
  #module: GraphModule | undefined;
  #run: ModuleDescription | undefined;
  #soundInput: SoundInput | undefined;
  #fields: readonly InputFields[] = [];

  /** `onRun`: it is to be run on what the fields say. */
  constructor(onRun: () => void) {
    this.#inputs.addEventListener('submit', (event) => {
      event.preventDefault();
      onRun();
    });
  }

  /** Shows a module, which it then owns; the source is read once more where its shapes cannot be known. */
  async show(name: string, module: GraphModule, source: ModelSource): Promise<void> {
    this.hide();
    this.#module = module;
    byId('network_title', HTMLElement).textContent = name;
    this.#outputs.hidden = true;
    this.#heard.hidden = true;
    try {
      this.#describe(await module.describe());
      this.#note.textContent = this.#soundInput
        ? 'It takes sound. Give it a recording, or the sample: it hears it frame by frame.'
        : 'It takes no sound. Run it on noise or zeros to see what it gives.';
    } catch (error) {
      // The graph of an ONNX file is read by its run alone.
      const { graph } = await inspect(source).catch(() => ({ graph: undefined }));
      if (graph) this.#draw(withoutRun(graph));
      else this.#drawNothing();
      this.#note.textContent = `Shapes and cost are not known: ${error instanceof Error ? error.message : String(error)}`;
    }
    this.#fields = module.inputs.map(
      (input, i) => new InputFields(input, i, this.#run?.inputShapes[i]),
    );
    const button = element('button', '', 'Run it');
    this.#inputs.replaceChildren(...this.#fields.map((one) => one.element), button);
    this.#card.hidden = false;
    // A picture wider than the card begins with its inputs in view.
    const { scrollWidth, clientWidth } = this.#graph;
    this.#graph.scrollTo(0, 0);
    const middle = this.#graph.querySelector<SVGGraphicsElement>('.node.input')?.getBBox();
    if (middle && scrollWidth > clientWidth) {
      this.#graph.scrollLeft = middle.x + middle.width / 2 - clientWidth / 2;
    }
  }

  /** Ends what was shown. */
  hide(): void {
    this.#module?.dispose();
    this.#module = undefined;
    this.#run = undefined;
    this.#soundInput = undefined;
    this.#card.hidden = true;
  }

  get isShown(): boolean {
    return this.#module !== undefined;
  }

  /** Runs it on what the fields say. Returns the seconds that took; undefined where a field is no shape. */
  async run(signal: AbortSignal): Promise<number | undefined> {
    const wrong = this.#fields.find(({ shape }) => shape === undefined);
    if (wrong || !this.#module) {
      wrong?.refuse();
      return undefined;
    }
    const shapes = this.#fields.map(({ shape }) => shape as readonly number[]);
    if (shapes.join(';') !== this.#run?.inputShapes.join(';')) {
      this.#describe(await this.#module.describe(shapes, { signal }));
    }
    const tensors = this.#fields.map((field, i) => field.tensor(shapes[i] ?? []));
    const began = performance.now();
    const outputs = await this.#module.run(tensors, { signal });
    const seconds = (performance.now() - began) / 1000;
    this.#heard.hidden = true;
    this.#showOutputs(outputs);
    return seconds;
  }

  /** Gives it a recording. Returns its seconds and those of the work; undefined for a network that takes no sound. */
  async hear(
    file: File,
    signal: AbortSignal,
    onPart: (part: number) => void,
  ): Promise<{ readonly audio: number; readonly work: number } | undefined> {
    const [module, run, hearing] = [this.#module, this.#run, this.#soundInput];
    if (!module || !run || !hearing) return undefined;
    const began = performance.now();
    const samples = await recordedSamples(file);
    signal.throwIfAborted();
    const frames = await hear(module, samples, hearing, run, { signal, onPart });
    signal.throwIfAborted();
    this.#showOutputs(frames.at(-1) ?? []);
    const values = frames.map(([first]) =>
      first?.data.length === 1 ? Number(first.data[0]) : NaN,
    );
    const { step } = hearing;
    const isCurve = step !== undefined && values.every((value) => !Number.isNaN(value));
    if (isCurve) this.#showCurve(file.name, values, step / sampleRate);
    this.#heard.hidden = !isCurve;
    this.#outputs.hidden = isCurve;
    return { audio: samples.length / sampleRate, work: (performance.now() - began) / 1000 };
  }

  #showCurve(name: string, values: readonly number[], secondsPerValue: number): void {
    const ranges = rangesOf(values, secondsPerValue);
    byId('network_heard_title', HTMLElement).textContent = name;
    const list = byId('network_ranges', HTMLElement);
    list.replaceChildren(
      ...ranges.map(({ begin, end }) => element('li', '', `${clock(begin)} – ${clock(end)}`)),
    );
    byId('network_nothing', HTMLElement).hidden = ranges.length > 0;
    byId('network_curve', HTMLElement).replaceChildren(curve(values, secondsPerValue, ranges));
    byId('network_end', HTMLElement).textContent = clock(values.length * secondsPerValue);
  }

  #showOutputs(outputs: readonly ModuleOutput[]): void {
    this.#outputs.replaceChildren(...outputRows(outputs));
    this.#outputs.hidden = false;
  }

  #describe(run: ModuleDescription): void {
    this.#run = run;
    this.#soundInput = soundInputOf(run, this.#module?.inputs ?? []);
    this.#draw(withRun(run));
  }

  #drawNothing(): void {
    byId('network_meta', HTMLElement).textContent = '';
    this.#graph.replaceChildren();
    byId('graph_table', HTMLTableElement).replaceChildren();
  }

  #draw(graph: ShownGraph): void {
    const { nodes, run } = graph;
    const own = nodes.filter(({ constant }) => !constant);
    const weights = nodes.reduce((sum, node) => sum + node.weights, 0);
    byId('network_meta', HTMLElement).textContent = [
      `${own.length} nodes`,
      ...(run
        ? [
            `${count(weights)} weights`,
            `${count(run.cost)} multiply-adds a run`,
            `${size(run.runBytes + run.constantBytes)} of memory`,
          ]
        : []),
    ].join(' · ');
    const picture = graphPicture(graph);
    this.#graph.replaceChildren(picture ?? 'This network is too large for a picture.');
    byId('graph_table', HTMLTableElement).replaceChildren(...graphRows(graph));
  }
}
