import { operations } from '../operations.ts';
import type { GroupName, MadeCall } from '../planned-call.ts';
import { groupNames } from '../planned-call.ts';
import { canariesIn } from './canary.ts';
import type { Pool, Resource } from './pool.ts';
import type { World } from './world.ts';

/** The kinds of path parameters. `id` belongs to the collection before it. */
const kinds = new Set(operations.flatMap(({ params }) => params));
/** Kinds that belong to the caller if they appear in a list. Other kinds may be public. */
const ownedWhenSeen = new Set(['chatId', 'messageId', 'traceId', 'personId', 'groupId']);
const maxItems = 5;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function groupOf(caller: string): GroupName | undefined {
  return groupNames.find((group) => caller.startsWith(`${group}.`));
}

/** Returns the kind of a path parameter: its name, with the preceding collection for `id`. */
export function kindOf(path: string, param: string): string {
  if (param !== 'id') return param;
  const parts = path.split('/');
  return `${parts[parts.indexOf(':id') - 1]}/id`;
}

interface Called {
  path: string;
  operation: string;
}

/** Records the resources that a response has created, shown, deleted or published. */
export function learn(world: World, { path, operation }: Called, call: MadeCall): void {
  const { pool } = world;
  const { plan, status, json } = call;
  if (status >= 300) return;
  const group = groupOf(plan.caller);
  const named = plan.pathRefs.at(-1);
  if (plan.method === 'DELETE' && named !== undefined && path.split('/').at(-1)?.startsWith(':')) {
    const gone = pool.get(named);
    if (gone) gone.isDeleted = true;
  }
  notePublication(world, { path, operation }, call);
  if (group === undefined) return;
  const written = plan.body === undefined ? '' : call.sent.slice(call.path.length);
  pool.tell(
    group,
    foreignIn(pool, written, group).map(({ value }) => value),
  );
  const isMade = status === 201 || status === 202;
  const collection =
    path
      .split('/')
      .filter((part) => !part.startsWith(':'))
      .at(-1) ?? '';
  harvest(json, (name, value, at, { subject }) => {
    const kind = name === 'id' ? `${collection === 'copy' ? path.split('/').at(-3) : collection}/id` : name;
    const isOwned = uuid.test(value) && (isMade || ownedWhenSeen.has(kind)) && !/user/i.test(kind);
    // This edge makes a caller a member. Removing it would remove the caller.
    const isKept = pool.withValue(String(subject).replace('user:', ''))?.isKept === true;
    pool.add({ key: `${plan.number}:${at}`, kind, value, owner: isOwned ? group : undefined, isKept });
  });
}

/**
 * Records a publication. Published definitions are public with all their parts, so from a tenant's first publication
 * on, others may see its texts in definitions, but not its identifiers.
 */
function notePublication(
  { pool, name }: World,
  { path, operation }: Called,
  { plan, sent, text }: MadeCall,
): void {
  const group = groupOf(plan.caller);
  if (!path.startsWith('/api/definitions') || group === undefined) return;
  const words = plan.method === 'GET' ? [] : canariesIn(`${sent}${text}`, name).map(({ word }) => word);
  pool.write(group, words);
  if (!/^publish\w+Definition$/.test(operation)) return;
  pool.publish(plan.pathRefs.map((key) => pool.get(key)?.value ?? ''));
  pool.share(group);
}

type Found = (name: string, value: string, at: string, holder: Record<string, unknown>) => void;

/** Collects the identifiers in a response with their paths. Only the first items of long lists count. */
function harvest(value: unknown, found: Found, at = ''): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.slice(0, maxItems).entries()) harvest(item, found, `${at}/${index}`);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    const isId = typeof inner === 'string' && (kinds.has(name) || name === 'id');
    if (isId && /^[\w.-]{1,100}$/.test(inner))
      found(name, inner, `${at}/${name}`, value as Record<string, unknown>);
    else harvest(inner, found, `${at}/${name}`);
  }
}

/** Finds other groups' identifiers in a text that were never shown to this group. */
export function foreignIn(pool: Pool, text: string, group: GroupName | undefined): Resource[] {
  const values = new Set(text.match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi) ?? []);
  return [...values]
    .map((value) => pool.withValue(value))
    .filter((resource) => resource?.owner !== undefined && resource.owner !== group)
    .filter((resource) => resource !== undefined && !pool.isPublished(resource.value)) as Resource[];
}
