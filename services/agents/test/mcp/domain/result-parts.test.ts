import { expect, test } from 'vitest';
import { readParts } from '../../../src/mcp/domain/result-parts.ts';

const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(2000)]);
const partsOf = (content: unknown[], structuredContent?: unknown) =>
  readParts({ content, structuredContent, isError: false });
const textOf = (content: unknown[], structuredContent?: unknown) => partsOf(content, structuredContent).text;

test('structured content is added to the text, unless a text says the same in another form', () => {
  const structured = { total: 7, items: ['a'] };
  expect(textOf([], structured)).toBe('{"items":["a"],"total":7}');
  expect(textOf([{ type: 'text', text: 'Seven.' }], structured)).toBe('Seven.\n{"items":["a"],"total":7}');
  const repeated = { type: 'text', text: '{ "items": ["a"],\n"total": 7 }' };
  expect(textOf([repeated], structured)).toBe(repeated.text);
});

test('links, sounds and files are written in words, and nothing of them is fetched', () => {
  const link = { type: 'resource_link', name: 'Notes', uri: 'file:///notes.txt', description: 'of today' };
  expect(textOf([link])).toBe('[link: Notes (file:///notes.txt): of today]');
  expect(textOf([{ type: 'audio', mimeType: 'audio/wav', data: 'AAAA' }])).toBe('[sound: audio/wav]');
  const resource = { uri: 'file:///a.bin', mimeType: 'application/zip', blob: 'AAAA' };
  expect(textOf([{ type: 'resource', resource }])).toBe('[file: file:///a.bin application/zip]');
  expect(textOf([{ type: 'resource', resource: { uri: 'file:///a.txt', text: 'hello' } }])).toBe('hello');
});

test('a picture has the type of its bytes, whatever the server says', () => {
  const picture = { type: 'image', mimeType: 'text/html', data: png.toString('base64') };
  const { text, pictures } = partsOf([picture]);
  expect(text).toBe('[picture: image/png, 2 KiB]');
  expect(pictures).toEqual([{ mediaType: 'image/png', bytes: png }]);
});

test('pictures of other types, and more than four, are only named', () => {
  const svg = { type: 'image', mimeType: 'image/svg+xml', data: Buffer.from('<svg/>').toString('base64') };
  expect(partsOf([svg])).toEqual({ text: '[picture: image/svg+xml]', pictures: [] });
  const picture = { type: 'image', mimeType: 'image/png', data: png.toString('base64') };
  const many = partsOf(Array.from({ length: 6 }, () => picture));
  expect(many.pictures).toHaveLength(4);
  expect(many.text.split('\n')).toHaveLength(6);
});

test('parts of any form give a text', () => {
  const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`);
  for (const part of [null, 7, 'text', [], { type: 'text' }, { type: 'text', text: 7 }, { type: 'image' }])
    expect(typeof textOf([part, { type: 'resource_link' }])).toBe('string');
  expect(typeof textOf([{ type: 'text', text: '['.repeat(50_000) }], deep)).toBe('string');
});
