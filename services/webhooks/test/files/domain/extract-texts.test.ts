import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createLog } from '@botyard/shared/log/log';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePdf, pageOf } from '../../../../agents/test/knowledge/domain/pdf.ts';
import { cutTexts, readAtOnce, TextExtraction } from '../../../src/files/domain/extract-texts.ts';
import { mediaTypeOf } from '../../../src/files/domain/media-type.ts';
import { type Reception, Spool } from '../../../src/files/domain/spool.ts';
import { TextWorker } from '../../../src/text-threads/domain/text-worker.ts';
import { slowPdf } from '../../slow-pdf.ts';

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
      return { ...file, mediaType: await mediaTypeOf(file.head, name) };
    }),
  );

const never = new AbortController().signal;
/** Three times what the smallest PDF takes: most of that is the start of a process and of the library. */
const shortLimit = { readingMs: 2000 };
const readAll = (extraction: TextExtraction, owner: string, files: Awaited<ReturnType<typeof keep>>) =>
  Promise.all(files.map((file) => extraction.read(owner, file, never)));
const read = async (files: [string, Buffer | string][], readingMs = minute) =>
  await readAll(new TextExtraction({ texts, log }, { readingMs }), 'tenant', await keep(files));
const text = (extractedText: string) => ({ extractedText, textMissing: null });
const without = (textMissing: string | null) => ({ extractedText: null, textMissing });

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
    text('plain text'),
    text('Hello there'),
    text('a,b\n1,2'),
    text('Page 1\nShipping is free'),
    without('unreadable'),
    without(null),
    without(null),
    without(null),
  ]);
});

test('only text is read at once: a PDF and HTML wait, and a large PDF is never read', async () => {
  const large = Buffer.concat([makePdf([pageOf('x')]), Buffer.alloc(8 * 1024 * 1024)]);
  const files = await keep([
    ['a.txt', 'plain'],
    ['a.html', '<p>Hello'],
    ['a.pdf', makePdf([pageOf('x')])],
    ['large.pdf', large],
  ]);
  expect(await Promise.all(files.map(readAtOnce))).toEqual([
    text('plain'),
    without('waiting'),
    without('waiting'),
    without('too_large'),
  ]);
});

test('the texts of many files are cut to the limit of an event', async () => {
  const texts = await read(Array.from({ length: 5 }, (_, index) => [`${index}.txt`, 'x'.repeat(30_000)]));
  expect(cutTexts(texts).map(({ extractedText }) => extractedText?.length)).toEqual([
    24_000,
    24_000,
    12_000,
    undefined,
    undefined,
  ]);
});

test('a PDF that takes too long has no text, and the reason', async () => {
  expect(
    await read(
      [
        ['a.pdf', makePdf([pageOf('x')])],
        ['b.txt', 'b'],
      ],
      1,
    ),
  ).toEqual([without('too_slow'), text('b')]);
});

test("three tenants' slow PDFs don't keep another tenant's invoice from being read", async () => {
  const extraction = new TextExtraction({ texts, log }, shortLimit);
  const slow = await keep([
    ['a.pdf', slowPdf],
    ['b.pdf', slowPdf],
  ]);
  const ended: string[] = [];
  const slowReads = ['one', 'two', 'three'].map(async (tenant) => {
    const read = await readAll(extraction, tenant, slow);
    ended.push(tenant);
    return read;
  });
  const invoice = await keep([['invoice.pdf', makePdf([pageOf('Invoice 4711')])]]);
  expect(await readAll(extraction, 'four', invoice)).toEqual([text('Page 1\nInvoice 4711')]);
  // Each of them still has a PDF to read.
  expect(ended).toEqual([]);
  expect((await Promise.all(slowReads)).flat()).toEqual(Array.from({ length: 6 }, () => without('too_slow')));
});

test("many slow PDFs of one tenant don't make another tenant's invoice wait", async () => {
  const extraction = new TextExtraction({ texts, log }, shortLimit);
  const [slow] = await keep([['a.pdf', slowPdf]]);
  const invoice = await keep([['invoice.pdf', makePdf([pageOf('Invoice 4711')])]]);
  let endedReads = 0;
  const slowReads = [1, 2, 3].map(async () => {
    await extraction.read('one', slow!, never);
    endedReads += 1;
  });
  expect(await readAll(extraction, 'two', invoice)).toEqual([text('Page 1\nInvoice 4711')]);
  expect(endedReads).toBeLessThan(2);
  await Promise.all(slowReads);
});

test('a PDF is read however long its turn takes to come', async () => {
  const extraction = new TextExtraction({ texts, log }, shortLimit);
  const files = await keep([
    ['a.pdf', slowPdf],
    ['b.pdf', makePdf([pageOf('b')])],
  ]);
  expect(await readAll(extraction, 'one', files)).toEqual([without('too_slow'), text('Page 1\nb')]);
});
