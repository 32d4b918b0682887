import { brotliCompressSync } from 'node:zlib';
import { type Case, equals } from '../attack.ts';
import { countAnswers, countOthers, flood } from '../flood.ts';

const nested = '[[[[[[[[[[0]]]]]]]]]]';
const bomb = `{"title":"x","text":[${new Array(295_000).fill(nested).join()}]}`;
const compressed = brotliCompressSync(bomb);
/** Just below the limit of bytes. */
const values = `{"title":"x","text":[${new Array(20_000).fill(nested).join()}]}`;
const loops = 4;

/** JSON whose values cost far more than its bytes: compressed to 38 bytes, or as large as a body may be. */
export const json: Case = {
  about: 'bodies of JSON that take seconds to parse',
  begin: async ({ system, attacker }) => {
    const post = (body: string | Buffer, encoding?: string) => (signal: AbortSignal) =>
      fetch(`${system.gatewayUrl}/api/context-sources`, {
        method: 'POST',
        signal,
        headers: {
          authorization: attacker.person.bearer,
          'content-type': 'application/json',
          ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
        },
        body: typeof body === 'string' ? body : new Uint8Array(body),
      });
    const packed = flood(loops, post(compressed, 'br'));
    const plain = flood(loops, post(values));
    return {
      stop: async () => void (await Promise.all([packed.stop(), plain.stop()])),
      checks: () => [
        equals('compressed bodies with another answer than 415', 0, countOthers(packed, 415)),
        equals('bodies of 200,000 values with another answer than 413', 0, countOthers(plain, 413)),
        {
          what: 'both were answered',
          expected: 'yes',
          found: '',
          isRight: countAnswers(packed, 415) > 0 && countAnswers(plain, 413) > 0,
        },
      ],
    };
  },
};
