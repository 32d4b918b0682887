import { randomUUID } from 'node:crypto';
import { decideAccess, findApiToken, resolveCaller } from '@botyard/contracts/events/tenancy';
import { ask } from '@botyard/shared/bus/requests';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTenancyServices, type TenancyServices } from '../../tenancy-services.ts';

/** Processes of 0.1.0, whose tenants had API tokens, still ask this while they are being replaced. */
let services: TenancyServices;
beforeAll(async () => {
  services = await openTenancyServices();
});
afterAll(() => services?.close());

test('a gateway of 0.1.0 learns that no API token exists', async () => {
  const bus = await services.harness.busAs('gateway');
  expect(await ask(bus, findApiToken, { tokenHash: '0'.repeat(64) })).toEqual({ token: null });
});

test('a service of 0.1.0 learns that a program with an API token is nobody', async () => {
  const bus = await services.harness.busAs('keys');
  const identity = { kind: 'token', tokenId: randomUUID(), tenantId: services.acme.tenantId } as const;
  expect(await ask(bus, resolveCaller, { identity })).toEqual({ caller: null });
});

test('a program with an API token is refused wherever a service of 0.1.0 asks about policies', async () => {
  const bus = await services.harness.busAs('keys');
  const tenantIds = [services.acme.tenantId, services.other.tenantId];
  const question = {
    caller: { userId: randomUUID(), idpUserId: 'token:1', isOperator: false },
    action: 'read' as const,
    places: tenantIds.map((tenantId) => ({ tenantId, botId: null, relation: 'admin' as const })),
    request: { address: '192.0.2.1', router: 'keys', method: 'GET' },
  };
  expect(await ask(bus, decideAccess, question)).toEqual({ refusals: [] });
  const { refusals } = await ask(bus, decideAccess, {
    ...question,
    caller: { ...question.caller, isToken: true },
  });
  expect(refusals.map(({ tenantId }) => tenantId)).toEqual(tenantIds);
});
