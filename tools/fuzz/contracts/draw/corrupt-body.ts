import type { SeededRandom } from '../../seeded-random.ts';

const hostileValues: readonly unknown[] = [
  ...['', ' ', '\0', 'a\0b', '\u202Egnp.exe', '\uD800', '\uFFFF', '😀'.repeat(300), 'x'.repeat(10_000)],
  ...["'; drop table tenancy.tenants; --", '<script>', '%s%n', '../../etc/passwd', '{{7*7}}x', '__proto__'],
  ...['constructor', 'superadmin', 'tenants', 'null', '-1', '1e400', '9'.repeat(400), '2020-13-45T99:99:99Z'],
  ...[null, true, false, 0, -1, 1.5, 1e308, 2 ** 53, -(2 ** 63), [], [[]], [null], ['x', 'x'], {}, [{}]],
  ...[{ toString: 'x' }, { $ne: null }, { length: 1e9 }, Array.from({ length: 2000 }, () => 'x')],
];

/** Fields that would grant authority or that only the server may set. */
const forgedFields: readonly (readonly [string, unknown])[] = [
  ...[['isOperator', true] as const, ['role', 'admin'] as const, ['revision', 99] as const],
  ...[
    ['createdAt', '1999-01-01T00:00:00.000Z'] as const,
    ['source', 'idp'] as const,
    ['status', 'valid'] as const,
  ],
  ['__proto__', { isOperator: true }],
];

/** Inserts a fault into a body. The body may still be valid. */
export function corruptBody(random: SeededRandom, body: unknown): unknown {
  const copy = structuredClone(body) as Record<string, unknown>;
  if (typeof copy !== 'object' || copy === null || Object.keys(copy).length === 0)
    return random.pick(hostileValues);
  const [holder, key] = placeIn(random, copy);
  random.weighted<() => void>([
    [
      6,
      () => {
        holder[key] = random.pick(hostileValues);
      },
    ],
    [2, () => void delete holder[key]],
    [1, () => void Object.defineProperty(copy, ...forged(random))],
  ])();
  return copy;
}

function forged(random: SeededRandom): [string, PropertyDescriptor] {
  const [name, value] = random.pick(forgedFields);
  return [name, { value, enumerable: true, configurable: true, writable: true }];
}

/** Chooses a field at any depth. */
function placeIn(random: SeededRandom, value: Record<string, unknown>): [Record<string, unknown>, string] {
  const key = random.pick(Object.keys(value));
  const inner = value[key];
  const isDeep = typeof inner === 'object' && inner !== null && Object.keys(inner).length > 0;
  return isDeep && random.chance(0.6) ? placeIn(random, inner as Record<string, unknown>) : [value, key];
}

const rawBodies: readonly string[] = [
  ...[
    '',
    ' ',
    '{',
    '[]',
    '"x"',
    '1',
    'null',
    '{"a":1}{"b":2}',
    '\uFEFF{}',
    "{'a':1}",
    '{"a":NaN}',
    '{"name":"\\ud800"}',
  ],
  ...[
    '{"__proto__":{"isOperator":true},"constructor":{"prototype":{"x":1}}}',
    '{"name":"a","name":"b"}',
    '{"name":"\\u0000"}',
  ],
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
  `{"name":"${'x'.repeat(600_000)}"}`,
];
const contentTypes = [
  ...[
    'application/json',
    'application/json',
    'application/json; charset=utf-16',
    'text/plain',
    'application/xml',
  ],
  ...[
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json, text/html',
    'x',
  ],
];

/** Returns bytes that are not a valid body or that have a wrong content type. */
export function rawBody(random: SeededRandom, body: unknown): { rawBody: string; contentType: string } {
  const text = JSON.stringify(body ?? {});
  const cut = text.slice(0, random.below(text.length));
  return {
    rawBody: random.weighted([
      [2, random.pick(rawBodies)],
      [1, cut],
      [1, text],
    ]),
    contentType: random.pick(contentTypes),
  };
}
