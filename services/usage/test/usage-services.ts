import { turnCompleted } from '@botyard/contracts/events/agents';
import type { DataOf } from '@botyard/contracts/events/definition';
import { quotaWarned, reserveQuota } from '@botyard/contracts/events/usage';
import { ask } from '@botyard/shared/bus/requests';
import { HttpError } from '@botyard/shared/http/errors';
import { eventually } from '@botyard/testing/eventually';
import { createTenantWithPeople, type People } from '@botyard/testing/people';
import { firstSample } from '@botyard/testing/samples';
import { ServiceHarness, type TestService } from '@botyard/testing/service-harness';
import { whileBusy } from '@botyard/testing/while-busy';
import { v7 as uuidv7 } from 'uuid';
import type { z } from 'zod';
import { createApp as createTenancyApp } from '../../tenancy/src/app.ts';
import { tenancyConfig } from '../../tenancy/src/config.ts';
import { createApp } from '../src/app.ts';
import { usageConfig } from '../src/config.ts';

export interface UsageServices {
  harness: ServiceHarness;
  usage: TestService;
  acme: People;
  /** Another tenant, with people of its own. */
  other: People;
}

/** A clock that a test sets. */
export interface Clock {
  now: () => Date;
}

export interface UsageOptions {
  namespace?: string;
  clock?: Clock;
  env?: Record<string, string>;
}

export function startUsage(
  harness: ServiceHarness,
  { namespace = harness.namespace, clock, env = {} }: UsageOptions = {},
): Promise<TestService> {
  const create: typeof createApp = (config, runtime) => createApp(config, runtime, clock ?? {});
  return harness.start({ service: 'usage', schema: usageConfig, createApp: create, env }, { namespace });
}

/** Nothing was ever used, and there is no quota. */
export async function forgetUse(harness: ServiceHarness): Promise<void> {
  const tables = [
    'counters',
    'log_entries',
    'quotas',
    'quota_use',
    'quota_warnings',
    'reservations',
    'allowances',
    'allowance_use',
    'outbox',
  ];
  await harness.asOwner(tables.map((table) => `delete from usage.${table}`).join(';'));
}

export async function openUsageServices(options: UsageOptions = {}): Promise<UsageServices> {
  const harness = await ServiceHarness.open();
  const tenancy = await harness.start({
    service: 'tenancy',
    schema: tenancyConfig,
    createApp: createTenancyApp,
    env: { MESSENGER_API_URL: 'http://messenger.invalid', IDP_API_URL: 'http://idp.invalid/v1' },
  });
  const usage = await startUsage(harness, options);
  const [acme, other] = await Promise.all([
    createTenantWithPeople(harness, tenancy),
    createTenantWithPeople(harness, tenancy),
  ]);
  return { harness, usage, acme, other };
}

export type Turn = DataOf<typeof turnCompleted>;

/** A turn that was answered just now: 10 tokens in, 20 out, one tool call. */
export function newTurn(tenantId: string, change: Partial<Turn> = {}): Turn {
  return turnCompleted.schema.parse({
    ...firstSample(turnCompleted),
    agentVersion: 3,
    tenantId,
    turnId: uuidv7(),
    inputTokens: 10,
    outputTokens: 20,
    toolCalls: 1,
    completedAt: new Date().toISOString(),
    ...change,
  }) as Turn;
}

/** The counters as the tenant's admin sees them. */
export async function readUsage(usage: TestService, { tenantId, admin }: People) {
  const answer = await whileBusy(() => usage.call('GET', `/api/usage/${tenantId}`, { as: admin }));
  if (answer.status !== 200) throw new Error(`no usage: ${answer.status} ${answer.text}`);
  return answer.body as { periodStart: string; periodEnd: string; counters: Record<string, number | null> };
}

/** Counts turns, and waits until they are. */
export async function count({ harness }: Pick<UsageServices, 'harness'>, ...turns: Turn[]): Promise<void> {
  for (const turn of turns) await harness.publish(turnCompleted, turn);
  await harness.settled('usage', 'agents');
}

/** Calls a path beneath the tenant's own as its admin. */
export async function call(
  { usage }: Pick<UsageServices, 'usage'>,
  { tenantId, admin }: People,
  [method, path]: readonly [string, string],
  body?: unknown,
) {
  const {
    status,
    body: answered,
    headers,
  } = await usage.call(method, `/api/usage/${tenantId}${path}`, {
    as: admin,
    ...(body === undefined ? {} : { body }),
  });
  return { status, body: answered, next: headers.get('link')?.match(/[?&]before=([^&>]+)/)?.[1] };
}

/** Sends requests like the agents service: an unanswered request is repeated under the same name. */
export async function reserve(
  { harness }: Pick<UsageServices, 'harness'>,
  tenantId: string,
  change: Partial<z.input<typeof reserveQuota.request>> = {},
) {
  const bus = await harness.busAs('agents');
  const question = {
    tenantId,
    reservationId: uuidv7(),
    botId: uuidv7(),
    agentId: uuidv7(),
    provider: 'private-llm',
    model: 'sandbox',
    estimate: { inputTokens: 10, outputTokens: 20 },
    holdMs: 180_000,
    ...change,
  };
  return await eventually('the usage service has answered', () =>
    ask(bus, reserveQuota, question).catch((error: unknown) => {
      if (error instanceof HttpError && error.status === 503) return undefined;
      throw error;
    }),
  );
}

/** The announced warnings, of any process. */
export async function warnings({ harness }: Pick<UsageServices, 'harness'>) {
  const rows = await harness.asOwner<{ data: string }>(
    `select data from usage.outbox where subject like '%.usage.quota.warned.%' order by id`,
  );
  return rows.map(({ data }) => quotaWarned.schema.parse(JSON.parse(data)) as DataOf<typeof quotaWarned>);
}
