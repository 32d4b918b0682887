import { preparedStatement } from '@botyard/shared/db/prepared-statement';

/** Removes visitors with their messages and sessions. Returns how many rows that were. */
export const eraseVisitors = preparedStatement({
  name: 'webhooks.webchat.erase',
  text: `with messages as (
           delete from webhooks.webchat_messages
           where tenant_id = $1 and visitor_id::text = any ($2::text[])
           returning 1
         ), sessions as (
           delete from webhooks.webchat_sessions
           where tenant_id = $1 and visitor_id::text = any ($2::text[])
           returning 1
         ), visitors as (
           delete from webhooks.webchat_visitors
           where tenant_id = $1 and visitor_id::text = any ($2::text[])
           returning 1
         )
         select from messages union all select from sessions union all select from visitors`,
  values: ({ tenantId, platformUserIds }: { tenantId: string; platformUserIds: readonly string[] }) => [
    tenantId,
    platformUserIds,
  ],
  result: (rows) => rows.length,
});
