// What a network is fed with when it is run without a recording: shapes and fillings that a person can change.
import type { ModuleInput, ModuleTensor, OpenShape } from '../../src/graph.js';
import { element } from '../shell/dom.js';

/** The fields of one input. */
export class InputFields {
  readonly element = element('div', 'input-fields');
  readonly #shape = element('input');
  readonly #filling = element('select');

  /** `known`: the shape that is worked with, where there is one. */
  constructor({ name, shape }: ModuleInput, index: number, known?: readonly number[]) {
    const label = name || `input ${index + 1}`;
    this.#shape.value = (known ?? []).join('×');
    this.#shape.size = Math.max(this.#shape.value.length, shape ? 4 : 14);
    this.#shape.placeholder = '1×3×224×224';
    this.#shape.autocapitalize = 'none';
    this.#shape.readOnly = shape?.every((dim) => dim !== null) ?? false;
    this.#shape.setAttribute('aria-label', `Shape of ${label}`);
    this.#filling.setAttribute('aria-label', `Values of ${label}`);
    this.#filling.append(new Option('noise'), new Option('zeros'));
    this.element.append(element('code', '', label), this.#shape, this.#filling);
  }

  /** What stands there; undefined for what is no shape. */
  get shape(): OpenShape | undefined {
    const dims = this.#shape.value.trim().split(/[x×,\s]+/);
    return dims.every((dim) => /^\d{1,9}$/.test(dim)) ? dims.map(Number) : undefined;
  }

  /** Noise is between −1 and 1. */
  tensor(shape: readonly number[]): ModuleTensor {
    const data = new Float32Array(shape.reduce((product, dim) => product * dim, 1));
    if (this.#filling.value === 'noise') {
      for (const i of data.keys()) data[i] = Math.random() * 2 - 1;
    }
    return { data, shape };
  }

  /** Tells the person that the shape will not do. */
  refuse(): void {
    this.#shape.setCustomValidity('Sizes like 1×3×224×224');
    this.#shape.reportValidity();
    this.#shape.addEventListener('input', () => this.#shape.setCustomValidity(''), { once: true });
  }
}
