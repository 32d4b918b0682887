import { type Case, equals } from '../attack.ts';
import { countOthers, flood } from '../load/flood.ts';

const atOnce = 150;

/** One admin asks for work that waits for a lock of its tenant, on many connections. */
export const locks: Case = {
  about: `${atOnce} changes of one tenant at once, which wait for each other`,
  canSpread: true,
  begin: floodOf('POST', '/api/definitions/tools/sync'),
};

export const reads: Case = {
  about: `${atOnce} reads of one tenant at once`,
  canSpread: true,
  begin: floodOf('GET', '/api/agents'),
};

function floodOf(method: string, path: string): Case['begin'] {
  return async ({ system }, { tenants }) => {
    const requests = flood(
      atOnce,
      tenants.map(({ person }) => ({
        method,
        url: `${system.gatewayUrl}${path}`,
        headers: { authorization: person.bearer },
      })),
    );
    return {
      stop: requests.stop,
      // The API limits no rate: requests beyond the share wait, and get 503 in the worst case.
      checks: () => [equals('answers other than 200, 202 and 503', 0, countOthers(requests, 200, 202, 503))],
    };
  };
}
