import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sendDownload } from '@botyard/shared/http/send-download';
import { eventually } from '@botyard/testing/eventually';
import express from 'express';
import { expect, onTestFinished, test } from 'vitest';

/** A server that sends this content with every response. `over` resolves when a download has ended, in any way. */
async function serve(content: (hasLeft: Promise<void>) => AsyncIterable<string>) {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const app = express();
  app.get('/', async (_req, res) => {
    const hasLeft = new Promise<void>((left) => res.once('close', left));
    const download = { content: content(hasLeft), contentType: 'text/plain', fileName: 'a.txt' };
    await sendDownload(res, 200, download).catch(() => undefined);
    resolve();
  });
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, over };
}

test('a download arrives whole, as a file that is not displayed', async () => {
  const { url } = await serve(async function* () {
    yield 'one';
    yield 'two';
  });
  const answer = await fetch(url);
  expect(await answer.text()).toBe('onetwo');
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename=a.txt');
});

test.each([
  ['before its first part', 0],
  ['between its parts', 1],
])('the content of a download whose client leaves %s is closed', async (_when, partsBefore) => {
  let waits = false;
  let isClosed = false;
  const { url, over } = await serve(async function* (hasLeft) {
    try {
      for (let part = 0; part < partsBefore; part += 1) yield 'part';
      waits = true;
      await hasLeft;
      yield 'late';
      yield 'later';
    } finally {
      isClosed = true;
    }
  });
  const leaving = new AbortController();
  const download = fetch(url, { signal: leaving.signal }).then((answer) => answer.text());
  download.catch(() => undefined);
  await eventually('the content waits', () => waits);
  leaving.abort();
  await expect(download).rejects.toThrow();
  await over;
  expect(isClosed).toBe(true);
});
