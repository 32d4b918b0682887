import { busBounds, exceededBound, usualBounds } from '@botyard/shared/json/json-bounds';
import { parseForeignJson, tryParseForeignJson } from '@botyard/shared/json/parse-json';
import { maxBytesOnLoop, readJson } from '@botyard/shared/json/read-json';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const bytesOf = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

/** Counts what `JSON.parse` made. */
function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, one) => sum + countValues(one), 1);
}

test('values are counted exactly, however the text is written', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(4), (value, indent) => {
      const count = countValues(value);
      const bytes = Buffer.from(JSON.stringify(value, null, indent));
      // Long enough for the bytes to be looked at.
      const padded = Buffer.concat([Buffer.alloc(200, ' '), bytes]);
      const of = (maxValues: number) => exceededBound(padded, { maxValues, maxDepth: 1000 });
      expect([of(count), of(count - 1)]).toEqual([undefined, 'values']);
    }),
  );
});

describe('JSON is refused before it is parsed', () => {
  test.each([
    ['values', JSON.stringify(new Array(20_000).fill(0))],
    ['values', `{"text":[${new Array(295_000).fill('[[[[[[[[[[0]]]]]]]]]]').join()}]}`],
    ['values', `[${new Array(20_000).fill('{}').join()}]`],
    ['values', `{${Array.from({ length: 20_001 }, (_, index) => `"${index}":""`).join()}}`],
    ['depth', `${'['.repeat(101)}${']'.repeat(101)}`],
    ['depth', '{"a":'.repeat(500_000)],
  ])('because of its %s', async (fault, text) => {
    await expect(readJson(bytesOf(text), { owner: 'a' })).rejects.toMatchObject({ fault });
    expect(() => parseForeignJson(text)).toThrow(expect.objectContaining({ fault }));
  });

  test('and what is just within the bounds is read', async () => {
    const widest = new Array(usualBounds.maxValues - 1).fill('a longer text');
    expect(await readJson(bytesOf(widest), { owner: 'a' })).toEqual(widest);
    const deepest = `${'['.repeat(100)}${']'.repeat(100)}`;
    expect(parseForeignJson(deepest)).toEqual(JSON.parse(deepest));
    expect(tryParseForeignJson(JSON.stringify(new Array(50_000).fill(0)), busBounds)).toHaveLength(50_000);
  });
});

test('a text of megabytes full of quotes and backslashes is measured in linear time', () => {
  for (const text of ['\\"', '""', '\\', '"\\\\']) {
    const bytes = Buffer.from(text.repeat(4_000_000 / text.length));
    const before = process.cpuUsage();
    exceededBound(bytes, { maxValues: 1e9, maxDepth: 100 });
    expect(process.cpuUsage(before).user).toBeLessThan(500_000);
  }
});

test('a long text is parsed outside the main loop, with the same result', async () => {
  const value = { text: `ü"\\\n\u0000${'x'.repeat(maxBytesOnLoop)}`, list: [1, null, true, { a: 'b' }] };
  expect(await readJson(bytesOf(value), { owner: 'a' })).toEqual(value);
  const broken = JSON.stringify(value).slice(0, -1);
  await expect(readJson(bytesOf(broken), { owner: 'a' })).rejects.toMatchObject({ fault: 'syntax' });
});

test('a byte order mark is ignored, and a part of a larger buffer is read alone', async () => {
  const whole = Buffer.from(`\ufeff{"a":"${'b'.repeat(maxBytesOnLoop)}"}]]]`);
  const part = whole.subarray(0, whole.length - 3);
  expect(await readJson(part, { owner: 'a' })).toEqual({ a: 'b'.repeat(maxBytesOnLoop) });
  expect(whole.length).toBe(part.length + 3);
});

test('one owner can not fill the queue of others', async () => {
  const long = bytesOf({ text: 'x'.repeat(maxBytesOnLoop) });
  const many = Array.from({ length: 100 }, () =>
    readJson(long, { owner: 'noisy' }).catch((error) => error.status),
  );
  expect(await readJson(long, { owner: 'quiet' })).toHaveProperty('text');
  expect(new Set((await Promise.all(many)).filter((one) => typeof one === 'number'))).toEqual(new Set([503]));
});
