import { randomUUID } from 'node:crypto';
import { findMissingAgents } from '@botyard/contracts/events/agents';
import { resolveKey } from '@botyard/contracts/events/keys';
import { answer as answerOn } from '@botyard/shared/bus/requests';
import { createTenantWithPeople, type People } from '@botyard/testing/people';
import { ServiceHarness, type TestService } from '@botyard/testing/service-harness';
import { createApp as createTenancyApp } from '../../tenancy/src/app.ts';
import { tenancyConfig } from '../../tenancy/src/config.ts';
import { createApp } from '../src/app.ts';
import { keysConfig } from '../src/config.ts';

export interface KeysServices {
  harness: ServiceHarness;
  keys: TestService;
  tenancy: TestService;
  /** Instead of the agents service, which is asked for no more than these. */
  knownAgents: Set<string>;
  acme: People;
  /** Another tenant, with people of its own. */
  other: People;
}

/** Without real addresses: nothing here may leave the machine. */
export const keysEnv = {
  OPENAI_BASE_URL: 'http://openai.invalid/v1',
  ANTHROPIC_BASE_URL: 'http://anthropic.invalid',
};

/** The request that hands a key over, for tests that aren't about waiting: a lost answer fails, a slow one doesn't. */
export const patientResolveKey = { ...resolveKey, timeoutMs: 20_000 };

export function startKeys(harness: ServiceHarness, env: Record<string, string> = {}): Promise<TestService> {
  return harness.start({ service: 'keys', schema: keysConfig, createApp, env: { ...keysEnv, ...env } });
}

export async function openKeysServices(env: Record<string, string> = {}): Promise<KeysServices> {
  const harness = await ServiceHarness.open();
  const tenancy = await harness.start({
    service: 'tenancy',
    schema: tenancyConfig,
    createApp: createTenancyApp,
    env: { MESSENGER_API_URL: 'http://messenger.invalid', IDP_API_URL: 'http://idp.invalid/v1' },
  });
  const keys = await startKeys(harness, env);
  const knownAgents = new Set<string>();
  answerOn(await harness.busAs('agents'), findMissingAgents, async ({ agentIds }) => ({
    missing: agentIds.filter((agentId) => !knownAgents.has(agentId)),
  }));
  const [acme, other] = await Promise.all([
    createTenantWithPeople(harness, tenancy),
    createTenantWithPeople(harness, tenancy),
  ]);
  return { harness, keys, tenancy, knownAgents, acme, other };
}

/** A bot of the tenant, as its admin makes it. */
export async function addBot({ tenancy }: KeysServices, { tenantId, admin }: People): Promise<string> {
  const body = { name: 'Bot', agentIds: [] };
  const made = await tenancy.call('POST', `/api/bots/${tenantId}/bots`, { as: admin, body });
  if (made.status !== 201) throw new Error(`no bot was made: ${made.status} ${made.text}`);
  return made.body.botId;
}

/** An agent of every tenant, as the agents service would say it. */
export function addAgent({ knownAgents }: KeysServices): string {
  const agentId = randomUUID();
  knownAgents.add(agentId);
  return agentId;
}

/** Stores a key as the tenant's admin and returns its identifier. */
export async function storeKey(
  keys: TestService,
  { tenantId, admin }: People,
  body: Record<string, unknown> = {},
): Promise<string> {
  const answer = await keys.call('POST', `/api/keys/${tenantId}`, {
    as: admin,
    body: { provider: 'openai', apiKey: 'sk-proj-0123456789abcdef', ...body },
  });
  if (answer.status !== 201) throw new Error(`no key was stored: ${answer.status} ${answer.text}`);
  return answer.body.keyId as string;
}
