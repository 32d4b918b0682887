import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { deflateSync } from 'node:zlib';
import { createLog } from '@botyard/shared/log/log';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePdf, pageOf } from '../../../../agents/test/knowledge/domain/pdf.ts';
import { TextExtraction } from '../../../src/files/domain/extract-texts.ts';
import { mediaTypeOf } from '../../../src/files/domain/media-type.ts';
import { type Reception, Spool } from '../../../src/files/domain/spool.ts';
import { TextWorker } from '../../../src/text-threads/domain/text-worker.ts';

let directory: string;
let reception: Reception;
const texts = new TextWorker(createLog('test', 'silent'));
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'botyard-extraction-'));
  reception = new Spool(directory).receive({ tenantId: 'one' });
});
afterAll(async () => {
  await texts.stop();
  await reception.dispose();
  await rm(directory, { recursive: true, force: true });
});

const log = createLog('test', 'silent');
const minute = 60_000;

const keep = async (files: readonly [string, Buffer | string][]) =>
  await Promise.all(
    files.map(async ([name, bytes]) => {
      const file = await reception.keep(Readable.from([Buffer.from(bytes)]));
      return { file, mediaType: await mediaTypeOf(file.head, name) };
    }),
  );

const read = async (files: [string, Buffer | string][], readingMs = minute) =>
  await new TextExtraction({ texts, log }, { readingMs }).read('tenant', await keep(files));

/** A PDF of 260 kB that takes longer to read than any limit. */
const slowPdf = (() => {
  const page = { content: deflateSync(Buffer.alloc(1024 * 1024, 'q Q ')), filter: '/FlateDecode' };
  return makePdf(Array.from({ length: 200 }, () => page));
})();

test('text is read from files that have any, by the type of their bytes', async () => {
  const pdf = makePdf([pageOf('Shipping is free')]);
  const texts = await read([
    ['a.txt', 'plain \u0001text'],
    ['a.html', '<style>x</style><p>Hello <b>there</b>'],
    ['a.csv', 'a,b\n1,2'],
    ['invoice.docx', pdf],
    ['a.pdf', '%PDF-1.4\nruin'],
    ['a.txt', Buffer.from([0, 1, 2, 3])],
    ['a.txt', Buffer.from([0xff, 0xfe, 0xfd])],
    ['empty.txt', ''],
  ]);
  expect(texts).toEqual([
    'plain text',
    'Hello there',
    'a,b\n1,2',
    'Page 1\nShipping is free',
    null,
    null,
    null,
    null,
  ]);
});

test('the texts of many files are read up to the limit of an event', async () => {
  const texts = await read(Array.from({ length: 5 }, (_, index) => [`${index}.txt`, 'x'.repeat(30_000)]));
  expect(texts.map((text) => text?.length)).toEqual([24_000, 24_000, 12_000, undefined, undefined]);
});

test('a PDF that takes too long is skipped, and its mail is not', async () => {
  expect(
    await read(
      [
        ['a.pdf', makePdf([pageOf('x')])],
        ['b.txt', 'b'],
      ],
      1,
    ),
  ).toEqual([null, 'b']);
});

test("three tenants' slow PDFs don't keep another tenant's invoice from being read", async () => {
  const extraction = new TextExtraction({ texts, log });
  const slow = await keep([
    ['a.pdf', slowPdf],
    ['b.pdf', slowPdf],
  ]);
  const slowReads = ['one', 'two', 'three'].map((tenant) => extraction.read(tenant, slow));
  const invoice = await keep([['invoice.pdf', makePdf([pageOf('Invoice 4711')])]]);
  expect(await extraction.read('four', invoice)).toEqual(['Page 1\nInvoice 4711']);
  expect(await Promise.all(slowReads)).toEqual([
    [null, null],
    [null, null],
    [null, null],
  ]);
});

test("many slow PDFs of one tenant don't make another tenant's invoice wait", async () => {
  const extraction = new TextExtraction({ texts, log }, { startWithinMs: 500 });
  const slow = await keep([['a.pdf', slowPdf]]);
  const invoice = await keep([['invoice.pdf', makePdf([pageOf('Invoice 4711')])]]);
  const slowReads = [1, 2, 3].map(() => extraction.read('one', slow));
  expect(await extraction.read('two', invoice)).toEqual(['Page 1\nInvoice 4711']);
  await Promise.all(slowReads);
});

test('a PDF whose turn does not come in time is skipped, and the other files of its mail are read', async () => {
  const extraction = new TextExtraction({ texts, log }, { startWithinMs: 500 });
  const slow = await keep([['a.pdf', slowPdf]]);
  const slowRead = extraction.read('one', slow);
  const files = await keep([
    ['b.pdf', makePdf([pageOf('b')])],
    ['c.txt', 'c'],
  ]);
  expect(await extraction.read('one', files)).toEqual([null, 'c']);
  await slowRead;
});
