// What a model of the hub will take, and the button that downloads it.
import { plan } from '../../src/index.js';
import { strings } from '../strings.js';
import { element } from '../shell/dom.js';
import { size } from '../shell/format.js';
import { inCatalogue, keptType } from './catalogue.js';
import type { OfferedModel } from './offered_models.js';

const { models: words } = strings;

interface OfferCalls {
  readonly onDownload: () => void;
  /** The hub cannot be reached: a person has the model as a file. */
  readonly onFile: () => void;
}

/** Says what is known at once, then what plan() finds out of the model and this device. */
export function downloadOffer(
  { name, hub = name }: OfferedModel,
  calls: OfferCalls,
): { readonly box: HTMLElement; readonly button: HTMLButtonElement } {
  const box = element('div', 'model-offer');
  const facts = element('p');
  const verdict = element('p', 'hint', words.planning);
  facts.setAttribute('role', 'status');
  const known = inCatalogue(name);
  if (known) facts.textContent = words.takes(size(known.download * 1e6));
  const button = offerButton('primary', words.download, calls.onDownload);
  const retry = offerButton('', words.retry, () => void look());
  const file = offerButton('quiet', words.fromFile, calls.onFile);
  const actions = element('div', 'actions');
  actions.append(button, retry, file);
  box.append(facts, verdict, actions);
  const look = async (): Promise<void> => {
    verdict.textContent = words.planning;
    retry.disabled = true;
    const text = await planned(hub);
    const isOutOfReach = text === undefined;
    const hadFocus = box.contains(document.activeElement);
    verdict.textContent = text ?? words.noAnswer;
    button.disabled = isOutOfReach;
    retry.disabled = false;
    retry.hidden = file.hidden = !isOutOfReach;
    if (hadFocus) (isOutOfReach ? retry : button).focus();
  };
  retry.hidden = file.hidden = true;
  void look();
  return { box, button };
}

function offerButton(kind: string, text: string, onClick: () => void): HTMLButtonElement {
  const button = element('button', kind, text);
  button.type = 'button';
  button.addEventListener('click', onClick);
  return button;
}

/** Nothing where the hub does not answer. */
async function planned(hub: string): Promise<string | undefined> {
  try {
    const { fetchBytes, peakBytes, verdict } = await plan(hub, { dtype: keptType });
    const fits = { yes: words.fits, no: words.doesNotFit, unsure: words.mayNotFit };
    const fetched = fetchBytes === undefined ? '' : `${words.exactly(size(fetchBytes))} `;
    return `${fetched}${words.needsMemory(size(peakBytes))} ${fits[verdict.fits]}`;
  } catch {
    return undefined;
  }
}
