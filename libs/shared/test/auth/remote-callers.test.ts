import { accessChanged, resolveCaller } from '@botyard/contracts/events/tenancy';
import { createRemoteCallers } from '@botyard/shared/auth/remote-callers';
import { watch } from '@botyard/shared/bus/broadcast';
import { answer } from '@botyard/shared/bus/requests';
import { beforeItExpires, eventually } from '@botyard/testing/eventually';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { user } from '@botyard/testing/test-call';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';

let harness: ServiceHarness;

beforeAll(async () => {
  harness = await ServiceHarness.open();
});
afterAll(() => harness?.close());

test('P11: an answer from before a revocation that was announced meanwhile is used once and not remembered', async () => {
  const [tenancy, keys] = await Promise.all([harness.busAs('tenancy'), harness.busAs('keys')]);
  const identity = user('user_revoked') as Extract<ReturnType<typeof user>, { kind: 'user' }>;
  const callers = createRemoteCallers(keys);
  let announced = 0;
  const following = Promise.withResolvers<void>();
  watch(keys, accessChanged, {
    onEvent: () => {
      announced += 1;
    },
    onGap: following.resolve,
  });
  await following.promise;
  let isRevoked = false;
  answer(tenancy, resolveCaller, async () => {
    const roles = isRevoked ? [] : [{ tenantId: uuidv7(), role: 'admin' as const }];
    if (!isRevoked) {
      isRevoked = true;
      await harness.publish(accessChanged, { idpUserId: identity.idpUserId });
      await eventually('the change was announced', () => announced === 1);
    }
    const { idpUserId, sessionId } = identity;
    const ids = { userId: uuidv7(), idpUserId, sessionId, email: null, activeTenantId: null };
    return { caller: { ...ids, isOperator: false, roles } };
  });
  // The subscription has to have reached the server before anybody asks.
  await tenancy.live().connection.flush();
  expect((await callers.resolve(identity, { fresh: false })).caller?.roles.size).toBe(1);
  const refused = await eventually(
    'the old answer is forgotten',
    async () => {
      const { caller } = await callers.resolve(identity, { fresh: false });
      return caller?.roles.size === 0 && caller;
    },
    beforeItExpires,
  );
  expect(refused.roles.size).toBe(0);
});
