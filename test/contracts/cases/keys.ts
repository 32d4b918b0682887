import { expect } from 'vitest';
import type { AskCase, Step, Tables } from '../support/tables.ts';
import type { TestTenant } from '../support/test-tenant.ts';
import { readAs, remoteCallers } from './remote-callers.ts';

/** The tenant's key, as its admin stores it. */
const storeKey: Step<string> = async (sut, tenant) => {
  const path = `/api/keys/${tenant.tenantId}`;
  const body = { provider: 'openai', apiKey: `sk-proj-${tenant.tag}0123456789` };
  const { keyId } = await sut.make(tenant, 'POST', path, body);
  tenant.useIds({ keyId });
  return keyId as string;
};

const statusOf: Step<string | undefined> = async (sut, tenant) => {
  const rows = await sut.rows<{ status: string }>('select status from keys.keys where key_id = $1', [
    tenant.id('keyId'),
  ]);
  return rows[0]?.status;
};

const path = ({ tenantId }: TestTenant) => `/api/keys/${tenantId}`;
const callers = remoteCallers({ path, ofMember: 403, remembered: readAs('admin', path) });

/** A key for one bot or agent, which is asked for first. */
const storeScopedKey =
  (scopeType: 'bot' | 'agent'): AskCase['provoke'] =>
  (sut, tenant) => {
    const body = { provider: 'openai', apiKey: `sk-proj-${tenant.tag}0123456789`, scopeType };
    const scopeId = tenant.id(`${scopeType}Id`);
    return sut.call(tenant, 'POST', path(tenant), { ...body, scopeId });
  };

export const keysTables: Tables = {
  ...callers,
  asks: {
    ...callers.asks,
    'usage.allowance.find.v1': {
      provoke: (sut, tenant) => sut.call(tenant, 'GET', `/api/keys/${tenant.tenantId}/resolve/openai`),
      // Reported without it.
      absent: 200,
      refused: 200,
    },
    'tenancy.bot.find.v1': {
      provoke: storeScopedKey('bot'),
      answered: { first: 201, none: 400 },
    },
    'agents.definition.missing.v1': {
      provoke: storeScopedKey('agent'),
      answered: { first: 400, 'none-missing': 201 },
    },
  },
  answers: {
    'keys.key.resolve.v1': async (sut, tenant) => {
      const keyId = await storeKey(sut, tenant);
      return (answer) => {
        expect(answer).toMatchObject({ keyId, source: 'tenant', host: 'openai.invalid' });
        expect(answer.sealedKey).toMatch(/^[\w-]+(\.[\w-]*){4}$/);
      };
    },
    'keys.secret.find.v1': async (sut, tenant) => {
      await storeKey(sut, tenant);
      return (answer) => expect(answer).toEqual({ isFound: false });
    },
    'keys.key.count.v1': async (sut, tenant) => {
      await storeKey(sut, tenant);
      const { tenantId } = tenant;
      return (answer) =>
        expect(answer).toEqual({ tenants: [{ tenantId, active: 1, invalid: 0, resting: 0 }] });
    },
  },
  consumes: {
    'tenancy.tenant.deleted.v1': {
      arrange: storeKey,
      effect: async (sut, tenant) => (await statusOf(sut, tenant)) === undefined,
    },
    'agents.key.failed.v1': {
      arrange: storeKey,
      today: (payload) => ({ ...payload, resolvedAt: new Date().toISOString() }),
      effect: async (sut, tenant) => {
        const [row] = await sut.rows('select from keys.keys where key_id = $1 and cool_until > now()', [
          tenant.id('keyId'),
        ]);
        return row !== undefined;
      },
    },
  },
  publishes: {
    'keys.key.stored.v1': storeKey,
    'keys.key.invalidated.v1': async (sut, tenant) => {
      const keyId = await storeKey(sut, tenant);
      await sut.make(tenant, 'PUT', `/api/keys/${tenant.tenantId}/${keyId}/invalidate`);
    },
  },
  signals: {},
  listens: {},
};
