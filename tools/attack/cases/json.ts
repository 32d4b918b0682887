import { brotliCompressSync } from 'node:zlib';
import { type Case, equals, isAtLeast } from '../attack.ts';
import { countAnswers, countOthers, flood } from '../load/flood.ts';

const nested = '[[[[[[[[[[0]]]]]]]]]]';
const bomb = `{"title":"x","text":[${new Array(295_000).fill(nested).join()}]}`;
const compressed = brotliCompressSync(bomb);
/** Just below the limit of bytes. */
const values = `{"title":"x","text":[${new Array(20_000).fill(nested).join()}]}`;
const loops = 4;

/** JSON whose values cost far more than its bytes: compressed to 38 bytes, or as large as a body may be. */
export const json: Case = {
  about: 'bodies of JSON that take seconds to parse',
  canSpread: true,
  begin: async ({ system }, { tenants }) => {
    const post = (body: string | Uint8Array, further: Record<string, string> = {}) =>
      flood(
        loops,
        tenants.map(({ person }) => ({
          method: 'POST',
          url: `${system.gatewayUrl}/api/context-sources`,
          headers: { authorization: person.bearer, 'content-type': 'application/json', ...further },
          body,
        })),
      );
    const packed = post(compressed, { 'content-encoding': 'br' });
    const plain = post(values);
    return {
      stop: async () => void (await Promise.all([packed.stop(), plain.stop()])),
      checks: () => [
        equals('compressed bodies with another answer than 415', 0, countOthers(packed, 415)),
        equals('bodies of 200,000 values with another answer than 413', 0, countOthers(plain, 413)),
        isAtLeast('answers to compressed bodies', 1, countAnswers(packed, 415)),
        isAtLeast('answers to bodies of 200,000 values', 1, countAnswers(plain, 413)),
      ],
    };
  },
};
