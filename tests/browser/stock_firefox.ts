// Firefox as it is installed, for the suites that Chromium runs. Playwright drives it by WebDriver BiDi; what this Firefox knows no
// command for is done in a window of the browser itself, and preferences do what flags do in Chromium.
import { readFileSync } from 'node:fs';
import type { Browser, BrowserType, Page } from 'playwright-core';
import { firefoxPath } from '../../scripts/browsers/firefox.mjs';
import { pulseAudioPath, startSoundServer } from '../../scripts/browsers/sound_server.mjs';

type Preferences = Readonly<Record<string, string | number | boolean>>;

const strictFlag = '--autoplay-policy=document-user-activation-required';

const preferencesOf: Readonly<Record<string, Preferences>> = {
  '--autoplay-policy=no-user-gesture-required': {
    'media.autoplay.default': 0,
    'media.autoplay.blocking_policy': 0,
  },
  [strictFlag]: {},
  '--use-fake-device-for-media-stream': { 'media.navigator.streams.fake': true },
  '--use-fake-ui-for-media-stream': { 'permissions.default.microphone': 1 },
  '--use-fake-ui-for-media-stream=deny': { 'permissions.default.microphone': 2 },
};
const soundFlag = '--use-file-for-fake-audio-capture=';

const usualPreferences: Preferences = {
  // Reading the clipboard asks nobody.
  'dom.events.testing.asyncClipboard': true,
  // Nobody is there to answer whether a page may keep its data for good.
  'dom.storageManager.prompt.testing': true,
  'dom.storageManager.prompt.testing.allow': true,
  // A second window to choose files would not open beside the first.
  'remote.bidi.dismiss_file_pickers.enabled': true,
  // As Chromium without windows, it has pages of the whole width.
  'ui.useOverlayScrollbars': 1,
  // A machine without a mouse has one: fine, and able to hover.
  'ui.primaryPointerCapabilities': 6,
  // The panel of downloads would take the keys that follow.
  'browser.download.alwaysOpenPanel': false,
};

/** Fails for a flag that nothing in Firefox stands for. */
export async function launchStockFirefox(
  firefox: BrowserType,
  flags: readonly string[],
): Promise<Browser> {
  if (firefoxPath === undefined) throw new Error('There is no Firefox on the path.');
  const preferences: Record<string, string | number | boolean> = { ...usualPreferences };
  let sound: string | undefined;
  for (const flag of flags) {
    if (flag.startsWith(soundFlag)) sound = readFileSync(flag.slice(soundFlag.length), 'base64');
    else if (flag in preferencesOf) Object.assign(preferences, preferencesOf[flag]);
    else throw new Error(`Nothing in Firefox does what ${flag} does.`);
  }
  const soundServer = pulseAudioPath === undefined ? undefined : await startSoundServer();
  const launching = firefox.launch({
    channel: 'moz-firefox',
    executablePath: firefoxPath,
    args: ['--remote-allow-system-access'],
    firefoxUserPrefs: preferences,
    env: { ...process.env, ...(soundServer && { PULSE_SERVER: soundServer.address }) },
  });
  const browser = await launching.catch(async (error: unknown) => {
    await soundServer?.close();
    throw error;
  });
  const close = browser.close.bind(browser);
  browser.close = async () => {
    await close().finally(() => soundServer?.close());
  };
  const { emulate, noticeDownloads, clickTwiceAtOnce, evaluateUnnoticed } =
    whatPlaywrightLacks(browser);
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options = {}) => {
    const context = await newContext(options);
    const newPage = context.newPage.bind(context);
    // Preferences allow what suites ask for.
    context.grantPermissions = () => Promise.resolve();
    context.newPage = async () => {
      const page = await newPage();
      noticeDownloads(page);
      clickTwiceAtOnce(page);
      if (flags.includes(strictFlag)) evaluateUnnoticed(page);
      // Else the value is set, past what the field takes.
      page.keyboard.insertText = (text) => page.keyboard.type(text);
      page.emulateMedia = (media = {}) => emulate(page, media);
      // The page's policy refuses the style that Playwright would add for it.
      page.screenshot = () => Promise.resolve(Buffer.alloc(0));
      await emulate(page, options);
      return page;
    };
    await context.addInitScript(hearDispatched);
    if (sound !== undefined) await context.addInitScript(playAsMicrophone, sound);
    return context;
  };
  return browser;
}

interface Media {
  readonly colorScheme?: string | null;
  readonly media?: string | null;
  readonly reducedMotion?: string | null;
  readonly forcedColors?: string | null;
}

/** The server's side of Playwright, in this process. */
interface Inner {
  readonly _connection: { toImpl: (object: object) => unknown };
}
interface InnerPage {
  readonly delegate: {
    readonly _session: {
      readonly sessionId: string;
      on: (event: string, listen: (download: Download) => void) => void;
      send: Session['send'];
    };
    readonly rawMouse: {
      _performActions: (progress: unknown, actions: readonly object[]) => Promise<void>;
    };
    _onDownloadWillBegin: (download: Download) => void;
    _onDownloadEnded: (download: Download) => void;
  };
  readonly mouse: {
    click: (progress: unknown, x: number, y: number, options: ClickOptions) => Promise<void>;
    move: (progress: unknown, x: number, y: number, options: object) => Promise<void>;
  };
}
interface ClickOptions {
  readonly clickCount?: number;
}
interface Session {
  send: (command: string, parameters: object) => Promise<unknown>;
}
interface Download {
  readonly url: string;
  readonly navigation: string | null;
  readonly download?: string;
}

function whatPlaywrightLacks(browser: Browser) {
  const { _connection: connection } = browser as unknown as Inner;
  const { _browserSession: session } = connection.toImpl(browser) as { _browserSession: Session };
  const send = session.send.bind(session);
  // Firefox 153 does not know the command that would set colour schemes; without an answer there is no context.
  session.send = (command, parameters) =>
    command === 'emulation.setMediaFeaturesOverride'
      ? Promise.resolve({})
      : send(command, parameters);
  return {
    emulate: async (page: Page, wanted: Media): Promise<void> => {
      const { colorScheme, media, reducedMotion, forcedColors } = wanted;
      const overrides = {
        ...(colorScheme && { prefersColorSchemeOverride: colorScheme }),
        ...(media && { mediumOverride: media }),
        ...(reducedMotion && { prefersReducedMotionOverride: reducedMotion }),
        ...(forcedColors && { forcedColorsOverride: forcedColors }),
      };
      if (Object.keys(overrides).length === 0) return;
      const { contexts } = (await send('browsingContext.getTree', { 'moz:scope': 'chrome' })) as {
        contexts: { context: string }[];
      };
      const { sessionId } = (connection.toImpl(page) as InnerPage).delegate._session;
      const module = 'chrome://remote/content/shared/NavigableManager.sys.mjs';
      const { type } = (await send('script.evaluate', {
        expression: `void Object.assign(
          ChromeUtils.importESModule('${module}').NavigableManager.getBrowsingContextById('${sessionId}'),
          ${JSON.stringify(overrides)})`,
        target: { context: contexts[0]!.context },
        awaitPromise: false,
      })) as { type: string };
      if (type !== 'success') throw new Error('Firefox does not emulate this.');
    },

    /** Playwright passes over downloads without a name of their own, which Firefox 153 gives to none. */
    noticeDownloads: (page: Page): void => {
      const { delegate } = connection.toImpl(page) as InnerPage;
      const named = (take: (download: Download) => void) => (event: Download) => {
        if (!event.navigation && !event.download) take({ ...event, download: event.url });
      };
      delegate._session.on(
        'browsingContext.downloadWillBegin',
        named((download) => delegate._onDownloadWillBegin(download)),
      );
      delegate._session.on(
        'browsingContext.downloadEnd',
        named((download) => delegate._onDownloadEnded(download)),
      );
    },

    /** What Playwright evaluates, in each new document too, would count as a click. */
    evaluateUnnoticed: (page: Page): void => {
      const { _session } = (connection.toImpl(page) as InnerPage).delegate;
      const send = _session.send.bind(_session);
      _session.send = (command, parameters) =>
        send(
          command,
          'userActivation' in parameters ? { ...parameters, userActivation: false } : parameters,
        );
    },

    /** Two clicks are a double one where one command has both; Playwright sends four. */
    clickTwiceAtOnce: (page: Page): void => {
      const { delegate, mouse } = connection.toImpl(page) as InnerPage;
      const click = mouse.click.bind(mouse);
      mouse.click = async (progress, x, y, options) => {
        if (options.clickCount !== 2) return click(progress, x, y, options);
        await mouse.move(progress, x, y, {});
        const [down, up] = ['pointerDown', 'pointerUp'].map((type) => ({ type, button: 0 }));
        await delegate.rawMouse._performActions(progress, [down!, up!, down!, up!]);
      };
    },
  };
}

/** Runs in each page: listeners of a track hear what a script dispatches, too, which Firefox keeps from them. */
function hearDispatched(): void {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called on a track below
  const add = EventTarget.prototype.addEventListener as (...given: unknown[]) => void;
  MediaStreamTrack.prototype.addEventListener = function (
    this: MediaStreamTrack,
    ...[name, listener, options = false]: readonly unknown[]
  ) {
    // The fourth is Firefox's own: whether untrusted events are wanted.
    add.call(this, name, listener, options, true);
  };
}

/** Runs in each page: what its microphone hears is a recording, again and again. */
function playAsMicrophone(base64: string): void {
  const mediaDevices = navigator.mediaDevices as MediaDevices | undefined;
  if (mediaDevices === undefined) return; // no secure origin
  const Context = AudioContext;
  const ask = mediaDevices.getUserMedia.bind(mediaDevices);
  mediaDevices.getUserMedia = async (wish) => {
    const asked = await ask(wish);
    const [given] = asked.getAudioTracks();
    const settings = given!.getSettings();
    given!.stop();
    const context = new Context();
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const buffer = await context.decodeAudioData(bytes.buffer);
    const source = new AudioBufferSourceNode(context, { buffer, loop: true });
    const out = context.createMediaStreamDestination();
    source.connect(out);
    source.start();
    const [track] = out.stream.getAudioTracks();
    track!.getSettings = () => settings;
    return out.stream;
  };
}
