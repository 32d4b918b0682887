import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq, inArray, isNull } from '@botyard/shared/db/drizzle';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { rowsOf, translated } from '@botyard/shared/db/rows';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { conflict } from '@botyard/shared/http/errors';
import { appBindings, apps } from '../../store/apps-schema.ts';
import { bots } from '../../store/schema.ts';
import type { AppKey } from './apps.ts';

export type BindingRow = typeof appBindings.$inferSelect;
type NewBinding = Omit<BindingRow, 'createdAt'>;

const stored = rowsOf(appBindings, 'tenantId', 'appId', 'bindingId');
export const { get: getBinding, remove: deleteBinding } = stored;

/** @throws HttpError 409 when the app is already bound there. */
export async function insertBinding(tx: TenantTx, binding: NewBinding): Promise<BindingRow> {
  const [row] = await translated(tx.db.insert(appBindings).values(binding).returning(), {
    app_bindings_once: (cause) =>
      conflict('the app is bound to this place already: delete that binding first', {
        cause,
      }),
  });
  return row!;
}

/** Newest first, one more than the page's limit. */
export const listBindings = (tx: TenantTx, { tenantId, appId }: AppKey, page: PageRequest) =>
  stored.list(tx, { tenantId, appId }, page);

export const countBindingsOfBot = (tx: TenantTx, tenantId: string, botId: string) =>
  stored.count(tx, { tenantId, botId });

export async function deleteBindingsOfBot(
  tx: TenantTx,
  { tenantId, botId }: { tenantId: string; botId: string },
): Promise<void> {
  await tx.db
    .delete(appBindings)
    .where(and(eq(appBindings.tenantId, tenantId), eq(appBindings.botId, botId)));
}

/** The bots that an app is bound to, at most 50. */
export async function listBoundBots(
  tx: TenantTx,
  { tenantId, appId }: AppKey,
): Promise<{ id: string; name: string }[]> {
  const bound = tx.db
    .select({ botId: appBindings.botId })
    .from(appBindings)
    .where(and(eq(appBindings.tenantId, tenantId), eq(appBindings.appId, appId)));
  return await tx.db
    .select({ id: bots.botId, name: bots.name })
    .from(bots)
    .where(and(eq(bots.tenantId, tenantId), inArray(bots.botId, bound)))
    .limit(50);
}

/** Bots that aren't deleted, newest first, one more than the page's limit. */
export const listBots = (tx: TenantTx, tenantId: string, page: PageRequest) =>
  rowsOf(bots, 'tenantId', 'botId').list(tx, { tenantId }, page, isNull(bots.deletedAt));

export async function listBindingsOfBots(
  tx: TenantTx,
  tenantId: string,
  botIds: readonly string[],
): Promise<(BindingRow & { appName: string })[]> {
  if (botIds.length === 0) return [];
  const rows = await tx.db
    .select({ binding: appBindings, appName: apps.name })
    .from(appBindings)
    .innerJoin(apps, and(eq(apps.tenantId, appBindings.tenantId), eq(apps.appId, appBindings.appId)))
    .where(and(eq(appBindings.tenantId, tenantId), inArray(appBindings.botId, [...botIds])));
  return rows.map(({ binding, appName }) => ({ ...binding, appName }));
}

/** Which of these chats, groups and bots are the tenant's, and of which bot. */
export const listPlaces = preparedStatement({
  name: 'agents.apps.places',
  text: typedSql`select ${columns({ id: bots.botId, botId: bots.botId })} from agents.bots
      where tenant_id = $1 and bot_id = any ($2::uuid[]) and deleted_at is null
    union all select chat_id, bot_id from agents.conversations where tenant_id = $1 and chat_id = any ($3::uuid[])
    union all select group_id, bot_id from agents.bot_groups where tenant_id = $1 and group_id = any ($4::uuid[])`,
  values: (
    tenantId: string,
    wanted: { botIds: readonly string[]; chatIds: readonly string[]; groupIds: readonly string[] },
  ) => [tenantId, [...wanted.botIds], [...wanted.chatIds], [...wanted.groupIds]],
});
