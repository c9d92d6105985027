'use client';

import { useState } from 'react';
import { loadModel } from 'susurrus';

let loading;

export default function Page() {
  const [text, setText] = useState('');
  const hear = async (event) => {
    const file = event.target.files[0];
    try {
      // 82 MB, kept for the next visit; ?model=… chooses another: a name, or the URL of a file.
      loading ??= loadModel(new URLSearchParams(location.search).get('model') ?? 'base');
      const model = await loading;
      console.info(
        `${model.info.variant}, ${model.info.threads} threads: ${model.info.threadsReason}`,
      );
      setText((await model.transcribe(file)).text);
    } catch (error) {
      setText(String(error));
    }
  };
  return (
    <>
      <input type="file" accept="audio/*" aria-label="Recording" onChange={hear} />
      <output>{text}</output>
    </>
  );
}
