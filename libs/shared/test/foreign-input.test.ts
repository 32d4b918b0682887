import { routers } from '@botyard/contracts/http/catalogue';
import { Upload } from '@botyard/contracts/http/upload';
import { leastCpuMs } from '@botyard/testing/cpu-time';
import { maxGrowth, measureGrowth } from '@botyard/testing/growth';
import { describe, expect, test } from 'vitest';
import { readHtml } from '../src/files/documents/read-html.ts';
import { readMarkdown } from '../src/files/documents/read-markdown.ts';
import { refuseHostileInput } from '../src/http/input-bounds.ts';
import { withoutSecrets } from '../src/log/without-secrets.ts';

interface Reader {
  units: readonly string[];
  /** The smallest of four; each of the others is twice as large as the one before. */
  size: number;
  read: (text: string) => unknown;
}

const repeat = (unit: string, size: number): string => unit.repeat(Math.ceil(size / unit.length));
const list = (text: string): unknown => JSON.parse(`[${text.slice(0, -1)}]`);
const depth = (size: number): unknown => JSON.parse('['.repeat(size) + ']'.repeat(size));

const secretUnits = [
  'a',
  'eyJ',
  'eyJ-',
  'eyJa.',
  '.',
  '-',
  'a:',
  '://',
  'a://b:',
  'a://',
  'x@',
  '@',
  'bot1',
  '1:',
];
const markdownUnits = [
  '[',
  '*',
  '> ',
  '- ',
  '1. ',
  '# ',
  '#',
  '`',
  '```\n',
  '~~~\n',
  '|a',
  '<!--',
  '[a]: b\n',
  '- a\n',
];

const readers: Record<string, Reader> = {
  'a text without its secrets': {
    units: [...secretUnits, 'sk-', 'Bearer ', 'key_', ' ', '漢'],
    size: 10_000,
    read: withoutSecrets,
  },
  'a Markdown document': {
    units: [...markdownUnits, 'a\n', 'a\n---\n', '    a\n', '\n', '* [ ] a\n', 'a|b\n-|-\n', '# a #\n', '\r'],
    size: 12_500,
    read: readMarkdown,
  },
  'an HTML document': {
    units: ['<p> ', '</b>', '<a ', '<!--', '&', '<li>a', '<h1>a</h1>', '<td>', ' \n'],
    size: 10_000,
    read: readHtml,
  },
  'the bounds of a body': {
    units: ['1,', '{},', '[],', '"a",', '{"a":1},', '[[[1]]],'],
    size: 12_500,
    read: (text) => refuseHostileInput(list(text)),
  },
};

describe('C-02: the cost of reading input, in every service, is proportional to its length', () => {
  test.each(Object.entries(readers))('%s', async (_name, { units, size, read }) => {
    const grown: string[] = [];
    for (const unit of units) {
      const { ms, perByte } = await measureGrowth({ make: (wanted) => repeat(unit, wanted), read, size });
      if (perByte >= maxGrowth)
        grown.push(`${JSON.stringify(unit)}: ${perByte.toFixed(1)} (${ms.join(', ')} ms)`);
    }
    expect(grown).toEqual([]);
  });
});

describe('secrets in texts', () => {
  test.each([
    ['postgres://user:pass@host/x', '[secret]host/x'],
    ['redis://:pass@host', '[secret]host'],
    ['two a://b:c://d:e@f', 'two [secret]f'],
    ['a token eyJhbGciOi.eyJzdWIi.c2ln-_x here', 'a token [secret] here'],
    ['behind-eyJhbGciOi.eyJzdWIi.c2ln', 'behind-[secret]'],
    ['123456:abcdefghijklmnopqrstuvwxyz-_0123456789', '[secret]'],
    ['/bot123:abc/getMe and sk-abcdefgh12', '/[secret]/getMe and [secret]'],
    ['Authorization: Bearer abc.def==', 'Authorization: [secret]'],
    ['http://host:80/path me@example.com eyJ.no', 'http://host:80/path me@example.com eyJ.no'],
  ])('%s', (text, clean) => expect(withoutSecrets(text)).toBe(clean));
});

describe('C-02: a body', () => {
  test.each([
    [
      'of 501 properties',
      Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`k${n}`, 1])),
      /500 properties/,
    ],
    [
      'inside of a list',
      [{ a: Object.fromEntries(Array.from({ length: 600 }, (_, n) => [n, 1])) }],
      /500 properties/,
    ],
    ['of 50,000 levels', depth(50_000), /deeper than 100/],
    ['with U+0000', { a: ['b\0'] }, /U\+0000/],
  ])('%s is refused before it is parsed', (_what, body, message) => {
    expect(() => refuseHostileInput(body)).toThrow(
      expect.objectContaining({
        status: 400,
        issues: [expect.objectContaining({ message: expect.stringMatching(message) })],
      }),
    );
  });

  test('is accepted with 500 properties and 100 levels', () => {
    refuseHostileInput(Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, 1])));
    refuseHostileInput(depth(100));
  });

  const units = ['1', '{}', '"a"', 'null', '{"a":1}'];
  const bodies = routers.flatMap(({ basePath, routes }) =>
    Object.entries(routes).flatMap(([name, { body, maxBodyBytes }]) =>
      body && (body as unknown) !== Upload ? [{ name: `${basePath} ${name}`, body, maxBodyBytes }] : [],
    ),
  );

  /** The worst that a field may hold: a list as long as the body, and an object of as many properties as may be. */
  const worstOf = (unit: string, size: number): unknown[] => [
    JSON.parse(`[${Array(Math.floor(size / (unit.length + 1))).fill(unit)}]`),
    JSON.parse(`{${Array.from({ length: 500 }, (_, n) => `"k${n}":${unit}`)}}`),
  ];

  test.each(bodies)(
    '$name is parsed within some milliseconds, as large as it may be',
    ({ body, ...route }) => {
      const size = Math.min(route.maxBodyBytes, 512 * 1024);
      const fields = Object.keys((body as { shape?: object }).shape ?? {});
      const values = fields.flatMap((field) =>
        units.flatMap((unit) => worstOf(unit, size).map((value) => ({ [field]: value }))),
      );
      for (const value of values) refuseHostileInput(value);
      const took = values.map((value) => leastCpuMs(() => body.safeParse(value), { enoughMs: 20 }));
      expect(Math.max(0, ...took)).toBeLessThan(50);
    },
  );
});
