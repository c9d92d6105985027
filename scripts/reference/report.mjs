// What people see of the cases: each difference as it comes, tables at the end.

const short = (value) => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 160 ? `${text.slice(0, 157)}…` : text;
};

const partText = (part) => {
  if (part.zeros !== undefined) return `silence ${part.zeros}`;
  if (part.noise) return `noise ${part.noise.decibels} dB ${part.noise.samples}`;
  return `${part.recording} ${part.start}+${part.samples}`;
};

const changes = ({ gain, speed }) =>
  `${gain === 1 ? '' : `, gain ${gain}`}${speed === 1 ? '' : `, speed ${speed}`}`;

const optionsText = (options) =>
  Object.entries(options)
    .map(([name, value]) => `${name} ${short(value)}`)
    .join(', ') || 'none';

const margin = (value) => (typeof value === 'number' ? value.toPrecision(3) : 'none');

function closestText({ seek, margin: [step, value], timestampMargin: [timestampStep, mass] }) {
  if (typeof step !== 'number') return 'no decode call there';
  return (
    `none that was kept of the decode call at ${(seek / 100).toFixed(2)} s; its smallest margins: ` +
    `best two ${margin(value)} at step ${step}, timestamps against text ${margin(mass)} at step ${timestampStep}`
  );
}

function stepText(step, closest) {
  if (!step) return closest ? closestText(closest) : 'none';
  const { window, seek, promptLength } = step;
  return (
    `step ${step.step} of decode call ${window} at ${(seek / 100).toFixed(2)} s, after ${promptLength} initial tokens: ` +
    `reference ${step.reference ?? 'ends'}, Susurrus ${step.susurrus ?? 'ends'}; ` +
    `margins: best two ${margin(step.margin)}, timestamps against text ${margin(step.timestampMargin)}`
  );
}

/** Several lines about a case that is not equal; `again` is the command that repeats it. */
export function differenceText(outcome, again) {
  const { index, status, drawn, differences } = outcome;
  const verdict =
    status === 'fragile'
      ? 'differs, but the reference does not keep its own result under a little noise either'
      : 'DIFFERS';
  if (!drawn) return `case ${index} ${verdict}: ${differences[0].susurrus}\n  again: ${again}`;
  const shown = differences.slice(0, 4);
  return [
    `case ${index} ${verdict}: ${drawn.function}, ${drawn.model}`,
    `  options: ${optionsText(drawn.options)}`,
    `  audio: ${drawn.audio.parts.map(partText).join(', ')}${changes(drawn.audio)}`,
    ...shown.map(
      ({ field, reference, susurrus }) =>
        `  ${field}: reference ${short(reference)}, Susurrus ${short(susurrus)}`,
    ),
    ...(differences.length > shown.length
      ? [`  … ${differences.length - shown.length} more fields`]
      : []),
    `  first differing step: ${stepText(outcome.step, outcome.closest)}`,
    `  again: ${again}`,
  ].join('\n');
}

const statuses = ['equal', 'fragile', 'different'];

function table(rows) {
  const widths = rows[0].map((_, column) =>
    Math.max(...rows.map((row) => `${row[column]}`.length)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, i) => (i === 0 ? `${cell}`.padEnd(widths[i]) : `${cell}`.padStart(widths[i])))
        .join('  '),
    )
    .join('\n');
}

/** Rows of a table: how the outcomes of each key went. */
function counted(title, outcomes, keysOf) {
  const counts = new Map();
  for (const outcome of outcomes) {
    for (const key of keysOf(outcome)) {
      const row = counts.get(key) ?? { equal: 0, fragile: 0, different: 0 };
      row[outcome.status] += 1;
      counts.set(key, row);
    }
  }
  const rows = [...counts].sort(([a], [b]) => a.localeCompare(b));
  return table([
    [title, 'cases', ...statuses],
    ...rows.map(([key, row]) => [
      key,
      statuses.reduce((sum, status) => sum + row[status], 0),
      ...statuses.map((status) => row[status]),
    ]),
  ]);
}

/** An option, with its value where that is one of few. */
const valueText = (name, value) =>
  value === null || value === '' || typeof value === 'boolean'
    ? `${name} ${JSON.stringify(value)}`
    : name;

/** The tables over all outcomes, and what was drawn again. */
export function summary(outcomes) {
  const ran = outcomes.filter(({ drawn }) => drawn);
  const redrawn = outcomes.flatMap((outcome) => outcome.redrawn ?? []);
  const tooLong = redrawn.filter(({ kind }) => kind === 'TooManyWindows').length;
  const count = (status) => outcomes.filter((outcome) => outcome.status === status).length;
  return [
    counted('model', ran, ({ drawn }) => [`${drawn.model} ${drawn.function}`]),
    '',
    counted('option', ran, ({ drawn }) =>
      Object.entries(drawn.options).map(([name, value]) => valueText(name, value)),
    ),
    '',
    `decode calls of the reference: ${ran.reduce((sum, { windows }) => sum + windows, 0)}`,
    `drawn again: ${tooLong} with too many windows, ${redrawn.length - tooLong} that the reference refuses`,
    `fragile: ${
      outcomes
        .filter(({ status }) => status === 'fragile')
        .map(({ index }) => index)
        .join(', ') || 'none'
    }`,
    `${outcomes.length} cases: ${count('equal')} equal, ${count('fragile')} fragile, ${count('different')} different`,
  ].join('\n');
}
