import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createDeflate, deflateSync } from 'node:zlib';
import type { ReadingLimits } from '@botyard/shared/files/documents/run-apart';
import { describe, expect, test } from 'vitest';
import { readApart, readingLimits } from '../../../src/knowledge/domain/reader.ts';
import { makePdf, pageOf } from './pdf.ts';

const read = (
  type: 'text' | 'markdown' | 'html' | 'pdf',
  bytes: Buffer | string,
  limits?: Partial<ReadingLimits>,
) =>
  readApart({ type, bytes: Buffer.from(bytes) }, new AbortController().signal, {
    ...readingLimits,
    ...limits,
  });

describe('a document that is read apart', () => {
  test('is returned as passages with their headings and their words', async () => {
    const pages = makePdf([pageOf('Kettles are returned', 'within 30 days'), pageOf('Shipping is free')]);
    expect(await read('pdf', pages)).toEqual([
      {
        heading: 'Page 1',
        text: 'Kettles are returned\nwithin 30 days',
        words: expect.stringContaining("'kettles':3B"),
      },
      { heading: 'Page 2', text: 'Shipping is free', words: expect.stringContaining("'shipping':3B") },
    ]);
  });

  test.each([
    ['text', '  \n '],
    ['html', '<script>alert(1)</script>'],
    ['markdown', '\n\n'],
  ] as const)('of %s without any text says so', async (type, text) => {
    await expect(read(type, text)).rejects.toThrow('The document holds no text.');
  });

  test('is refused with the reason if it is a PDF without text, with too many pages, or damaged', async () => {
    await expect(read('pdf', makePdf([pageOf()]))).rejects.toThrow('holds no text; perhaps it is a scan');
    const many = makePdf(Array.from({ length: 1001 }, () => pageOf('x')));
    await expect(read('pdf', many)).rejects.toThrow('more than 1000 pages');
    for (const ruin of ['%PDF-1.7', `%PDF-1.4\n${'\xff\x00garbage'.repeat(1000)}`, many.subarray(0, 500)])
      await expect(read('pdf', ruin)).rejects.toThrow(/damaged|holds no text/);
  });

  test('with too much text is refused with the reason', async () => {
    await expect(read('text', 'x '.repeat(2_600_000))).rejects.toThrow('more than 5,000,000 characters');
  });

  test('with U+0000 and halves of characters is read without them', async () => {
    const [chunk] = await read('text', 'a\0b \uD800c');
    expect(chunk?.text).toBe('ab \uFFFDc');
  });
});

function* oneMegabyteEach(count: number) {
  const spaces = Buffer.alloc(1024 * 1024, ' ');
  for (let index = 0; index < count; index += 1) yield spaces;
}

describe('a hostile document ends its thread, and nothing else:', () => {
  test('a small PDF that inflates without end', async () => {
    const megabytes = Readable.from(oneMegabyteEach(200));
    const inflating = deflateSync(await buffer(megabytes.pipe(createDeflate())));
    const bomb = makePdf([{ content: inflating, filter: '[/FlateDecode /FlateDecode]' }]);
    expect(bomb.length).toBeLessThan(10_000);
    const before = process.memoryUsage.rss();
    let peak = 0;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 20);
    await expect(read('pdf', bomb, { maxMegabytes: 48 })).rejects.toThrow(/too much memory|too long/);
    clearInterval(watch);
    process.stdout.write(
      `pdf bomb: ${bomb.length} bytes, ${Math.round((peak - before) / 2 ** 20)} MiB more at most\n`,
    );
    expect(peak - before).toBeLessThan(400 * 2 ** 20);
  });

  test('one that takes too long', async () => {
    await expect(read('text', 'word '.repeat(900_000), { timeoutMs: 1 })).rejects.toThrow('takes too long');
  });

  test('one that needs more heap than it gets', async () => {
    await expect(read('text', 'ab '.repeat(1_600_000), { maxMegabytes: 8 })).rejects.toThrow(
      'too much memory',
    );
  });

  test('one that nests without end', async () => {
    const nested = `${'> '.repeat(100_000)}deep`;
    const outcome = await read('markdown', nested, { timeoutMs: 5000 }).then(
      () => 'read',
      (error: Error) => error.message,
    );
    expect([
      'read',
      'The document is too deeply nested.',
      'The document takes too long to be read.',
    ]).toContain(outcome);
  });
});

test('a process that stops waits for no document', async () => {
  const stopping = new AbortController();
  const reading = readApart({ type: 'text', bytes: Buffer.from('word '.repeat(900_000)) }, stopping.signal);
  stopping.abort(new Error('stopping'));
  await expect(reading).rejects.toThrow('stopping');
});
