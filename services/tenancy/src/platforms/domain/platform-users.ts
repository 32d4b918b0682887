import { listPeople } from '@botyard/contracts/events/agents-people';
import type { Page } from '@botyard/contracts/http/page';
import type {
  PlatformPerson,
  PlatformUser,
  PlatformUserRights,
  platformUsersRouter,
} from '@botyard/contracts/http/platform-users';
import { ask } from '@botyard/shared/bus/requests';
import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { notFound } from '@botyard/shared/http/errors';
import type { z } from 'zod';
import { listIntegrationsOfTenant } from '../../integrations/store/integrations.ts';
import { listLinksInTenant, listOwnersInTenants } from '../../messenger-login/store/links.ts';
import { admitMessages } from '../../moderation/domain/admit-messages.ts';
import { listPeoplePermissions } from '../../moderation/store/people-permissions.ts';
import type { Deps } from '../deps.ts';

type PeopleQuery = z.output<(typeof platformUsersRouter)['routes']['listPlatformUsers']['query']>;

const maxBots = 100;
const decidedAtOnce = 4;

/**
 * People who have written to a tenant's bots, with their permissions. @throws HttpError 503 when the agents service
 * doesn't answer.
 */
export async function listPlatformUsers(
  deps: Deps,
  tenantId: string,
  { userId, before, ...query }: PeopleQuery,
): Promise<Page<PlatformUser>> {
  const accounts = userId === undefined ? undefined : await accountsOf(deps, tenantId, userId);
  if (accounts?.length === 0) return { items: [] };
  const [firstSeenAt = '', personId = ''] = before?.split('/') ?? [];
  const { people, hasMore } = await ask(deps.bus, listPeople, {
    ...query,
    tenantId,
    accounts,
    before: before === undefined ? undefined : { firstSeenAt, personId },
  });
  const last = people.at(-1);
  return {
    items: await withPermissions(deps, tenantId, people),
    next: hasMore && last ? `${last.firstSeenAt}/${last.personId}` : undefined,
  };
}

/**
 * One person, with the bots that would accept their messages, by the same decision as for messages. @throws HttpError
 * 404, 503.
 */
export async function getPlatformUser(
  deps: Deps,
  tenantId: string,
  personId: string,
): Promise<PlatformUserRights> {
  const { people } = await ask(deps.bus, listPeople, { tenantId, personId, limit: 1 });
  const [user] = await withPermissions(deps, tenantId, people);
  if (!user) throw notFound('person');
  const bots = await withTenant(deps.database, [tenantId], (tx) =>
    listIntegrationsOfTenant(tx, tenantId, { platform: user.platform, limit: maxBots }),
  );
  return { ...user, bots: await decideOn(deps, user, tenantId, bots.slice(0, maxBots)) };
}

/** The accounts that a user has linked, in this tenant only. */
async function accountsOf({ database }: Deps, tenantId: string, userId: string) {
  const rows = await withPlatform(database, 'accounts of a user', (tx) =>
    listLinksInTenant(tx, tenantId, { userId, limit: 50 }),
  );
  return rows.map(({ platform, platformUserId }) => ({ platform, platformUserId }));
}

async function withPermissions(
  { database }: Deps,
  tenantId: string,
  people: readonly PlatformPerson[],
): Promise<PlatformUser[]> {
  const permissions = await withTenant(database, [tenantId], (tx) =>
    listPeoplePermissions(tx, people, tenantId),
  );
  const owners = await withPlatform(database, 'owners of accounts', (tx) =>
    listOwnersInTenants(
      tx,
      people.map(({ platform, platformUserId }) => ({ tenantId, platform, platformUserId })),
    ),
  );
  const keyOf = (one: Pick<PlatformPerson, 'platform' | 'platformUserId'>) =>
    `${one.platform}/${one.platformUserId}`;
  const permissionsOf = new Map(permissions.map((one) => [keyOf(one), one]));
  const ownerOf = new Map(owners.map((one) => [keyOf(one), one.userId]));
  return people.map((person) => ({
    ...person,
    userId: ownerOf.get(keyOf(person)) ?? null,
    isMuted: permissionsOf.get(keyOf(person))?.isMuted ?? false,
    privateChatGrants: permissionsOf.get(keyOf(person))?.privateChatGrants ?? 0,
  }));
}

/** Limited concurrency, because each takes a connection. A private chat has its person's identifier. */
async function decideOn(
  deps: Deps,
  { platform, platformUserId, name }: PlatformUser,
  tenantId: string,
  bots: Awaited<ReturnType<typeof listIntegrationsOfTenant>>,
): Promise<PlatformUserRights['bots']> {
  const decided: PlatformUserRights['bots'] = [];
  const waiting = bots.entries();
  const work = async () => {
    for (const [place, { integration, botName }] of waiting) {
      const { botId } = integration;
      const chat = { platformChatId: platformUserId, kind: 'private' as const };
      const question = { tenantId, botId, platform, chat, senders: [{ platformUserId, name }] };
      const { refusals } = await admitMessages(deps, question);
      const refusal = refusals[0]?.refusal ?? null;
      decided[place] = { botId, name: botName, isHeard: refusal === null, refusal };
    }
  };
  await Promise.all(Array.from({ length: decidedAtOnce }, work));
  return decided;
}
