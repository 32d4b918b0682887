import { expect } from 'vitest';
import type { AskCase, Step, Tables } from '../support/tables.ts';
import type { World } from '../support/world.ts';
import { readAs, remoteCallers } from './remote-callers.ts';

/** The world's key, as its admin stores it. */
const storeKey: Step<string> = async (lone, world) => {
  const path = `/api/keys/${world.tenantId}`;
  const body = { provider: 'openai', apiKey: `sk-proj-${world.tag}0123456789` };
  const { keyId } = await lone.make(world, 'POST', path, body);
  world.meet({ keyId });
  return keyId as string;
};

const statusOf: Step<string | undefined> = async (lone, world) => {
  const rows = await lone.rows<{ status: string }>('select status from keys.keys where key_id = $1', [
    world.id('keyId'),
  ]);
  return rows[0]?.status;
};

const path = ({ tenantId }: World) => `/api/keys/${tenantId}`;
const callers = remoteCallers({ path, ofMember: 403, remembered: readAs('admin', path) });

/** A key for one bot or agent, which is asked for first. */
const storeScopedKey =
  (scopeType: 'bot' | 'agent'): AskCase['provoke'] =>
  (lone, world) => {
    const body = { provider: 'openai', apiKey: `sk-proj-${world.tag}0123456789`, scopeType };
    const scopeId = world.id(`${scopeType}Id`);
    return lone.call(world, 'POST', path(world), { ...body, scopeId });
  };

export const keysTables: Tables = {
  ...callers,
  asks: {
    ...callers.asks,
    'usage.allowance.find.v1': {
      provoke: (lone, world) => lone.call(world, 'GET', `/api/keys/${world.tenantId}/resolve/openai`),
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
    'keys.key.resolve.v1': async (lone, world) => {
      const keyId = await storeKey(lone, world);
      return (answer) => {
        expect(answer).toMatchObject({ keyId, source: 'tenant', host: 'openai.invalid' });
        expect(answer.sealedKey).toMatch(/^[\w-]+(\.[\w-]*){4}$/);
      };
    },
    'keys.key.count.v1': async (lone, world) => {
      await storeKey(lone, world);
      const { tenantId } = world;
      return (answer) =>
        expect(answer).toEqual({ tenants: [{ tenantId, active: 1, invalid: 0, resting: 0 }] });
    },
  },
  consumes: {
    'tenancy.tenant.deleted.v1': {
      arrange: storeKey,
      effect: async (lone, world) => (await statusOf(lone, world)) === undefined,
    },
    'agents.key.failed.v1': {
      arrange: storeKey,
      today: (said) => ({ ...said, resolvedAt: new Date().toISOString() }),
      effect: async (lone, world) => {
        const [row] = await lone.rows('select from keys.keys where key_id = $1 and cool_until > now()', [
          world.id('keyId'),
        ]);
        return row !== undefined;
      },
    },
  },
  publishes: {
    'keys.key.stored.v1': storeKey,
    'keys.key.invalidated.v1': async (lone, world) => {
      const keyId = await storeKey(lone, world);
      await lone.make(world, 'PUT', `/api/keys/${world.tenantId}/${keyId}/invalidate`);
    },
  },
  signals: {},
  listens: {},
};
