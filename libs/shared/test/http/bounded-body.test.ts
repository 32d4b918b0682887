import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGzip, gzipSync } from 'node:zlib';
import {
  AnswerNotJsonError,
  AnswerTooLargeError,
  readBounded,
  readBoundedJson,
  readStart,
} from '@botyard/shared/http/bounded-body';
import { eventually } from '@botyard/testing/eventually';
import { afterEach, beforeEach, expect, test } from 'vitest';

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;

let server: Server;
let answer: RequestListener;
let isCutOff: boolean;
beforeEach(async () => {
  isCutOff = false;
  server = createServer((req, res) => {
    res.once('close', () => {
      isCutOff = !res.writableFinished;
    });
    answer(req, res);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const ask = () => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
const answerWith = (body: Buffer | string, headers: Record<string, string> = {}) => {
  answer = (_req, res) => void res.writeHead(200, headers).end(body);
};

test('a body of exactly the bound is read whole, byte for byte', async () => {
  const body = Buffer.from(Array.from({ length: 3000 }, (_, index) => index % 256));
  answerWith(body);
  expect(await readBounded(await ask(), 3000)).toEqual(body);
});

test('one byte more is refused', async () => {
  answerWith(Buffer.alloc(3001));
  await expect(readBounded(await ask(), 3000)).rejects.toThrow(AnswerTooLargeError);
});

test('an empty body and a response without one are empty', async () => {
  answer = (_req, res) => void res.writeHead(204).end();
  expect(await readBounded(await ask(), 10)).toEqual(Buffer.alloc(0));
});

test('a body that never ends is cut off at the bound, with the connection', async () => {
  answer = (_req, res) => {
    const write = (): void => {
      while (!res.destroyed && res.write(Buffer.alloc(64 * kilobyte)));
      if (!res.destroyed) res.once('drain', write);
    };
    write();
  };
  await expect(readBounded(await ask(), megabyte)).rejects.toThrow(AnswerTooLargeError);
  await eventually('the server sees that nobody reads on', () => isCutOff);
});

test('a compressed body is counted by its decompressed size, and decompressed no further than the bound', async () => {
  answer = (_req, res) => {
    res.writeHead(200, { 'content-encoding': 'gzip' });
    const gzip = createGzip({ level: 9 });
    gzip.pipe(res);
    const zeros = Buffer.alloc(megabyte);
    const write = (): void => {
      while (!res.destroyed && gzip.write(zeros));
      if (!res.destroyed) gzip.once('drain', write);
    };
    write();
  };
  const before = process.memoryUsage().arrayBuffers;
  await expect(readBounded(await ask(), megabyte)).rejects.toThrow(AnswerTooLargeError);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * megabyte);
  await eventually('the server sees that nobody reads on', () => isCutOff);
});

test('requests after one that was refused are answered', async () => {
  answerWith(Buffer.alloc(4 * megabyte));
  await expect(readBounded(await ask(), 10)).rejects.toThrow(AnswerTooLargeError);
  answerWith('{"ok":true}');
  expect(await readBoundedJson(await ask(), 100)).toEqual({ ok: true });
});

test('JSON is read, packed or not; a body that is no JSON is refused, and the error repeats none of it', async () => {
  answerWith(gzipSync('{"a":[1,"ü"]}'), { 'content-encoding': 'gzip' });
  expect(await readBoundedJson(await ask(), 1000)).toEqual({ a: [1, 'ü'] });
  answerWith('<html>hunter2</html>');
  const refused = await readBoundedJson(await ask(), 1000).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(AnswerNotJsonError);
  expect(JSON.stringify(refused, Object.getOwnPropertyNames(refused))).not.toContain('hunter2');
});

test('the beginning of a body is read, and the rest of it is left', async () => {
  answerWith('a short one');
  expect(await readStart(await ask(), kilobyte)).toEqual({ text: 'a short one', isCut: false });
  answerWith('x'.repeat(100 * megabyte));
  expect(await readStart(await ask(), kilobyte)).toEqual({ text: 'x'.repeat(kilobyte), isCut: true });
  await eventually('the request is cut off', () => isCutOff);
});
