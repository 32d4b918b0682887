import { gzipSync } from 'node:zlib';
import type { SeededRandom } from '../../seeded-random.ts';

interface Envelope {
  headers: string[];
  body: Buffer;
  isCutOff?: boolean;
  trick: string;
}

const types = [
  ...[
    'application/json',
    'application/json; charset=utf-16',
    'application/json; charset=x',
    'text/plain',
    '',
  ],
  ...[
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'a/b;c',
  ],
];
const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024, 0x20));

/** Draws the declared encoding and type of a body: usually the true ones, occasionally others. */
export function envelope(random: SeededRandom, body: Buffer, type: string): Envelope {
  const as = (change: Partial<Envelope>): Envelope => ({
    headers: ['content-type', type],
    body,
    trick: '',
    ...change,
  });
  const encoded = (encoding: string, bytes: Buffer): Envelope =>
    as({
      headers: ['content-type', type, 'content-encoding', encoding],
      body: bytes,
      trick: `encoding ${encoding}`,
    });
  return random.weighted<() => Envelope>([
    [84, () => as({})],
    [5, () => as({ headers: ['content-type', random.pick(types)], trick: 'another content type' })],
    [2, () => encoded('gzip', gzipSync(body))],
    [1, () => encoded('gzip', body)],
    [1, () => encoded(random.pick(['deflate', 'br', 'zstd', 'identity', 'x', 'gzip, gzip']), body)],
    [0.2, () => encoded('gzip', bomb)],
    [
      1,
      () => as({ headers: ['content-type', type, 'content-type', 'text/plain'], trick: 'two content types' }),
    ],
    [
      0.3,
      () =>
        as({
          headers: ['content-type', type, 'content-length', String(body.length + 100)],
          isCutOff: true,
          trick: 'less than was told',
        }),
    ],
  ])();
}
