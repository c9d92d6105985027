// Marks places in the text without changing the page's elements, where the browser can; else the segment of the one looked at.

/** From a letter of one segment to a letter of the same or a later one. */
export interface Place {
  readonly first: HTMLElement;
  readonly start: number;
  readonly last: HTMLElement;
  readonly end: number;
}

/** Marks all places, and the one with this number more strongly. */
export function highlight(places: readonly Place[], current: number): void {
  for (const element of document.querySelectorAll('.segment.found')) {
    element.classList.remove('found');
  }
  const now = places[current];
  for (const element of now ? [now.first, now.last] : []) element.classList.add('found');
  if (!('highlights' in CSS)) return;
  CSS.highlights.set('found', new Highlight(...places.map(rangeOf)));
  CSS.highlights.set('found-now', new Highlight(...(now ? [rangeOf(now)] : [])));
}

export function rangeOf({ first, start, last, end }: Place): Range {
  const range = document.createRange();
  range.setStart(...pointIn(first, start, true));
  range.setEnd(...pointIn(last, end, false));
  return range;
}

/** The node with this letter of an element's text; at a border between two nodes, the later one if `isLater`. */
function pointIn(element: HTMLElement, letter: number, isLater: boolean): [Node, number] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let at = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const length = node.nodeValue?.length ?? 0;
    if (isLater ? letter < at + length : letter <= at + length) return [node, letter - at];
    at += length;
  }
  return [element, element.childNodes.length];
}
