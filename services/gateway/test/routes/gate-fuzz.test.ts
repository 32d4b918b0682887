import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getRaw } from '../support/raw-request.ts';
import { type RunningGateway, startGateway } from '../support/start-gateway.ts';

let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const piece = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('/', '/', '/', 'api', 'API', 'bots', 'keys', 'health', 'otel', 'webhooksx'),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom('.', '..', '%2e', '%2f', '%5c', '%00', '%25', '\\', ';', '#', '?', '@', ':'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('http://x', '//', '\u00e9', '\u00ff', '~', '&', '=', '*', '\t', '|', '"'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary-ascii', maxLength: 4 }) },
);
const target = fc.array(piece, { minLength: 1, maxLength: 10 }).map((pieces) => pieces.join(''));
const prefixed = fc
  .tuple(fc.constantFrom('', '/', '/api/', '/api/health', '/api/otel/', '/x'), target)
  .map(([a, b]) => a + b);

// Webhooks are public, so a target that reaches them proves nothing: 'webhooksx' alone is no prefix of theirs.
test('no request target without a token reaches a service', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(prefixed, { minLength: 20, maxLength: 20 }), async (targets) => {
      const answers = await Promise.all(targets.map((one) => getRaw(gateway.port, one)));
      for (const { status } of answers) expect([0, 200, 400, 401, 404, 503, 505]).toContain(status);
      expect(gateway.arrivals()).toEqual([]);
    }),
    { numRuns: 100 },
  );
});
