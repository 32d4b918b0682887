import type { DataOf } from '@botyard/shared/bus/definition';
import { turnCompleted } from '@botyard/shared/events/agents';
import { createTenantWithPeople, type People } from '@botyard/shared/testing/people';
import { ServiceHarness, type TestService } from '@botyard/shared/testing/service-harness';
import { v7 as uuidv7 } from 'uuid';
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

export function startUsage(harness: ServiceHarness, namespace = harness.namespace): Promise<TestService> {
  return harness.start({ service: 'usage', schema: usageConfig, createApp }, { namespace });
}

export async function openUsageServices(): Promise<UsageServices> {
  const harness = await ServiceHarness.open();
  const tenancy = await harness.start({
    service: 'tenancy',
    schema: tenancyConfig,
    createApp: createTenancyApp,
    env: { MESSENGER_API_URL: 'http://messenger.invalid', IDP_API_URL: 'http://idp.invalid/v1' },
  });
  const usage = await startUsage(harness);
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
    ...(turnCompleted.sample as Turn),
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
  const answer = await usage.call('GET', `/api/usage/${tenantId}`, { as: admin });
  if (answer.status !== 200) throw new Error(`no usage: ${answer.status} ${answer.text}`);
  return answer.body as { periodStart: string; periodEnd: string; counters: Record<string, number | null> };
}
