// Captions on a terminal: what is certain stays, the lines below it are written anew each time.
import type { LiveText } from '../src/node.js';
import { safe } from './terminal.js';
import { columnsOf } from '../src/writers/columns.js';
import { wrapped } from './text_width.js';

/** What a terminal is here: process.stdout, or a test's. */
export interface Screen {
  readonly columns: number | undefined;
  readonly rows: number | undefined;
  write(text: string): unknown;
}

const usualColumns = 80;
const usualRows = 24;
const [dim, normal] = ['\x1b[2m', '\x1b[22m'];

export class CaptionScreen {
  readonly #screen: Screen;
  /** How provisional text begins and ends. */
  readonly #style: readonly [string, string];
  /** How wide each of the lines is that will be written anew; the cursor is at the end of the last one. */
  #drawn: readonly number[] = [];
  /** The text under way, and how much of it stands for good in lines above. */
  #text: LiveText | undefined;
  #settled = 0;

  constructor(screen: Screen, hasStyle: boolean) {
    this.#screen = screen;
    this.#style = hasStyle ? [dim, normal] : ['', ''];
  }

  show(event: LiveText): void {
    if (event.id !== this.#text?.id) this.#settled = 0;
    this.#text = event;
    this.#erase();
    this.#draw();
    if (event.type === 'final') this.#endLine();
  }

  /** Writes something else, say to stderr, above the captions. */
  aside(write: () => void): void {
    this.#erase();
    write();
    this.#draw();
  }

  /** Leaves the cursor on a line of its own. */
  end(): void {
    this.#endLine();
  }

  #draw(): void {
    if (!this.#text) return;
    const { columns = usualColumns, rows = usualRows } = this.#screen;
    const { text, certain } = partsOf(this.#text);
    // A line that is full to the last column leaves the cursor where terminals differ.
    const lines = wrapped(text.slice(this.#settled).trimStart(), Math.max(1, columns - 1));
    const ends = endsOf(lines, text, this.#settled);
    // Lines that cannot change are written for good, and so are those that would scroll away.
    const keepsOpen = Math.max(1, rows - 1);
    let output = '';
    let open = 0;
    lines.forEach((line, at) => {
      const [begin, end] = ends[at]!;
      const isLast = at === lines.length - 1;
      output += this.#styled(line, Math.max(0, certain - begin));
      if (isLast) return;
      output += '\n';
      if (open === at && (end <= certain || lines.length - at > keepsOpen)) {
        open = at + 1;
        this.#settled = end;
      }
    });
    this.#screen.write(output);
    this.#drawn = lines.slice(open).map(columnsOf);
  }

  #styled(line: string, certain: number): string {
    const [before, after] = this.#style;
    const rest = line.slice(certain);
    return rest === '' ? line : `${line.slice(0, certain)}${before}${rest}${after}`;
  }

  /** Back to the beginning of the first open line. A terminal that has become narrower has broken them once more. */
  #erase(): void {
    if (this.#drawn.length === 0) return;
    const { columns = usualColumns } = this.#screen;
    const taken = this.#drawn.reduce(
      (sum, width) => sum + Math.max(1, Math.ceil(width / columns)),
      0,
    );
    this.#screen.write(`${taken > 1 ? `\x1b[${taken - 1}A` : ''}\r\x1b[J`);
    this.#drawn = [];
  }

  #endLine(): void {
    if (this.#drawn.some((width) => width > 0)) this.#screen.write('\n');
    this.#drawn = [];
    this.#text = undefined;
    this.#settled = 0;
  }
}

/** The text in one line, and how much of it, from the beginning on, is certain. */
function partsOf(event: LiveText): { readonly text: string; readonly certain: number } {
  const words = event.words.slice(0, event.type === 'final' ? undefined : event.committed);
  const plain = (text: string): string => safe(text).replaceAll(/[\n\t]/g, ' ');
  const whole = plain(event.text);
  const sure = event.type === 'final' ? whole : plain(words.map(({ word }) => word).join(''));
  const lead = whole.length - whole.trimStart().length;
  return {
    text: whole.trim(),
    certain: whole.startsWith(sure) ? Math.max(0, sure.length - lead) : 0,
  };
}

/** Where in the text each line begins and ends; between them are the spaces that breaking took. */
function endsOf(
  lines: readonly string[],
  text: string,
  from: number,
): (readonly [number, number])[] {
  let at = from;
  return lines.map((line) => {
    while (text[at] === ' ' && !text.startsWith(line, at)) ++at;
    const begin = at;
    at += line.length;
    return [begin, at] as const;
  });
}
