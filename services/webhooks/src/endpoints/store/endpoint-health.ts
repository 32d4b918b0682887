import { alias } from '@botyard/shared/db/drizzle';
import { moment, number, orNull, sum } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { endpoints } from '../../store/schema.ts';
import { webhookChecks } from '../../store/webhook-checks-schema.ts';

const orZero = (figure: string) => number(`coalesce(${figure}, 0)`);
const ofOne = {
  repliesWaiting: orZero('r.waiting'),
  repliesFailed: orZero('r.failed'),
  oldestWaitingAt: orNull(moment('r.oldest')),
  blockedChats: orZero('b.chats'),
};
const sendingRow = columns(ofOne);
export type SendingRow = RowOf<typeof sendingRow>;

const c = alias(webhookChecks, 'c');
const endpointHealth = columns({
  integrationId: alias(endpoints, 'e').integrationId,
  repairs: orNull(c.repairs),
  nextCheckAt: orNull(moment('case when e.registration_due_at is null then c.due_at end')),
  lastRepairAt: c.lastRepairAt,
  lastRepairReason: c.lastRepairReason,
  ...ofOne,
});

const sendingOfPlatform = columns({
  platform: alias(endpoints, 'e').integrationType,
  repliesWaiting: sum('r.waiting'),
  repliesFailed: sum('r.failed'),
  oldestWaitingAt: orNull(moment('min(r.oldest)')),
  blockedChats: sum('b.chats'),
});

const isWaiting = "state in ('waiting', 'queued')";

/** Pending and failed parts of each integration. Those settled more than 8 days ago have been removed. */
const sending = `
  replied as (
    select integration_id, (count(*) filter (where ${isWaiting}))::int as waiting,
      (count(*) filter (where state = 'failed'))::int as failed,
      min(created_at) filter (where ${isWaiting}) as oldest
    from webhooks.replies where tenant_id = $1 group by integration_id),
  blocked as (
    select integration_id, count(*)::int as chats
    from webhooks.chats where tenant_id = $1 and blocked_at is not null group by integration_id)`;

export const listEndpointHealthOf = preparedStatement({
  name: 'webhooks.endpoints.health',
  text: typedSql`with ${sending}
         select ${endpointHealth}
         from webhooks.endpoints e
         left join webhooks.webhook_checks c using (tenant_id, integration_id)
         left join replied r using (integration_id) left join blocked b using (integration_id)
         where e.tenant_id = $1 and e.integration_id = any ($2::uuid[]) and e.deleted_at is null`,
  values: (tenantId: string, integrationIds: readonly string[]) => [tenantId, integrationIds],
});

/** For each platform, over all live integrations. */
export const sumSendingOf = preparedStatement({
  name: 'webhooks.endpoints.sending',
  text: typedSql`with ${sending}
         select ${sendingOfPlatform}
         from webhooks.endpoints e
         left join replied r using (integration_id) left join blocked b using (integration_id)
         where e.tenant_id = $1 and e.deleted_at is null group by e.integration_type`,
  values: (tenantId: string) => [tenantId],
});

/** For each of several tenants, over all live integrations. */
export const sumSendingByTenant = preparedStatement({
  name: 'webhooks.endpoints.sending_by_tenant',
  text: typedSql`with replied as (
           select tenant_id, (count(*) filter (where ${isWaiting}))::int as waiting,
             (count(*) filter (where state = 'failed'))::int as failed, min(created_at) filter (where ${isWaiting}) as oldest
           from webhooks.replies where tenant_id = any ($1::uuid[]) group by 1),
         blocked as (
           select tenant_id, count(*)::int as chats from webhooks.chats
           where tenant_id = any ($1::uuid[]) and blocked_at is not null group by 1)
         select ${columns({ tenantId: endpoints.tenantId, ...ofOne })}
         from replied r full join blocked b using (tenant_id)`,
  values: (tenantIds: readonly string[]) => [tenantIds],
});
