import { randomBytes } from 'node:crypto';
import { type Case, equals, inTurn } from '../attack.ts';
import { countOthers, flood } from '../load/flood.ts';

const connections = 600;
/** As many different tokens, so that no answer can be a cached one. */
const tokens = 6000;

/** Somebody without a login makes the service look up tokens. */
export const strangers: Case = {
  about: `${connections} connections without a login that try tokens of mail senders`,
  canSpread: true,
  begin: async ({ system }, { addresses }) => {
    const requests = flood(
      connections,
      Array.from({ length: tokens }, (_, number) => ({
        method: 'GET',
        url: `${system.gatewayUrl}/api/email-auth/senders`,
        // They look like real ones: others are refused before the database is asked.
        headers: { authorization: `Bearer ${randomBytes(24).toString('hex')}` },
        localAddress: inTurn(addresses, number),
      })),
    );
    return {
      stop: requests.stop,
      checks: () => [equals('answers other than 401 and 503', 0, countOthers(requests, 401, 503))],
    };
  },
};
