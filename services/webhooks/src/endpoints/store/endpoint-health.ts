import type { PlatformName } from '@botyard/contracts/http/platform';
import type { TenantTx } from '@botyard/shared/db/database';
import type { RepairReason } from './webhook-checks.ts';

export interface SendingRow extends Record<string, unknown> {
  repliesWaiting: number;
  repliesFailed: number;
  blockedChats: number;
  oldestWaitingAt: Date | null;
}

export interface EndpointHealthRow extends SendingRow {
  integrationId: string;
  repairs: number | null;
  nextCheckAt: Date | null;
  lastRepairAt: Date | null;
  lastRepairReason: RepairReason | null;
}

const isWaiting = "state in ('waiting', 'queued')";

/** What waits and what failed at each integration; what was settled 8 days ago is forgotten. */
const sending = `
  replied as (
    select integration_id, (count(*) filter (where ${isWaiting}))::int as waiting,
      (count(*) filter (where state = 'failed'))::int as failed,
      min(created_at) filter (where ${isWaiting}) as oldest
    from webhooks.replies where tenant_id = $1 group by integration_id),
  blocked as (
    select integration_id, count(*)::int as chats
    from webhooks.chats where tenant_id = $1 and blocked_at is not null group by integration_id)`;

export async function listEndpointHealthOf(
  tx: TenantTx,
  tenantId: string,
  integrationIds: readonly string[],
): Promise<EndpointHealthRow[]> {
  return await tx.query<EndpointHealthRow>({
    name: 'webhooks.endpoints.health',
    text: `with ${sending}
           select e.integration_id as "integrationId", c.repairs, c.last_repair_at as "lastRepairAt",
             c.last_repair_reason as "lastRepairReason",
             case when e.registration_due_at is null then c.due_at end as "nextCheckAt",
             coalesce(r.waiting, 0) as "repliesWaiting", coalesce(r.failed, 0) as "repliesFailed",
             r.oldest as "oldestWaitingAt", coalesce(b.chats, 0) as "blockedChats"
           from webhooks.endpoints e
           left join webhooks.webhook_checks c using (tenant_id, integration_id)
           left join replied r using (integration_id) left join blocked b using (integration_id)
           where e.tenant_id = $1 and e.integration_id = any ($2::uuid[]) and e.deleted_at is null`,
    values: [tenantId, integrationIds],
  });
}

/** Over all integrations that live, for each platform. */
export async function sumSendingOf(
  tx: TenantTx,
  tenantId: string,
): Promise<(SendingRow & { platform: PlatformName })[]> {
  return await tx.query<SendingRow & { platform: PlatformName }>({
    name: 'webhooks.endpoints.sending',
    text: `with ${sending}
           select e.integration_type as platform, coalesce(sum(r.waiting), 0)::int as "repliesWaiting",
             coalesce(sum(r.failed), 0)::int as "repliesFailed", min(r.oldest) as "oldestWaitingAt",
             coalesce(sum(b.chats), 0)::int as "blockedChats"
           from webhooks.endpoints e
           left join replied r using (integration_id) left join blocked b using (integration_id)
           where e.tenant_id = $1 and e.deleted_at is null group by e.integration_type`,
    values: [tenantId],
  });
}

/** Over all integrations that live, for each of several tenants. */
export async function sumSendingByTenant(
  tx: TenantTx,
  tenantIds: readonly string[],
): Promise<(SendingRow & { tenantId: string })[]> {
  return await tx.query<SendingRow & { tenantId: string }>({
    name: 'webhooks.endpoints.sending_by_tenant',
    text: `with replied as (
             select tenant_id, (count(*) filter (where ${isWaiting}))::int as waiting,
               (count(*) filter (where state = 'failed'))::int as failed, min(created_at) filter (where ${isWaiting}) as oldest
             from webhooks.replies where tenant_id = any ($1::uuid[]) group by 1),
           blocked as (
             select tenant_id, count(*)::int as chats from webhooks.chats
             where tenant_id = any ($1::uuid[]) and blocked_at is not null group by 1)
           select tenant_id as "tenantId", coalesce(waiting, 0) as "repliesWaiting", coalesce(failed, 0) as "repliesFailed",
             oldest as "oldestWaitingAt", coalesce(chats, 0) as "blockedChats"
           from replied full join blocked using (tenant_id)`,
    values: [tenantIds],
  });
}
