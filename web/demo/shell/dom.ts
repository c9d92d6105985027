/** The element with this id; the page's own HTML has it, so its absence is a defect of the page. */
export function byId<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`The page has no ${type.name} #${id}.`);
  return found;
}

/** A new element with class and text of this page. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className = '',
  text = '',
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

/** Text that is there already is not set anew: it would be laid out again, and screen readers would say it again. */
export function setText(place: Node, text: string): void {
  if (place.textContent !== text) place.textContent = text;
}

/** What is hidden already is not hidden anew, which browsers take for a change all the same. */
export function hide(place: HTMLElement, isHidden: HTMLElement['hidden']): void {
  if (place.hidden !== isHidden) place.hidden = isHidden;
}

/** One for text in any language, such as what was said or a recording's name: it runs as its first letter does. */
export function textElement<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className = '',
  text = '',
): HTMLElementTagNameMap[K] {
  const made = element(name, className, text);
  made.dir = 'auto';
  return made;
}
