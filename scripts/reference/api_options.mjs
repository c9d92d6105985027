// The reference's options as Susurrus's API has them.
import { optionsByReferenceName } from '../facts/read_facts.mjs';

const idList = (text) => (text === '' ? [] : text.split(',').map(Number));

function suppressed(value) {
  if (value === '-1') return -1;
  return typeof value === 'string' ? idList(value) : value;
}

const times = (value) => (typeof value === 'string' ? idList(value) : value);

/** Names of the reference that are not the option's value as it is, and what the value then becomes. */
const conversions = {
  suppress_tokens: suppressed,
  clip_timestamps: times,
  // These two are one option of the API.
  without_timestamps: (value) => (value ? 'none' : 'segment'),
  word_timestamps: (value) => (value ? 'word' : 'segment'),
};

/**
 * Options for Susurrus that ask for exactly what the reference does with `options` at temperature 0.
 * @type {(options: Readonly<Record<string, unknown>>) => Record<string, unknown>}
 */
export function apiOptions(options) {
  const api = { temperature: 0, compatibility: 'openai' };
  for (const [name, value] of Object.entries(options)) {
    const { name: apiName } = optionsByReferenceName.get(name);
    api[apiName] = conversions[name]?.(value) ?? value;
  }
  return api;
}
