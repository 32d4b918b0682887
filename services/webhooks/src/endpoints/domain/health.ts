import type {
  listEndpointHealth,
  sumSending,
  sumSendingOfTenants,
} from '@botyard/contracts/events/webhook-requests';
import { type Database, withTenant } from '@botyard/shared/db/database';
import type { z } from 'zod';
import {
  listEndpointHealthOf,
  type SendingRow,
  sumSendingByTenant,
  sumSendingOf,
} from '../store/endpoint-health.ts';

/** The health of a tenant's integrations: their webhooks, and sending. */
export async function healthOfEndpoints(
  database: Database,
  { tenantId, integrationIds }: z.output<typeof listEndpointHealth.request>,
): Promise<z.input<typeof listEndpointHealth.response>> {
  const rows = await withTenant(database, [tenantId], (tx) =>
    listEndpointHealthOf(tx, tenantId, integrationIds),
  );
  return {
    endpoints: rows.map((row) => ({
      integrationId: row.integrationId,
      webhook:
        row.repairs === null
          ? null
          : {
              repairs: row.repairs,
              nextCheckAt: textOf(row.nextCheckAt),
              lastRepairAt: textOf(row.lastRepairAt),
              lastRepairReason: row.lastRepairReason,
            },
      ...toSending(row),
    })),
  };
}

/** The health of sending on each platform. */
export async function sendingOfPlatforms(
  database: Database,
  { tenantId }: z.output<typeof sumSending.request>,
): Promise<z.input<typeof sumSending.response>> {
  const rows = await withTenant(database, [tenantId], (tx) => sumSendingOf(tx, tenantId));
  return { sending: rows.map((row) => ({ platform: row.platform, ...toSending(row) })) };
}

const textOf = (at: Date | null): string | null => at?.toISOString() ?? null;
const toSending = ({ repliesWaiting, repliesFailed, blockedChats, oldestWaitingAt }: SendingRow) => ({
  repliesWaiting,
  repliesFailed,
  blockedChats,
  oldestWaitingAt: textOf(oldestWaitingAt),
});

/** The health of sending in each of several tenants. */
export async function sendingOfTenants(
  database: Database,
  { tenantIds }: z.output<typeof sumSendingOfTenants.request>,
): Promise<z.input<typeof sumSendingOfTenants.response>> {
  const rows = await withTenant(database, tenantIds, (tx) => sumSendingByTenant(tx, tenantIds));
  return { tenants: rows.map((row) => ({ tenantId: row.tenantId, ...toSending(row) })) };
}
