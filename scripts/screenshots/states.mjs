// How the demo page is brought into each of the states that pictures are taken of.
/* global atob, document, indexedDB, AudioContext, DataTransfer, DragEvent, File, MediaRecorder */ // in the page

/** Waits until the page does nothing more. */
const settled = (page) =>
  page.waitForSelector('html[data-state="idle"]', { state: 'attached', timeout: 120_000 });

/** Drops a file on the page, as a person does. */
export async function drop(page, name, bytes, type = '') {
  const base64 = Buffer.from(bytes).toString('base64');
  await page.evaluate(
    ({ name, base64, type }) => {
      const content = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([content], name, { type }));
      for (const event of ['dragenter', 'dragover', 'drop']) {
        document.body.dispatchEvent(
          new DragEvent(event, { dataTransfer, bubbles: true, cancelable: true }),
        );
      }
    },
    { name, base64, type },
  );
}

/** A long recording: the sentences again and again. */
function long(wav, times) {
  const data = Buffer.concat(Array.from({ length: times }, () => wav.subarray(44)));
  const header = Buffer.from(wav.subarray(0, 44));
  header.writeUInt32LE(36 + data.length, 4);
  header.writeUInt32LE(data.length, 40);
  return Buffer.concat([header, data]);
}

/** A transcript of an earlier visit: who says what, a third of a second for each word. */
async function keep(page, name, said) {
  let time = 0;
  const segments = said.map(([speaker, text]) => {
    const words = text.split(' ').map((word) => {
      const start = time;
      time += 0.35;
      return { word: ` ${word}`, start, end: time, probability: 0.9, speaker };
    });
    return { start: words[0].start, end: time, text: ` ${text}`, language: 'en', words, speaker };
  });
  const people = [...new Set(said.map(([speaker]) => speaker))].map((each, colour) => ({
    name: each,
    colour,
  }));
  const facts = { id: name, name, created: Date.now(), duration: time };
  const content = { ...facts, segments, rejected: [], people, note: '0:20 · English' };
  const entry = { ...facts, changed: Date.now(), beginning: said[0][1], revision: 1 };
  await page.evaluate(
    ({ entry, content }) =>
      new Promise((done, failed) => {
        const opening = indexedDB.open('susurrus-transcripts');
        opening.onerror = failed;
        opening.onsuccess = () => {
          const writing = opening.result.transaction(['entries', 'contents'], 'readwrite');
          writing.objectStore('entries').put(entry);
          writing.objectStore('contents').put({ id: entry.id, content });
          writing.oncomplete = () => {
            opening.result.close();
            done();
          };
        };
      }),
    { entry, content },
  );
  await page.reload();
  await settled(page);
}

async function transcribed(page, { sound }) {
  await drop(page, 'The ship.wav', sound('sentences.wav'));
  await page.waitForSelector('.segment');
  await settled(page);
}

/** A film of the page's own sentences, made in the page: a coloured picture that counts. */
async function dropFilm(page) {
  await page.evaluate(async () => {
    const context = new AudioContext();
    const response = await fetch('sentences.wav');
    const source = context.createBufferSource();
    source.buffer = await context.decodeAudioData(await response.arrayBuffer());
    const sound = context.createMediaStreamDestination();
    source.connect(sound);
    const canvas = Object.assign(document.createElement('canvas'), { width: 640, height: 360 });
    const picture = canvas.getContext('2d');
    let count = 0;
    const drawing = setInterval(() => {
      picture.fillStyle = `hsl(${count++} 40% 45%)`;
      picture.fillRect(0, 0, 640, 360);
      picture.fillStyle = 'white';
      picture.font = '60px serif';
      picture.fillText(`The ship, ${count}`, 150, 200);
    }, 40);
    const stream = canvas.captureStream(25);
    stream.addTrack(sound.stream.getAudioTracks()[0]);
    const recorder = new MediaRecorder(stream, { mimeType: 'video/webm' });
    const parts = [];
    recorder.ondataavailable = ({ data }) => parts.push(data);
    const stopped = new Promise((done) => (recorder.onstop = done));
    recorder.start();
    source.start();
    source.onended = () => recorder.stop();
    await stopped;
    clearInterval(drawing);
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(parts, 'The ship.webm', { type: 'video/webm' }));
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true }));
  });
}

/** @satisfies {Readonly<Record<string, (page: import('playwright-core').Page, tools: { sound: (name: string) => Buffer, published: string }) => Promise<void>>>} */
export const states = {
  empty: async () => {},
  choice: async (page, { published }) => {
    await page.goto(published);
    await page.locator('#first_choice').waitFor();
    await settled(page);
  },
  transcript: transcribed,
  playing: async (page, tools) => {
    await transcribed(page, tools);
    await page.click('#play');
    await page.waitForFunction(() => document.querySelector('#media').currentTime > 4);
  },
  speak: async (page) => {
    await page.click('#speak_open');
  },
  models: async (page) => {
    await page.click('#model_button');
    await page.locator('#model_menu[data-listed]').waitFor();
  },
  options: async (page) => {
    await page.click('.more-options summary');
    await page.check('#speakers');
  },
  working: async (page, { sound }) => {
    await drop(page, 'A long talk.wav', long(sound('sentences.wav'), 40));
    await page.waitForSelector('.segment');
  },
  cancelled: async (page, { sound }) => {
    await drop(page, 'A long talk.wav', long(sound('sentences.wav'), 40));
    await page.waitForSelector('.segment');
    await page.click('#cancel');
    await settled(page);
  },
  editing: async (page, tools) => {
    await transcribed(page, tools);
    await page.locator('.segment').first().dblclick();
    await page.locator('.segment-field').waitFor();
  },
  save: async (page, tools) => {
    await transcribed(page, tools);
    await page.click('#save');
    await page.locator('#save_menu').waitFor();
  },
  video: async (page) => {
    await dropFilm(page);
    await page.waitForSelector('.segment');
    await settled(page);
  },
  find: async (page, tools) => {
    await transcribed(page, tools);
    await page.click('#find');
    await page.fill('#find_text', 'the');
  },
  speakers: async (page) => {
    await keep(page, 'Three at a table.wav', [
      ['Ada', 'Shall we begin with what the readers wrote?'],
      [
        'S2',
        'Two of them could not find the button. The third one found it, and did not dare to press it.',
      ],
      ['Margaret Hamilton', 'Then it says too little.'],
      ['Ada', 'Or it says it too late. I should like to see it beside the name.'],
      ['S2', 'Beside the name it is.'],
    ]);
    await page.click('.history-open');
    await page.locator('.speaker-name').first().waitFor();
  },
  queue: async (page, { sound }) => {
    for (const name of ['Monday.wav', 'Tuesday.wav']) {
      await drop(page, name, long(sound('sentences.wav'), 10));
    }
    await drop(page, 'page.html', Buffer.from('<!doctype html><title>A page</title>'));
    await page.waitForSelector('.segment');
  },
  live: async (page) => {
    await page.click('#speak_open');
    await page.click('#live_open');
    await page.click('#live_toggle');
    await page.locator('#live_list li').first().waitFor();
    await page.locator('#live_lines .provisional').first().waitFor();
  },
  error: async (page) => {
    await drop(page, 'model.apr', Buffer.from('<!doctype html><title>Not found</title>'));
    await page.waitForSelector('#error:not([hidden])');
    await settled(page);
  },
  recording: async (page) => {
    await page.click('#speak_open');
    await page.click('#record');
    await page.waitForFunction(() => (document.querySelector('meter')?.value ?? 0) > 0.01);
  },
  engine: async (page, tools) => {
    await transcribed(page, tools);
    await page.click('#engine summary');
    await page.locator('#engine').scrollIntoViewIfNeeded();
  },
  veil: async (page) => {
    await page.evaluate(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['x'], 'x.wav'));
      document.body.dispatchEvent(new DragEvent('dragenter', { dataTransfer, bubbles: true }));
    });
  },
};
