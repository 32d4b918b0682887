import { admit } from '@botyard/shared/auth/access';
import type { Caller, Role } from '@botyard/shared/auth/caller';
import { anonymous, user } from '@botyard/testing/test-call';
import { expect, test } from 'vitest';

const identity = user('user_1');

async function statusFor(known: { roles?: [string, Role][]; isOperator?: boolean } | null, as = identity) {
  const caller: Caller | null = known && {
    userId: 'u',
    idpUserId: 'user_1',
    sessionId: 's',
    email: null,
    isOperator: known.isOperator ?? false,
    roles: new Map(known.roles),
    bots: new Map(),
    policedTenantIds: new Set(),
    unvisitedTenantIds: new Set(),
    responds: new Map(),
    activeTenantId: null,
  };
  const directory = {
    resolve: async () => ({ caller, isFresh: true }),
    tenantExists: async () => true,
    decide: async () => [],
  };
  const facts = { address: '127.0.0.1', router: 'users', method: 'GET' };
  const route = { access: 'anyAdminOrOperator' as const };
  const request = { ...route, namedTenantId: undefined, ...facts };
  return await admit(request, as, directory).then(
    ({ tenantId, relation }) => ({ tenantId, relation }),
    ({ status }: { status: number }) => status,
  );
}

test('an admin of any tenant and an operator are admitted, in no tenant; all other callers are refused', async () => {
  const admitted = { tenantId: null, relation: null };
  expect(await statusFor({ roles: [['t', 'admin']] })).toEqual(admitted);
  expect(await statusFor({ isOperator: true })).toEqual(admitted);
  expect(await statusFor({ roles: [['t', 'member']] })).toBe(403);
  expect(await statusFor({})).toBe(403);
  expect(await statusFor(null)).toBe(401);
  expect(await statusFor({ isOperator: true }, anonymous)).toBe(401);
});
