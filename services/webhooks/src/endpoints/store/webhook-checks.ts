import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import type { QueueTable } from '@botyard/shared/work/leased-queue/queue-table';
import { type RepairReason, webhookChecks } from '../../store/webhook-checks-schema.ts';
import { type EndpointRow, endpointLease, registeredPlatforms } from './endpoints.ts';

/** Minimum interval between calls about a bot, for all callers. */
const callsApartMs = 1000;

/** Random, so that integrations registered together aren't always checked together. */
const nextAt = (everyMs: string) =>
  `now() + make_interval(secs => ${everyMs} / 1000.0 * (0.8 + 0.4 * random()))`;

/**
 * Makes integrations due that any instance registered for another address of this installation; at the start also those
 * that never worked, and those without a check.
 */
export async function markMoved(tx: PlatformTx, baseUrl: string, isStart: boolean): Promise<void> {
  await tx.query({
    name: 'webhooks.webhook_checks.mark_moved',
    text: `insert into webhooks.webhook_checks as c (tenant_id, integration_id, due_at)
           select tenant_id, integration_id, now() from webhooks.endpoints
             left join webhooks.webhook_checks known using (tenant_id, integration_id)
           where deleted_at is null and integration_type in (${registeredPlatforms})
             and (known.due_at is null or known.base_url <> $1 or (known.base_url is null and $2))
           on conflict (tenant_id, integration_id) do update set due_at = least(c.due_at, excluded.due_at)`,
    values: [baseUrl, isStart],
  });
}

/** Integrations whose check is due. The lease is that of the registration, so calls of the two can't interfere. */
export const checkQueue: QueueTable<EndpointRow> = {
  ...endpointLease,
  join: 'join webhooks.webhook_checks c using (tenant_id, integration_id)',
  isOfQueue: `q.deleted_at is null and q.sealed_secrets is not null and q.registration_due_at is null
    and (c.called_at is null or c.called_at <= now() - make_interval(secs => ${callsApartMs / 1000}))`,
  readyAt: 'c.due_at',
};

/** Schedules the next check. Returns the delivery error that was already handled. */
export const beginCheck = preparedStatement({
  name: 'webhooks.webhook_checks.begin',
  text: typedSql`update webhooks.webhook_checks set due_at = ${nextAt('$3')}
         where tenant_id = $1 and integration_id = $2
         returning ${columns({ answeredErrorAt: webhookChecks.answeredErrorAt })}`,
  values: ({ tenantId, integrationId }: EndpointRow, everyMs: number) => [tenantId, integrationId, everyMs],
  result: ([row]) => row?.answeredErrorAt ?? null,
});

/** Failed registrations are checked, too, because their cause may have disappeared. */
export const scheduleCheck = preparedStatement({
  name: 'webhooks.webhook_checks.schedule',
  text: `insert into webhooks.webhook_checks (tenant_id, integration_id, due_at, called_at)
         values ($1, $2, ${nextAt('$3')}, now())
         on conflict (tenant_id, integration_id) do update set called_at = now()`,
  values: ({ tenantId, integrationId }: EndpointRow, everyMs: number) => [tenantId, integrationId, everyMs],
});

interface Checked {
  baseUrl: string;
  everyMs: number;
  repair?: RepairReason | undefined;
  answeredErrorAt?: Date | undefined;
}

/** Saves that the platform has the correct address for deliveries. A check that was requested meanwhile stays due. */
export const saveChecked = preparedStatement({
  name: 'webhooks.webhook_checks.save',
  text: `insert into webhooks.webhook_checks as c (tenant_id, integration_id, due_at, called_at, base_url, answered_error_at,
           repairs, last_repair_at, last_repair_reason)
         values ($tenantId, $integrationId, ${nextAt('$everyMs')}, now(), $baseUrl, $answeredErrorAt,
           case when $repair::text is null then 0 else 1 end,
           case when $repair is not null then now() end, $repair)
         on conflict (tenant_id, integration_id) do update set
           due_at = case
             when c.due_at > $leaseUntil::timestamptz - make_interval(secs => ${endpointLease.leaseSeconds}) then c.due_at
             else excluded.due_at end,
           called_at = now(), base_url = excluded.base_url,
           answered_error_at = coalesce(excluded.answered_error_at, c.answered_error_at),
           repairs = c.repairs + excluded.repairs,
           last_repair_at = coalesce(excluded.last_repair_at, c.last_repair_at),
           last_repair_reason = coalesce(excluded.last_repair_reason, c.last_repair_reason)`,
  values: (
    { tenantId, integrationId, registrationLeaseUntil }: EndpointRow,
    { baseUrl, everyMs, ...found }: Checked,
  ) => ({
    tenantId,
    integrationId,
    baseUrl,
    everyMs,
    leaseUntil: registrationLeaseUntil,
    repair: found.repair ?? null,
    answeredErrorAt: found.answeredErrorAt ?? null,
  }),
});

/** Releases the lease after a check without an answer. The platform is asked again after a while. */
export async function putOffCheck(
  tx: TenantTx,
  { tenantId, integrationId, registrationLeaseUntil }: EndpointRow,
  inMs: number,
): Promise<void> {
  await tx.query({
    name: 'webhooks.endpoints.release',
    text: `update webhooks.endpoints set registration_lease_until = null
           where tenant_id = $1 and integration_id = $2 and registration_lease_until = $3`,
    values: [tenantId, integrationId, registrationLeaseUntil],
  });
  await tx.query({
    name: 'webhooks.webhook_checks.again',
    text: `update webhooks.webhook_checks set called_at = now(), due_at = least(due_at, now() + make_interval(secs => $3))
           where tenant_id = $1 and integration_id = $2`,
    values: [tenantId, integrationId, inMs / 1000],
  });
}

/** Returns `false` for an unknown or deleted integration. */
export const requestCheck = preparedStatement({
  name: 'webhooks.webhook_checks.request',
  text: `insert into webhooks.webhook_checks as c (tenant_id, integration_id, due_at)
         select tenant_id, integration_id, now() from webhooks.endpoints
         where tenant_id = $1 and integration_id = $2 and deleted_at is null and integration_type in (${registeredPlatforms})
         on conflict (tenant_id, integration_id) do update set due_at = least(c.due_at, now())
         returning integration_id`,
  values: ({ tenantId, integrationId }: { tenantId: string; integrationId: string }) => [
    tenantId,
    integrationId,
  ],
  result: (rows) => rows.length > 0,
});
