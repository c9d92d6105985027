// Words that tell where a line may end, by language. All in lower case.

export interface BreakWords {
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
  readonly enclitics: ReadonlySet<string>;
  /** How an infinitive and a verb end. */
  readonly infinitive?: RegExp;
  readonly verb?: RegExp;
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
    'a an the my your his its our their this these those every each some any no very more less most almost about so too quite half soon two three four five six seven eight nine ten hundred thousand new old good little small big great whole own other such to first second third last next same few many several',
    'of to in on at by for from with into onto than over under between through during without against until till towards across around behind beside near upon within among like along inside outside above below beyond despite except per via every all',
    'and or but nor yet because if when while that which who whom whose where although though unless since whether as before after once how what why just i he she we they',
    'you it is are was were am be been has have had having will would can could cannot should may might must shall do does did not never there nobody somebody anybody everybody someone anyone everyone nothing something seem seems seemed become becomes became used close according due instead',
    'mr mrs ms dr prof st mr. mrs. ms. dr. prof. st.',
  ],
  de: [
    'der die das den dem des ein eine einen einem einer eines mein meine meinen meinem meiner dein deine deinen sein seine seinen seinem seiner ihr ihre ihren ihrem ihrer unser unsere unseren unserer kein keine keinen keinem keiner dieser diese dieses diesen diesem jeder jede jedes jeden jedem viele vielen einige einigen sehr mehr fast etwa so zu zwei drei vier fünf sechs sieben acht neun zehn hundert neue neuen alte alten kleine kleinen große großen erste ersten zweite zweiten letzte letzten nächste nächsten andere anderen gleichen selben',
    'in im ins an am ans auf aus bei beim bis durch für gegen mit nach ohne seit über um unter von vom vor zu zum zur zwischen hinter neben während wegen trotz als wie jeden',
    'und oder sondern weil wenn dass ob als während obwohl damit bevor nachdem sobald soweit falls deshalb wo wie was wer warum wann welche welcher welches woher wohin wozu',
    'ich du er sie wir man es mich mir dich dir ihn ihm uns euch ihnen sich bin bist ist sind seid war waren wäre wären hat habe haben hast habt hatte hatten hätte hätten wird werden wurde wurden würde würden kann können muss soll nicht nie erst nur auch noch schon mehr weniger so',
    'herr frau dr prof herrn dr. prof.',
  ],
  fr: [
    'le la les un une des du au aux mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs ce cet cette ces chaque quelques plusieurs certains certaines très plus moins si trop assez aussi toute tout tous toutes deux trois quatre cinq six sept huit neuf dix cent nouvelle nouveau petite petit grande grand bonne bon vieille vieux premier première deuxième dernier dernière même autre autres',
    'de à en dans sur sous par pour avec sans chez vers depuis pendant entre contre jusque avant après dès devant derrière tous toutes chaque',
    'et ou mais donc car ni que qui dont où quand lorsque comme si parce puisque quoique bien alors dès pendant afin lequel laquelle quel quelle quels quelles combien comment pourquoi',
    "je tu il elle on nous vous ils elles se me te ne lui y en pas plus jamais rien est semble semblait devient sont était étaient suis es sommes êtes étais étions sera seront serait être a ai as avons avez ont avait avaient avais aura auront aurait aurais avoir va vont vais allait peut peuvent pouvait pourrait doit doivent devait devrait veut veulent voulait fait font faut près personne c'est c'était",
    'm mme mlle dr m. mme. dr.',
  ],
  es: [
    'el la los las un una unos unas mi mis tu tus su sus nuestro nuestra nuestros nuestras este esta estos estas ese esa esos esas aquel aquella cada algún alguna ningún ninguna muy más menos tan casi dos tres cuatro cinco seis siete ocho nueve diez cien nueva nuevo gran buen buena otro otra otros otras primer primera segundo segunda último última mismo misma',
    'de del a al en con sin por para sobre entre hasta desde hacia contra durante tras según ante bajo todos todas cada',
    'y e o u pero sino ni que quien quienes cual donde cuando como qué quién dónde cuándo cómo cuál cuáles cuánto si porque pues aunque mientras cuyo así',
    'parece parecía yo él ella ellos ellas se me te le lo la les los nos no nunca es son era eran fue fueron ser sido está están estaba estaban ha han he has había habían hemos haya tiene tienen tienes tenía va van iba puede pueden podía debe deben debía hay antes después nadie alguien nada algo',
    'sr sra srta dr dra don doña sr. sra. dr.',
  ],
  it: [
    'il lo la i gli le un uno una del dello della dei degli delle al allo alla ai agli alle nel nello nella nei negli nelle sul sullo sulla sui sulle dal dallo dalla dai dalle mio mia miei mie tuo tua suo sua suoi sue nostro nostra vostro vostra loro questo questa questi queste quel quella quei quelle ogni qualche alcuni alcune molto più meno così troppo quasi due tre quattro cinque sei sette otto nove dieci cento nuova nuovo piccola piccolo grande primo seconda ultimo ultima stesso stessa altro altra',
    'di a da in con su per tra fra senza verso durante dopo prima fino contro sotto sopra presso ogni tutti tutte del dello della dei degli delle al allo alla ai agli alle nel nella nei nelle sul sulla dal dalla',
    'e ed o ma che chi cui dove quando come se perché anche mentre benché però quindi poiché affinché oppure né quale quanto',
    'io tu lui lei noi voi loro si mi ti ci vi ne non mai è sono sei siamo era erano fu essere stato stata ha hanno ho hai abbiamo aveva avevano avere può possono poteva deve devono doveva vuole vogliono va vanno nessuno qualcuno niente sembra',
    'sig sig.ra dott sig. dott.',
  ],
  pt: [
    'o a os as um uma uns umas meu minha meus minhas seu sua seus suas nosso nossa nossos nossas este esta estes estas esse essa esses essas aquele aquela cada algum alguma nenhum nenhuma muito mais menos tão quase dois duas três quatro cinco seis sete oito nove dez cem novo nova pequeno pequena pequenos pequenas grande grandes bom boa outro outra primeiro primeira segundo segunda último última mesmo mesma',
    'de do da dos das em no na nos nas ao à aos às com sem por pelo pela pelos pelas para sobre entre até desde contra durante após sob cada todos todas',
    'e ou mas que quem onde quando como se porque pois embora enquanto cujo nem porém portanto qual quanto',
    'eu tu ele ela nós eles elas você vocês se me te lhe não nunca é são era eram foi foram ser sido está estão estava estavam há tem têm tinha tinham ter vai vão ia pode podem podia deve devem devia antes depois ninguém alguém nada parece',
    'sr sra dr dra sr. sra. dr.',
  ],
  nl: [
    'de het een mijn jouw zijn haar ons onze hun uw dit deze die elke elk geen enkele veel zeer heel meer minder zo bijna twee drie vier vijf zes zeven acht negen tien honderd nieuwe oude kleine grote eerste tweede laatste volgende andere zelfde',
    'van in op aan bij met naar voor door over onder uit om tot zonder tegen tussen tijdens te sinds na achter naast rond elke',
    'en of maar want omdat als toen terwijl dat wat wie waar hoewel zodat voordat nadat zodra hoe dus waarom wanneer welke',
    'ik hij ze zij we wij je jij u het is ben bent was waren heeft heb hebben had hadden wordt worden werd werden kan kunnen kon konden moet moeten moest zal zullen zou zouden wil willen wilde mag mogen niet nooit er zich mij me hem',
    'dhr mevr dr dhr. mevr. dr.',
  ],
};

/** How infinitives and finite verbs end that the lists lack. Some nouns end so too. */
const endings: Readonly<Record<string, readonly [infinitive: RegExp, verb: RegExp]>> = {
  fr: [/(?:[ei]r|[dt]re|[aiu]ire)$/u, /(?:r?ai(?:t|ent)|[eiu]rent|era|ira|r?ont)$/u],
  es: [/[aeií]r(?:se|l[aeo]s?)?$/u, /(?:ría[ns]?|ían|aba[ns]?|[ae]ron|rán?|ó)$/u],
  it: [
    /(?:[aei]re|[aei]r(?:si|l[aeio]))$/u,
    /(?:[aei]va(?:no)?|[aei]rono|rebbe(?:ro)?|[aei]rà|[aei]ranno)$/u,
  ],
  pt: [/[aei]r(?:-se)?$/u, /(?:ava[ms]?|[aei]r[ai]am?|[aei]ram|ou|rão|rá)$/u],
};

/** Pronouns that go with the verb before them. */
const enclitics: Readonly<Record<string, string>> = {
  en: 'me him us them someone something anyone anything',
  de: 'ich du er sie wir es man mich mir dich dir ihn ihm uns euch ihnen sich',
  nl: 'ik hij ze zij we wij je jij u me mij hem zich',
};

const joinsNouns: ReadonlySet<string> = new Set(
  'of von de du des di van del della dello dei degli delle do da dos das'.split(' '),
);

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
  const [infinitive, verb] = endings[code] ?? [];
  const words = {
    tied: setOf(articles, prepositions, conjunctions, titles),
    articles: setOf(articles),
    held: setOf(auxiliaries),
    clause: setOf(conjunctions),
    phrase: setOf(prepositions),
    ofNouns: joinsNouns,
    enclitics: setOf(enclitics[code] ?? ''),
    ...(infinitive && { infinitive }),
    ...(verb && { verb }),
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
