// The options of BW2L's beam search.
import { beamOptionRows } from '../api/generated/beam_options.js';
import { optionRows } from '../api/generated/options.js';
import { between, flag, orNull, wholeBetween, type Check, type Checks } from '../api/options.js';
import { checkAcoustic } from '../protocol/families.js';

export const beamChecks: Checks = Object.fromEntries(
  beamOptionRows.map(({ name, kind, least = 0, most = Infinity, orNull: isOff }) => {
    const check: Check =
      kind === 'flag' ? flag : (kind === 'whole' ? wholeBetween : between)(least, most);
    return [name, isOff ? orNull(check) : check];
  }),
);

/** Those that no Whisper has under the same name. */
const ownNames = beamOptionRows
  .map(({ name }) => name)
  .filter((name) => !optionRows.some((row) => row.name === name));

/** Rejects options of the beam search for a model of another family. */
export function checkNoBeamOptions(options: object, family: string): void {
  for (const name of ownNames) {
    if (Reflect.get(options, name) !== undefined) checkAcoustic(family, `the option ${name}`);
  }
}
