// What a model of the hub will take, and the button that downloads it.
import { plan } from '../../src/index.js';
import { strings } from '../strings.js';
import { element } from '../shell/dom.js';
import { size } from '../shell/format.js';
import { inCatalogue, keptType } from './catalogue.js';
import type { OfferedModel } from './offered_models.js';

const { models: words } = strings;

/** Says what is known at once, then what plan() finds out of the model and this device. */
export function downloadOffer(
  { name, hub = name }: OfferedModel,
  onDownload: () => void,
): { readonly box: HTMLElement; readonly button: HTMLButtonElement } {
  const box = element('div', 'model-offer');
  const facts = element('p');
  const verdict = element('p', 'hint', words.planning);
  facts.setAttribute('role', 'status');
  const known = inCatalogue(name);
  if (known) facts.textContent = words.takes(size(known.download * 1e6));
  const button = element('button', 'primary', words.download);
  button.type = 'button';
  button.addEventListener('click', onDownload);
  box.append(facts, verdict, button);
  void planned(hub).then((text) => (verdict.textContent = text));
  return { box, button };
}

async function planned(hub: string): Promise<string> {
  try {
    const { fetchBytes, peakBytes, verdict } = await plan(hub, { dtype: keptType });
    const fits = { yes: words.fits, no: words.doesNotFit, unsure: words.mayNotFit };
    const fetched = fetchBytes === undefined ? '' : `${words.exactly(size(fetchBytes))} `;
    return `${fetched}${words.needsMemory(size(peakBytes))} ${fits[verdict.fits]}`;
  } catch {
    return words.noAnswer;
  }
}
