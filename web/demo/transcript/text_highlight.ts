// Marks places in the text without changing the page's elements, where the browser can; else the segment of the one looked at.

export interface Place {
  readonly element: HTMLElement;
  readonly start: number;
  readonly end: number;
}

/** Marks all places, and the one with this number more strongly. */
export function highlight(places: readonly Place[], current: number): void {
  for (const element of document.querySelectorAll('.segment.found')) {
    element.classList.remove('found');
  }
  places[current]?.element.classList.add('found');
  if (!('highlights' in CSS)) return;
  const ranges = places.map(rangeOf);
  const now = ranges[current];
  CSS.highlights.set('found', new Highlight(...ranges));
  CSS.highlights.set('found-now', new Highlight(...(now ? [now] : [])));
}

function rangeOf({ element, start, end }: Place): Range {
  const range = document.createRange();
  range.selectNodeContents(element);
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let at = 0;
  let isStarted = false;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const length = node.nodeValue?.length ?? 0;
    if (!isStarted && start < at + length) {
      range.setStart(node, start - at);
      isStarted = true;
    }
    if (end <= at + length) {
      range.setEnd(node, end - at);
      break;
    }
    at += length;
  }
  return range;
}
