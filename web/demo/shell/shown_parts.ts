// Which parts of the page are shown, as classes of its root: `has-reading` while one with data-part="reading" is. Browsers work out
// rules with :has() for that, and with them the style of the whole page, again whenever anything comes into it.

/** Keeps the classes true from now on. */
export function markShownParts(): void {
  const parts = [...document.querySelectorAll<HTMLElement>('[data-part]')];
  const namesOf = ({ dataset }: HTMLElement): readonly string[] => dataset.part?.split(' ') ?? [];
  const mark = (): void => {
    const shown = new Set(parts.filter(({ hidden }) => !hidden).flatMap(namesOf));
    for (const name of new Set(parts.flatMap(namesOf))) {
      document.documentElement.classList.toggle(`has-${name}`, shown.has(name));
    }
  };
  const observer = new MutationObserver(mark);
  for (const part of parts) observer.observe(part, { attributeFilter: ['hidden'] });
  mark();
}
