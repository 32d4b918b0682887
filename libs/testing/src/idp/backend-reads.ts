/** The reads of the backend API. Users are a bare array; everything about organizations is `{ data, total_count }`. */
import type { IdpDirectory } from './directory.ts';
import type { IdpMembership, IdpOrganization, IdpUser } from './records.ts';

type Known = Pick<IdpDirectory, 'users' | 'organizations' | 'memberships'>;

/** Returns `undefined` for an unknown resource, which is a 404. */
export function readBackend(directory: Known, path: string, query: URLSearchParams): unknown {
  const [collection, id, part] = path.replace(/^\/v1\//, '').split('/');
  if (collection === 'users') return readUsers(directory, id, part, query);
  return collection === 'organizations' ? readOrganizations(directory, id, part, query) : undefined;
}

function readUsers(
  directory: Known,
  id: string | undefined,
  part: string | undefined,
  query: URLSearchParams,
): unknown {
  if (id === undefined) return page(matchingUsers(directory, query), query);
  if (id === 'count') return { object: 'total_count', total_count: matchingUsers(directory, query).length };
  const user = directory.users.get(id);
  if (user === undefined || part === undefined) return user;
  return part === 'organization_memberships' ? wrapped(ofUser(directory.memberships, id), query) : undefined;
}

function readOrganizations(
  directory: Known,
  id: string | undefined,
  part: string | undefined,
  query: URLSearchParams,
): unknown {
  if (id === undefined) return wrapped(ordered(matchingOrganizations(directory, query), query), query);
  const organization =
    directory.organizations.get(id) ?? [...directory.organizations.values()].find(({ slug }) => slug === id);
  if (organization === undefined || part === undefined) return organization;
  if (part !== 'memberships') return undefined;
  const members = directory.memberships.filter((one) => one.organization.id === organization.id);
  return wrapped(ordered(members, query), query);
}

function matchingOrganizations(directory: Known, query: URLSearchParams): IdpOrganization[] {
  const words = query.get('query')?.toLowerCase() ?? '';
  return [...directory.organizations.values()].filter(({ id, name, slug }) =>
    [id, name, slug].join(' ').toLowerCase().includes(words),
  );
}

/** Stored in the order of creation. */
const ordered = <T>(all: T[], query: URLSearchParams): T[] =>
  query.get('order_by') === '-created_at' ? all.toReversed() : all;

function ofUser(memberships: IdpMembership[], userId: string): IdpMembership[] {
  return memberships.filter((one) => one.public_user_data.user_id === userId);
}

/** Newest first, as the real one sorts by default. */
function matchingUsers(directory: Known, query: URLSearchParams): IdpUser[] {
  const addresses = [...query.getAll('email_address'), ...query.getAll('email_address[]')];
  const ids = [...query.getAll('user_id'), ...query.getAll('user_id[]')];
  const words = query.get('query')?.toLowerCase() ?? '';
  return [...directory.users.values()].reverse().filter((user) => {
    const own = user.email_addresses.map((one) => one.email_address);
    const text = [user.id, user.username, user.first_name, user.last_name, ...own].join(' ').toLowerCase();
    const isAsked = ids.length === 0 || ids.includes(user.id);
    return (
      isAsked &&
      text.includes(words) &&
      (addresses.length === 0 || own.some((one) => addresses.includes(one)))
    );
  });
}

function page<T>(all: T[], query: URLSearchParams): T[] {
  const limit = Math.min(500, Number(query.get('limit') ?? 10) || 10);
  const offset = Number(query.get('offset') ?? 0) || 0;
  return all.slice(offset, offset + limit);
}

function wrapped<T>(all: T[], query: URLSearchParams): { data: T[]; total_count: number } {
  return { data: page(all, query), total_count: all.length };
}
