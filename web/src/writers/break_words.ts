// Words that tell where a line may end, by language. All in lower case.

interface BreakWords {
  /** No line ends with these: articles, prepositions, conjunctions and titles. */
  readonly tied: ReadonlySet<string>;
  readonly articles: ReadonlySet<string>;
  /** Better not with these either: what goes before a verb. */
  readonly held: ReadonlySet<string>;
  /** With these a clause begins. */
  readonly clause: ReadonlySet<string>;
  /** With these a phrase begins. */
  readonly phrase: ReadonlySet<string>;
  /** These join nouns: "the south of France". */
  readonly ofNouns: ReadonlySet<string>;
}

/** Articles and what is like them; prepositions; conjunctions and relative words; pronouns and auxiliaries; titles. */
type Lists = readonly [
  articles: string,
  prepositions: string,
  conjunctions: string,
  auxiliaries: string,
  titles: string,
];

const lists: Readonly<Record<string, Lists>> = {
  en: [
    'a an the my your his its our their this these those every each some any no very more less most almost about two three four five six seven eight nine ten hundred thousand new old good little',
    'of to in on at by for from with into onto than over under between through during without against until till towards across around behind beside near upon within among like',
    'and or but nor yet because if when while that which who whom whose where although though unless since whether as before after once how what why just',
    'i he she we they you it is are was were am be been has have had will would can could should may might must do does did not never there so as soon half seems used',
    'mr mrs ms dr prof st mr. mrs. ms. dr. prof. st.',
  ],
  de: [
    'der die das den dem des ein eine einen einem einer eines mein meine meinen meinem meiner dein deine deinen sein seine seinen seinem seiner ihr ihre ihren ihrem ihrer unser unsere unseren unserer kein keine keinen keinem keiner dieser diese dieses diesen diesem jeder jede jedes jeden jedem sehr mehr fast etwa zwei drei vier fünf sechs sieben acht neun zehn hundert neue neuen alte alten kleine kleinen',
    'in im ins an am ans auf aus bei beim bis durch für gegen mit nach ohne seit über um unter von vom vor zu zum zur zwischen hinter neben während wegen trotz als wie',
    'und oder aber denn sondern weil wenn dass ob als während obwohl damit bevor nachdem sobald soweit falls deshalb wo wie was wer warum wann',
    'ich er sie wir man es ist sind war waren hat haben hatte hatten wird werden wurde würde kann können muss soll nicht erst nur auch noch schon mehr weniger so',
    'herr frau dr prof herrn dr. prof.',
  ],
  fr: [
    'le la les un une des du au aux mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs ce cet cette ces chaque quelques plusieurs très plus moins toute tout tous toutes deux trois quatre cinq six sept huit neuf dix cent nouvelle nouveau petite petit',
    'de à en dans sur sous par pour avec sans chez vers depuis pendant entre contre jusque avant après dès devant derrière',
    'et ou mais donc car ni que qui dont où quand lorsque comme si parce puisque quoique bien alors dès pendant afin lequel laquelle',
    'je tu il elle on nous vous ils elles se ne est sont était a ont avait ai avons va peut doit y près',
    'm mme mlle dr m. mme. dr.',
  ],
  es: [
    'el la los las un una unos unas mi mis tu tus su sus nuestro nuestra nuestros nuestras este esta estos estas ese esa esos esas aquel aquella cada algún alguna ningún ninguna muy más menos tan casi dos tres cuatro cinco seis siete ocho nueve diez cien nueva nuevo',
    'de del a al en con sin por para sobre entre hasta desde hacia contra durante tras según ante bajo',
    'y e o u pero sino ni que quien quienes cual donde cuando como qué quién dónde cuándo cómo si porque pues aunque mientras cuyo así',
    'yo él ella se me te le lo nos les no es son era fue ha han había he hemos está están va puede debe hay antes después tienes tiene tienen',
    'sr sra srta dr dra don doña sr. sra. dr.',
  ],
  it: [
    'il lo la i gli le un uno una del dello della dei degli delle al allo alla ai agli alle nel nella nei nelle sul sulla dal dalla mio mia suo sua questo questa ogni molto più',
    'di a da in con su per tra fra senza verso durante dopo prima fino',
    'e o ma che chi cui dove quando come se perché anche mentre benché però quindi',
    'io lui lei noi voi loro si mi ti ci vi non è sono era ha hanno aveva',
    'sig sig.ra dott sig. dott.',
  ],
  pt: [
    'o a os as um uma uns umas meu minha seu sua nosso nossa este esta esse essa cada muito mais',
    'de do da dos das em no na nos nas ao à aos às com sem por pelo pela para sobre entre até desde',
    'e ou mas que quem onde quando como se porque pois embora enquanto cujo',
    'eu ele ela nós eles elas me te lhe não é são era foi tem têm tinha está',
    'sr sra dr dra sr. sra. dr.',
  ],
  nl: [
    'de het een mijn jouw zijn haar ons onze hun dit deze die elke elk geen zeer meer',
    'van in op aan bij met naar voor door over onder uit om tot zonder tegen tussen tijdens te sinds',
    'en of maar want omdat als toen terwijl dat wat wie waar hoewel zodat voordat nadat zodra hoe dus',
    'ik hij ze zij we wij je het is was waren heeft hebben had wordt kan moet niet er',
    'dhr mevr dr dhr. mevr. dr.',
  ],
};

const joinsNouns: ReadonlySet<string> = new Set(['of', 'von', 'de', 'du', 'des', 'di', 'van']);

const setOf = (...words: readonly string[]): ReadonlySet<string> =>
  new Set(words.flatMap((each) => each.split(' ')));

const made = new Map<string, BreakWords>();

/** Undefined for a language that is not known here. */
export function breakWords(language = ''): BreakWords | undefined {
  const code = language.toLowerCase().split(/[-_]/)[0]!;
  if (!Object.hasOwn(lists, code)) return undefined;
  const known = made.get(code);
  if (known) return known;
  const [articles, prepositions, conjunctions, auxiliaries, titles] = lists[code]!;
  const words = {
    tied: setOf(articles, prepositions, conjunctions, titles),
    articles: setOf(articles),
    held: setOf(auxiliaries),
    clause: setOf(conjunctions),
    phrase: setOf(prepositions),
    ofNouns: joinsNouns,
  };
  made.set(code, words);
  return words;
}

/** The language whose small words, or letters, text has most of; undefined where it has few of any. */
export function likelyLanguage(text: string): string | undefined {
  const count = (letters: RegExp): number => text.match(letters)?.length ?? 0;
  const eastAsian = count(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  if (2 * eastAsian > count(/\p{L}/gu)) {
    return count(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu) * 10 > eastAsian ? 'ja' : 'zh';
  }
  const words = text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];
  const [first, second] = Object.keys(lists)
    .map((language) => {
      const { tied, held } = breakWords(language)!;
      const known = words.filter((word) => tied.has(word) || held.has(word)).length;
      return { language, share: known / Math.max(1, words.length) };
    })
    .sort((a, b) => b.share - a.share);
  const isSure = first!.share > leastShare && first!.share > second!.share;
  return isSure ? first!.language : undefined;
}

/** So many words of a language that is known here are small ones. */
const leastShare = 0.2;
