import { Readable } from 'node:stream';
import type { Request } from 'express';
import { expect, test } from 'vitest';
import { FieldCollector, mailForm } from '../../../../src/platforms/mailgun/domain/inbound/mail-form.ts';
import { readPairs } from '../../../../src/platforms/mailgun/routes/read-pairs.ts';

async function read(body: string, chunkBytes: number) {
  const bytes = Buffer.from(body);
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, n) =>
    bytes.subarray(n * chunkBytes, (n + 1) * chunkBytes),
  );
  const collector = new FieldCollector();
  let counted = 0;
  const onChunk = async (sofar: number) => {
    counted = sofar;
  };
  await readPairs(Readable.from(chunks) as unknown as Request, { collector, maxPairs: 1000, onChunk });
  return { form: mailForm(collector.fields), fields: collector.fields, counted };
}

test.each([1, 7, 64 * 1024])('pairs are read from chunks of any size: %d bytes', async (chunkBytes) => {
  const body = `subject=Hi+there&To=a%40b.example&${'n'.repeat(700)}=x&=y&empty=&last`;
  const { form, counted } = await read(body, chunkBytes);
  expect(form.names().sort()).toEqual(['', 'To', 'empty', 'last', 'subject']);
  expect([form.one('subject'), form.one('To'), form.one('empty')]).toEqual(['Hi there', 'a@b.example', '']);
  expect(counted).toBe(body.length);
});

test('W-13: a giant value is stored up to the limit, and the fields after it are read', async () => {
  const giant = '+'.repeat(7_000_000);
  const body = `recipient=${giant}&${'x'.repeat(2_000_000)}&message-headers=${giant}&subject=Hi`;
  const { form, fields, counted } = await read(body, 64 * 1024);
  expect(fields.get('recipient')?.[0]).toHaveLength(12_000);
  expect(form.one('recipient')).toHaveLength(2000);
  // JSON that is cut is none.
  expect(form.names()).toEqual(['recipient', 'subject']);
  expect(form.one('subject')).toBe('Hi');
  expect(counted).toBe(body.length);
});
