import { CreateBindingBody } from '@botyard/contracts/http/apps-admin';
import { type Page, type PageRequest, pageOf } from '@botyard/contracts/http/page';
import type { SpecRouteRow } from '@botyard/contracts/http/spec-migration';
import { type TenantTx, withPlatform, withTenant } from '@botyard/shared/db/database';
import { v7 as uuidv7 } from 'uuid';
import { changing } from '../../../definitions/domain/changing.ts';
import { getBot, lockLiveBot } from '../../../store/bots.ts';
import type { Deps } from '../../deps.ts';
import { insertApp } from '../../store/apps.ts';
import { countBindingsOfBot } from '../../store/bindings.ts';
import {
  type BotKey,
  deleteAssignments,
  listAssignedBots,
  listAssignmentsOf,
  lockAssignmentsOf,
} from '../../store/pending-assignments.ts';
import { addBinding } from '../binding.ts';
import { release } from '../publishing.ts';
import { planRoutes } from './plan.ts';

const reason = 'find bots with assignments, for an operator';

/** The changes that executing would make at this moment. */
export async function previewRoutes(
  { database }: Pick<Deps, 'database'>,
  page: PageRequest,
): Promise<Page<SpecRouteRow>> {
  const bots = await withPlatform(database, reason, (tx) => listAssignedBots(tx, page));
  const botPage = pageOf(
    bots,
    page,
    (bot) => bot,
    ({ botId }) => botId,
  );
  const rows = [];
  for (const bot of botPage.items) {
    const row = await withTenant(database, [bot.tenantId], (tx) => plan(tx, bot, listAssignmentsOf));
    if (row) rows.push(row);
  }
  return { items: rows, next: botPage.next };
}

/** `undefined` when the bot needs no migration. */
async function plan(tx: TenantTx, bot: BotKey, list: typeof listAssignmentsOf) {
  const { tenantId, botId } = bot;
  const row = await getBot(tx, tenantId, botId);
  const assignments = await list(tx, bot);
  if (!row || row.deletedAt || assignments.length === 0) return undefined;
  const bindings = await countBindingsOfBot(tx, tenantId, botId);
  return planRoutes({ tenantId, botId, name: row.name, bindings, assignments });
}

interface Migrated {
  converted: (SpecRouteRow & { appId: string })[];
  blocked: SpecRouteRow[];
  remaining: number;
}

const botsAtOnce = 100;

/**
 * Executes the preview for up to `most` bots, each in a transaction of its own: an interrupted run has migrated whole
 * bots, and the next run continues with the rest.
 */
export async function executeRoutes(deps: Deps, most: number): Promise<Migrated> {
  const migrated: Migrated = { converted: [], blocked: [], remaining: 0 };
  let before: string | undefined;
  do {
    const page = { before, limit: botsAtOnce };
    const bots = await withPlatform(deps.database, reason, (tx) => listAssignedBots(tx, page));
    for (const bot of bots.slice(0, botsAtOnce)) await step(deps, bot, { most, migrated });
    before = bots.length > botsAtOnce ? bots[botsAtOnce - 1]?.botId : undefined;
  } while (before);
  return migrated;
}

async function step(
  deps: Deps,
  bot: BotKey,
  { most, migrated }: { most: number; migrated: Migrated },
): Promise<void> {
  const { converted, blocked } = migrated;
  if (converted.length < most) {
    const row = await convert(deps, bot);
    if (row?.appId) converted.push({ ...row, appId: row.appId });
    else if (row && blocked.length < most) blocked.push(row);
    return;
  }
  const row = await withTenant(deps.database, [bot.tenantId], (tx) => plan(tx, bot, listAssignmentsOf));
  if (row && row.blocked === null) migrated.remaining += 1;
}

/** Returns a route without an `appId` if it is blocked. */
async function convert(deps: Deps, bot: BotKey): Promise<(SpecRouteRow & { appId?: string }) | undefined> {
  const { tenantId, botId } = bot;
  return await changing(deps, tenantId, async (tx) => {
    // Serializes new assignments and bindings of the bot.
    if (!(await lockLiveBot(tx, tenantId, botId))) return undefined;
    const row = await plan(tx, bot, lockAssignmentsOf);
    if (!row || row.blocked !== null) return row;
    const key = { tenantId, appId: uuidv7() };
    const draft = JSON.stringify(row.spec);
    const description = "Made from the bot's assignments.";
    const app = await insertApp(tx, { ...key, name: row.appName, description, draft });
    await release(tx, app, { spec: row.spec, origin: 'migration' });
    // Assignments existed before all apps, so later ones become later bindings: hence the highest priority.
    await addBinding(tx, key, CreateBindingBody.parse({ botId, priority: 1000 }));
    await deleteAssignments(tx, tenantId, row.assignmentIds);
    deps.log.info({ audit: 'assignments became routes', ...key, botId }, 'audit');
    return { ...row, appId: key.appId };
  });
}
