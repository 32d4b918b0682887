import type { CheckBody, Explanation } from '@botyard/contracts/http/authorization-edges';
import type { RequestFacts, Role } from '@botyard/shared/auth/caller';
import { unpolicedRouter } from '@botyard/shared/auth/policed';
import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { notFound } from '@botyard/shared/http/errors';
import { type BotRow, getBot } from '../../bots/store/bots.ts';
import { getLivingPerson, type NamedPerson } from '../../people/store/people.ts';
import type { Deps } from '../deps.ts';
import type { EdgeRow } from '../store/edges.ts';
import { listReached, listSteps, type Reached } from '../store/walk.ts';
import { findPath, isEnough } from './path.ts';
import { type ObjectReference, readObject, readSubject, toEdge } from './references.ts';

/**
 * Explains whether a person may do something in a tenant, and why. The decision is the one that the routes make, on
 * current data. A person whom the tenant doesn't know has no edge, whether they exist or not. @throws HttpError 404 for
 * an unknown object.
 */
export async function explainAccess(
  deps: Deps,
  { tenantId, request }: { tenantId: string; request: RequestFacts },
  body: CheckBody,
): Promise<Explanation> {
  const [object, { id: userId }] = [readObject(body.object), readSubject(body.subject)];
  const bot = await requireObject(deps, tenantId, object);
  const needed: Role = body.relation ?? (body.action === 'manage' ? 'admin' : 'member');
  const { person, reached } = await withPlatform(deps.database, 'explain access', async (tx) => ({
    person: await getLivingPerson(tx, userId),
    reached: await listReached(tx, { tenantId, userId }),
  }));
  const relation = relationTo(object, { tenantId, reached, needed });
  if (!person || !relation) return { allowed: false, reason: 'no edge' };
  const path = await pathTo(deps, { tenantId, userId, object, bot, needed });
  const policy =
    object.type === 'group'
      ? undefined
      : await refusingPolicy(deps, { tenantId, person, relation, request, bot }, body);
  if (policy) return { allowed: false, path, ...policy };
  return {
    allowed: true,
    path,
    reason: object.type === 'group' ? 'edges' : 'edges lead there, and no policy refuses',
  };
}

/** A group exists as soon as an edge names it; a missing one has no explanation. */
async function requireObject(
  deps: Deps,
  tenantId: string,
  { type, id }: ObjectReference,
): Promise<BotRow | null> {
  if (type === 'group') return null;
  if (type === 'tenant') {
    if (id !== tenantId) throw notFound('object');
    return null;
  }
  const bot = await withTenant(deps.database, [tenantId], (tx) => getBot(tx, tenantId, id));
  if (!bot) throw notFound('object');
  return bot;
}

/** The relation that a route would require: the one to the tenant if that is sufficient, else the one to the bot. */
function relationTo(
  object: ObjectReference,
  { tenantId, reached, needed }: { tenantId: string; reached: readonly Reached[]; needed: Role },
): Role | undefined {
  const best = (type: string, id: string): Role[] => {
    const relations = reached
      .filter((row) => row.object_type === type && row.object_id === id)
      .map((row) => row.relation)
      .filter((relation) => relation !== 'responder');
    return relations.includes('admin') ? ['admin'] : relations.slice(0, 1);
  };
  const ofTenant = object.type === 'group' ? [] : best('tenant', tenantId);
  return [...ofTenant, ...best(object.type, object.id)].find((relation) => isEnough(relation, needed));
}

async function pathTo(
  { database }: Deps,
  walk: { tenantId: string; userId: string; object: ObjectReference; bot: BotRow | null; needed: Role },
): Promise<Explanation['path']> {
  const { tenantId, object, bot, needed } = walk;
  const steps = await withTenant(database, [tenantId], (tx) => listSteps(tx, walk));
  const viaTenant = bot && findPath(steps, { type: 'tenant', id: tenantId, needed });
  const direct = findPath(steps, { ...object, needed });
  const path: EdgeRow[] | undefined = viaTenant ? [...viaTenant, ownerEdge(bot)] : direct;
  return path?.map(toEdge);
}

const ownerEdge = ({ tenantId, botId, createdAt }: BotRow): EdgeRow => ({
  edge_id: botId,
  subject_type: 'tenant',
  subject_id: tenantId,
  subject_relation: '',
  relation: 'owner',
  object_type: 'bot',
  object_id: botId,
  created_at: createdAt,
});

async function refusingPolicy(
  { policies }: Deps,
  access: {
    tenantId: string;
    person: NamedPerson;
    relation: Role;
    request: RequestFacts;
    bot: BotRow | null;
  },
  { relation, action, context }: CheckBody,
): Promise<Pick<Explanation, 'reason' | 'policy'> | undefined> {
  const { tenantId, person, request, bot } = access;
  const checkedAction = action ?? (relation === 'admin' ? 'manage' : 'read');
  const router = context.router ?? 'bots';
  if (router === unpolicedRouter) return undefined;
  const method = context.method ?? (checkedAction === 'manage' ? 'PUT' : 'GET');
  const [refusal] = await policies.decideAccess({
    caller: { userId: person.userId, idpUserId: person.idpUserId, isOperator: false },
    action: checkedAction,
    places: [{ tenantId, botId: bot?.botId ?? null, relation: access.relation }],
    request: { address: context.address ?? request.address, router, method },
    now: context.now === undefined ? undefined : new Date(context.now),
  });
  if (!refusal) return undefined;
  const [policy] = refusal.policies;
  const named = policy === undefined ? 'a policy' : `the policy "${policy}"`;
  const reason = refusal.reason === 'policy' ? `${named} refuses` : `${named} could not be evaluated`;
  return { reason, ...(policy === undefined ? {} : { policy }) };
}
