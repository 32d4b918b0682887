import type { SeededRandom } from '../../seeded-random.ts';

type Trick = readonly [name: string, apply: (random: SeededRandom, value: object) => Buffer];

const utf8 = (text: string): Buffer => Buffer.from(text, 'utf8');
const written = (value: unknown): string => JSON.stringify(value);
const nested = (open: string, close: string, depth: number, inner = '1'): string =>
  `${open.repeat(depth)}${inner}${close.repeat(depth)}`;

const leaves: readonly string[] = [
  ...[
    'null',
    'true',
    '0',
    '-0',
    '-1',
    '1.5',
    '1e400',
    '-1e400',
    '1e-400',
    '9007199254740993',
    '9'.repeat(400),
  ],
  ...[
    '""',
    '" "',
    '"\\u0000"',
    '"a\\u0000b"',
    '"\\ud800"',
    '"\\udfff\\ud800"',
    '"\\uffff"',
    '"\\u202egnp"',
    '[]',
    '{}',
  ],
  ...[
    '[[]]',
    '[null]',
    '{"__proto__":{"x":1}}',
    '{"toString":1}',
    '{"length":1e9}',
    '{"then":1}',
    '"constructor"',
  ],
  ...[
    `"${'x'.repeat(10_000)}"`,
    `"${'\u{1F600}'.repeat(300)}"`,
    `"${'a\u0301'.repeat(300)}"`,
    '"-100"',
    '"NaN"',
    '"1e3"',
  ],
  nested('[', ']', 200),
  nested('{"a":', '}', 200),
];

const placeholder = 'a value that only text can say';

/** Replaces the value of a field with one that only JSON text can express. */
function replaceLeaf(random: SeededRandom, value: object, leaf: string): string {
  const copy = structuredClone(value) as Record<string, unknown>;
  const [holder, key] = placeIn(random, copy);
  holder[key] = placeholder;
  return written(copy).replace(written(placeholder), () => leaf);
}

function placeIn(random: SeededRandom, value: Record<string, unknown>): [Record<string, unknown>, string] {
  const key = random.pick(Object.keys(value));
  const inner = value[key];
  const isDeep = typeof inner === 'object' && inner !== null && Object.keys(inner).length > 0;
  return isDeep && random.chance(0.75) ? placeIn(random, inner as Record<string, unknown>) : [value, key];
}

/** Inserts a field into an object of the text, before the existing fields. */
function insertField(random: SeededRandom, text: string, field: string): string {
  const places = [...text.matchAll(/\{(?=")/g)].map(({ index }) => index + 1);
  const at = places.length > 0 ? random.pick(places) : 0;
  return `${text.slice(0, at)}${field},${text.slice(at)}`;
}

const fields = [
  '"__proto__":{"isOperator":true,"chat":{"id":1}}',
  '"constructor":{"prototype":{"x":1}}',
  '"update_id":1',
  '"message":{}',
  '"data":null',
  '"type":"user.deleted"',
  '"id":"\\u0000"',
  '"\\u0000":1',
  '"":1',
  `"deep":${nested('[', ']', 5000)}`,
];

/** Inputs that may break a JSON parser or the code that reads its result (W-12). */
export const jsonTricks: readonly Trick[] = [
  ['a strange value', (random, value) => utf8(replaceLeaf(random, value, random.pick(leaves)))],
  ['a strange value', (random, value) => utf8(replaceLeaf(random, value, random.pick(leaves)))],
  [
    'two strange values',
    (random, value) => {
      const once = parsed(replaceLeaf(random, value, random.pick(leaves))) ?? value;
      return utf8(replaceLeaf(random, once, random.pick(leaves)));
    },
  ],
  [
    'a strange or doubled field',
    (random, value) => utf8(insertField(random, written(value), random.pick(fields))),
  ],
  ['a field less', (random, value) => utf8(withoutField(random, value))],
  ['cut off', (random, value) => utf8(written(value).slice(0, random.below(written(value).length)))],
  [
    'something behind it',
    (random, value) => utf8(`${written(value)}${random.pick(['}', '{}', ',', '\0', '//', ' 1', '\n\n[]'])}`),
  ],
  [
    'deep',
    (random, value) =>
      utf8(replaceLeaf(random, value, nested('[', ']', random.pick([1000, 20_000, 100_000])))),
  ],
  [
    'deep objects',
    (random, value) => utf8(replaceLeaf(random, value, nested('{"a":', '}', random.pick([1000, 20_000])))),
  ],
  [
    'wide',
    (random, value) => utf8(replaceLeaf(random, value, `[${'{},'.repeat(random.pick([1000, 50_000]))}{}]`)),
  ],
  [
    'long',
    (random, value) =>
      utf8(replaceLeaf(random, value, `"${'y'.repeat(random.pick([100_000, 900_000, 1_200_000]))}"`)),
  ],
  ['bytes that are no UTF-8', (random, value) => withBytes(random, utf8(written(value)))],
  ['UTF-16', (_dice, value) => Buffer.from(`\ufeff${written(value)}`, 'utf16le')],
  ['a byte order mark', (_dice, value) => utf8(`\ufeff${written(value)}`)],
  [
    'no object',
    (random) =>
      utf8(
        random.pick([
          '',
          ' ',
          'null',
          '1',
          '"x"',
          '[]',
          '[[]]',
          'true',
          '{}',
          'undefined',
          "{'a':1}",
          '<xml/>',
          '\0',
        ]),
      ),
  ],
];

function parsed(text: string): object | undefined {
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}

function withoutField(random: SeededRandom, value: object): string {
  const copy = structuredClone(value) as Record<string, unknown>;
  const [holder, key] = placeIn(random, copy);
  delete holder[key];
  return written(copy);
}

function withBytes(random: SeededRandom, bytes: Buffer): Buffer {
  const at = random.below(bytes.length);
  const strange = Buffer.from(random.pick(['c0af', 'ff', 'eda080', 'f4908080', '80', '00']), 'hex');
  return Buffer.concat([bytes.subarray(0, at), strange, bytes.subarray(at)]);
}
