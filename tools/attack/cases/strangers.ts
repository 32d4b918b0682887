import { randomBytes } from 'node:crypto';
import { type Case, equals } from '../attack.ts';
import { countOthers, flood } from '../flood.ts';

const connections = 600;

/** Somebody without a login makes the service look up tokens. */
export const strangers: Case = {
  about: `${connections} connections without a login that try tokens of mail senders`,
  begin: async ({ system }) => {
    const requests = flood(connections, (signal) =>
      fetch(`${system.gatewayUrl}/api/email-auth/senders`, {
        signal,
        headers: { authorization: `Bearer ${randomBytes(32).toString('base64url')}` },
      }),
    );
    return {
      stop: requests.stop,
      checks: () => [equals('answers other than 401 and 503', 0, countOthers(requests, 401, 503))],
    };
  },
};
