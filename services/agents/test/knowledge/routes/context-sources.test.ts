import { createHash, randomUUID } from 'node:crypto';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentsServices, openAgentsServices } from '../../agents-services.ts';
import { makePdf, pageOf } from '../domain/pdf.ts';

let services: AgentsServices;
const base = '/api/context-sources';

beforeAll(async () => {
  services = await openAgentsServices();
});
afterAll(() => services?.close());

const call = (method: string, path: string, body?: unknown, as = services.acme.admin) =>
  services.agents.call(method, `${base}${path}`, { as, ...(body === undefined ? {} : { body }) });

const upload = (
  content: string | Buffer,
  contentType?: string,
  { method = 'POST', path = `/upload?title=${randomUUID()}` } = {},
) =>
  services.agents.call(method, `${base}${path}`, {
    as: services.acme.admin,
    rawBody: new Uint8Array(Buffer.from(content)),
    headers: contentType === undefined ? {} : { 'content-type': contentType },
  });

/** The document once it is read, or could not be. */
const read = (sourceId: string) =>
  eventually('the document is read', async () => {
    const { body } = await call('GET', `/${sourceId}`);
    return body.status !== 'processing' && body;
  });
const search = async (query: string, as = services.acme.admin): Promise<string[]> => {
  const { status, body } = await call('POST', '/search', { query }, as);
  expect(status).toBe(200);
  return body.map(({ text }: { text: string }) => text);
};

describe('a document', () => {
  test('with text is accepted immediately, read in the background, listed, and found by its words', async () => {
    const text = '# Returns\n\nA kettle comes back within 30 days.\n\n# Shipping\n\nFree within Europe.';
    const { status, body } = await call('POST', '', { title: 'House rules', type: 'markdown', text });
    expect(status).toBe(202);
    expect(body).toEqual({
      sourceId: expect.any(String),
      title: 'House rules',
      type: 'markdown',
      sizeBytes: text.length,
      status: 'processing',
      sha256: createHash('sha256').update(text).digest('hex'),
      lastError: null,
      chunkCount: 0,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(await read(body.sourceId)).toMatchObject({ status: 'ready', lastError: null, chunkCount: 2 });
    const chunks = (await call('GET', `/${body.sourceId}/chunks`)).body;
    expect(chunks).toEqual([
      {
        chunkId: expect.any(String),
        position: 0,
        heading: 'Returns',
        text: 'A kettle comes back within 30 days.',
      },
      { chunkId: expect.any(String), position: 1, heading: 'Shipping', text: 'Free within Europe.' },
    ]);
    const results = (await call('POST', '/search', { query: 'kettles?' })).body;
    expect(results).toEqual([
      { ...chunks[0], sourceId: body.sourceId, title: 'House rules', score: expect.any(Number) },
    ]);
    expect((await call('GET', '?status=ready')).body[0].sourceId).toBe(body.sourceId);
    const [originals] = await services.harness.asOwner(
      'select from agents.context_originals where source_id = $1',
      [body.sourceId],
    );
    expect(originals).toBeUndefined();
  });

  test('has its passages in pages, in the order of the text', async () => {
    const text = Array.from({ length: 7 }, (_, n) => `paragraph ${n} ${'long '.repeat(150)}`).join('\n\n');
    const { body } = await call('POST', '', { title: 'Long', text });
    await read(body.sourceId);
    const first = await call('GET', `/${body.sourceId}/chunks?limit=4`);
    const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1];
    const second = await services.agents.call('GET', next!, { as: services.acme.admin });
    const positions = [...first.body, ...second.body].map(({ position }: { position: number }) => position);
    expect(positions).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(second.headers.get('link')).toBeNull();
  });

  test('is deleted with its passages, and nothing of it is found afterwards', async () => {
    const { body } = await call('POST', '', { title: 'Short-lived', text: 'the walrus was here' });
    await read(body.sourceId);
    expect(await search('walrus')).toHaveLength(1);
    expect((await call('DELETE', `/${body.sourceId}`)).status).toBe(204);
    expect(await search('walrus')).toEqual([]);
    expect((await call('GET', `/${body.sourceId}`)).status).toBe(404);
    expect((await call('DELETE', `/${body.sourceId}`)).status).toBe(404);
  });

  test('is 409 and names the existing one if the tenant already has it; another tenant may have it too', async () => {
    const source = { title: 'Twice', text: 'The very same words.' };
    await call('POST', '', source);
    const again = await call('POST', '', { ...source, title: 'Another title' });
    expect(again.status).toBe(409);
    const refusal = { error: `the tenant already has this document: it is “Twice”` };
    expect(again.body).toEqual(refusal);
    expect((await upload(source.text, 'text/plain')).body).toEqual(refusal);
    expect((await call('POST', '', source, services.other.admin)).status).toBe(202);
  });

  test('is accepted once if it is sent twice at the same moment', async () => {
    const source = { title: 'Race', text: `Only once, please: ${randomUUID()}` };
    const answers = await Promise.all(Array.from({ length: 8 }, () => call('POST', '', source)));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      202,
      ...Array.from({ length: 7 }, () => 409),
    ]);
  });
});

describe('a file', () => {
  test.each([
    ['text', 'text/plain', 'Plain words about zebras'],
    ['markdown', 'text/markdown; charset=utf-8', '# Zebras\n\nMarked'],
    ['html', 'text/html', '<p>Striped</p>'],
    ['html', 'application/octet-stream', '<!DOCTYPE html><p>Striped too</p>'],
    ['text', 'application/json', '{"zebra": true}'],
    ['pdf', 'application/octet-stream', makePdf([pageOf('A zebra on paper')])],
    ['pdf', 'text/plain', makePdf([pageOf('A zebra in disguise')])],
  ] as const)('is %s when it was sent as %s', async (type, contentType, content) => {
    const { status, body } = await upload(content as string, contentType);
    expect({ status, type: body.type }).toEqual({ status: 202, type });
    expect((await read(body.sourceId)).status).toBe('ready');
  });

  test('in another charset is read by its declared charset, or by its byte order mark', async () => {
    const latin = Buffer.from('Gr\xfc\xdfe aus K\xf6ln', 'latin1');
    const { body } = await upload(latin, 'text/plain; charset=iso-8859-1');
    await read(body.sourceId);
    expect(await search('köln')).toEqual(['Grüße aus Köln']);
    const wide = Buffer.from('\ufeffSchöne Aussichten', 'utf16le');
    await read((await upload(wide, 'text/plain')).body.sourceId);
    expect(await search('aussichten')).toEqual(['Schöne Aussichten']);
  });

  test.each([
    [422, 'broken UTF-8', Buffer.from([0x61, 0xff, 0xc3, 0x28]), 'text/plain'],
    [415, 'bytes with NUL', Buffer.from('PK\x03\x04\0\0\0'), 'application/zip'],
    [415, 'bytes that are no text', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0x10]), 'image/jpeg'],
    [422, 'a PDF that is none', Buffer.from('not a pdf'), 'application/pdf'],
    [415, 'an unknown charset', Buffer.from('x'), 'text/plain; charset=klingon'],
    [400, 'nothing', Buffer.alloc(0), 'text/plain'],
    [413, 'more than 10 MB', Buffer.alloc(10 * 1024 * 1024 + 1, 'x'), 'text/plain'],
  ])('is refused with %i for %s', async (due, _what, content, contentType) => {
    const { status, body } = await upload(content, contentType);
    expect({ status, error: body.error }).toEqual({ status: due, error: expect.any(String) });
  });

  test('is refused as too long if it has 10 MB in one line', async () => {
    const { body } = await upload('y'.repeat(10 * 1024 * 1024), 'text/plain');
    expect(await read(body.sourceId)).toMatchObject({
      status: 'failed',
      lastError: 'The document holds more than 5,000,000 characters of text.',
      chunkCount: 0,
    });
  });

  test('needs a title, and compressed bytes are refused', async () => {
    expect((await upload('x', 'text/plain', { path: '/upload' })).status).toBe(400);
    const { status } = await services.agents.call('POST', `${base}/upload?title=x`, {
      as: services.acme.admin,
      rawBody: 'x',
      headers: { 'content-encoding': 'gzip' },
    });
    expect(status).toBe(415);
  });
});

describe('a new content', () => {
  test('replaces the old one atomically: a search finds one of both, never none', async () => {
    const { body } = await call('POST', '', { title: 'Prices', text: 'The okapi costs ten.' });
    await read(body.sourceId);
    const changed = await call('PUT', `/${body.sourceId}`, {
      title: 'New prices',
      text: 'The okapi costs twenty.',
    });
    expect(changed.body).toMatchObject({ title: 'New prices', status: 'processing', chunkCount: 1 });
    const seen = new Set<string>();
    await eventually('the new text is found', async () => {
      const texts = await search('okapi');
      expect(texts).toHaveLength(1);
      seen.add(texts[0]!);
      return texts[0] === 'The okapi costs twenty.';
    });
    expect([...seen].every((text) => /costs (ten|twenty)/.test(text))).toBe(true);
    expect((await read(body.sourceId)).chunkCount).toBe(1);
  });

  test("leaves the old one searchable if it can't be read, and shows the reason", async () => {
    const { body } = await call('POST', '', { title: 'Fragile', text: 'The quokka smiles.' });
    await read(body.sourceId);
    const replaced = await upload('%PDF-1.4 in ruins', 'application/pdf', {
      method: 'PUT',
      path: `/${body.sourceId}/upload`,
    });
    expect(replaced.status).toBe(202);
    expect(await read(body.sourceId)).toMatchObject({
      status: 'failed',
      type: 'pdf',
      chunkCount: 1,
      lastError: expect.stringContaining('PDF'),
    });
    expect(await search('quokka')).toEqual(['The quokka smiles.']);
  });

  test('is 409 if another document of the tenant has it; its own changes nothing, a type alone is 400', async () => {
    const one = (await call('POST', '', { title: 'One', text: 'text number one' })).body;
    const two = (await call('POST', '', { title: 'Two', text: 'text number two' })).body;
    const crossed = await call('PUT', `/${two.sourceId}`, { text: 'text number one' });
    expect([crossed.status, crossed.body.error]).toEqual([409, expect.stringContaining('“One”')]);
    await read(one.sourceId);
    expect((await call('PUT', `/${one.sourceId}`, { text: 'text number one' })).body.status).toBe('ready');
    expect((await call('PUT', `/${one.sourceId}`, { type: 'html' })).status).toBe(400);
    expect((await call('PUT', `/${one.sourceId}`, {})).body.title).toBe('One');
  });
});

test("another tenant's document is 404 like a missing one, and is in no search", async () => {
  const { body } = await call('POST', '', { title: 'Secret', text: 'the axolotl of acme' });
  await read(body.sourceId);
  const { other } = services;
  for (const id of [body.sourceId, randomUUID()]) {
    for (const [method, path, more] of [
      ['GET', `/${id}`],
      ['GET', `/${id}/chunks`],
      ['PUT', `/${id}`, { title: 'Mine' }],
      ['DELETE', `/${id}`],
    ] as const) {
      const answer = await call(method, path, more, other.admin);
      expect({ status: answer.status, text: answer.text }).toEqual({
        status: 404,
        text: '{"error":"source not found"}',
      });
    }
  }
  expect(await search('axolotl', other.admin)).toEqual([]);
  const sourceIds = { query: 'axolotl', sourceIds: [body.sourceId] };
  expect((await call('POST', '/search', sourceIds, other.admin)).body).toEqual([]);
  expect((await call('GET', '', undefined, services.acme.member)).status).toBe(403);
});

test('a tenant has only so many documents', async () => {
  const { tenantId } = services.other;
  await services.harness.asOwner(
    `insert into agents.context_sources (tenant_id, source_id, title, type, size_bytes, sha256, status)
     select $1, gen_random_uuid(), 'x', 'text', 1, n::text, 'ready' from generate_series(1, 1000) n`,
    [tenantId],
  );
  const { status, body } = await call('POST', '', { title: 'One more', text: 'x' }, services.other.admin);
  expect(status).toBe(409);
  expect(body.error).toContain('1000 documents');
});
