import { type Case, equals } from '../attack.ts';
import { countOthers, flood } from '../flood.ts';

const atOnce = 150;

/** One admin asks for work that waits for a lock of its tenant, on many connections. */
export const locks: Case = {
  about: `${atOnce} changes of one tenant at once, which wait for each other`,
  begin: async ({ system, attacker }) =>
    attackOf(system.gatewayUrl, attacker.person.bearer, 'POST', '/api/definitions/tools/sync'),
};

export const reads: Case = {
  about: `${atOnce} reads of one tenant at once`,
  begin: async ({ system, attacker }) =>
    attackOf(system.gatewayUrl, attacker.person.bearer, 'GET', '/api/agents'),
};

function attackOf(gatewayUrl: string, authorization: string, method: string, path: string) {
  const requests = flood(atOnce, (signal) =>
    fetch(`${gatewayUrl}${path}`, { method, signal, headers: { authorization } }),
  );
  return {
    stop: requests.stop,
    // The API limits no rate: requests beyond the share wait, and get 503 in the worst case.
    checks: () => [equals('answers other than 200, 202 and 503', 0, countOthers(requests, 200, 202, 503))],
  };
}
