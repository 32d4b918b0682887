import { accessChanged } from '@botyard/contracts/events/tenancy';
import type { AddMemberBody } from '@botyard/contracts/http/members';
import type { PageRequest } from '@botyard/contracts/http/page';
import type { Caller, Role } from '@botyard/shared/auth/caller';
import { type TenantTx, withPlatform, withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict } from '@botyard/shared/http/errors';
import { failpoint } from '@botyard/shared/service/failpoint';
import { requireRoom } from '../../limits/domain/limits.ts';
import { lockTenant, type TenantRow } from '../../store/tenants.ts';
import type { Deps } from '../deps.ts';
import {
  deleteMembership,
  getMembership,
  hasAdmin,
  insertMembership,
  listMemberships,
  type MembershipKey,
  type MembershipRow,
  searchMemberships,
  updateMembership,
} from '../store/memberships.ts';
import { getLivingPerson, listPeopleByIds, type NamedPerson } from '../store/people.ts';
import { getUserByIdpId, insertUser, type UserRow } from '../store/users.ts';

/** A membership with its person, with the data that the tenant's admins may see. */
export type MemberRow = MembershipRow & NamedPerson;

/** One more than the page's limit. */
export async function listMembers(
  { database }: Deps,
  { tenantId, caller }: { tenantId: string; caller: Caller },
  { q, ...page }: PageRequest & { q?: string | undefined },
): Promise<MemberRow[]> {
  const rows =
    q === undefined
      ? await withTenant(database, [tenantId], (tx) => listMemberships(tx, tenantId, page))
      : await withPlatform(database, 'search the people of a tenant', (tx) =>
          searchMemberships(tx, { tenantId, q, isForOperator: caller.isOperator }, page),
        );
  const ids = rows.map(({ userId }) => userId);
  const people = await withPlatform(database, 'people of a tenant', (tx) => listPeopleByIds(tx, ids));
  const byId = new Map(people.map((person) => [person.userId, person]));
  return rows.map((row) => toMemberRow(row, byId.get(row.userId)!, caller));
}

/** Until the person has visited the tenant, admins see only what they entered themselves. Operators see everything. */
function toMemberRow(
  row: MembershipRow,
  { userId, idpUserId, email, name }: NamedPerson,
  { isOperator }: Pick<Caller, 'isOperator'>,
): MemberRow {
  const isShown = isOperator || row.visitedAt !== null;
  return { ...row, userId, idpUserId, email: isShown ? email : null, name: isShown ? name : null };
}

/**
 * @throws HttpError 404 for an unknown person, 409 for a member or a tenant at its limit of edges, 503 as
 * `findOrMeetUser`.
 */
export async function addMember(
  deps: Deps,
  { tenantId, caller }: { tenantId: string; caller: Pick<Caller, 'userId' | 'isOperator'> },
  body: AddMemberBody,
): Promise<MemberRow> {
  const person = found(await findPerson(deps, body), 'user');
  const { userId, idpUserId } = person;
  const visitedAt = userId === caller.userId ? new Date() : null;
  const row = await withLockedTenant(deps, tenantId, async (tx, tenant) => {
    await requireRoom(deps, tx, { tenant, name: 'edges' });
    const added = await insertMembership(tx, { tenantId, userId, role: body.role, visitedAt });
    await deps.outbox.emit(tx, accessChanged, { idpUserId, tenantId });
    return added;
  });
  return toMemberRow(row, person, caller);
}

/** @throws HttpError 404 when the person is not a member. */
export async function getMember(
  { database }: Pick<Deps, 'database'>,
  { caller, ...key }: MembershipKey & { caller: Caller },
): Promise<MemberRow> {
  const row = found(await withTenant(database, [key.tenantId], (tx) => getMembership(tx, key)), 'member');
  const [person] = await withPlatform(database, 'find member', (tx) => listPeopleByIds(tx, [key.userId]));
  return toMemberRow(row, found(person, 'member'), caller);
}

/** @throws HttpError 404 when the person is not a member, 409 when they are the last admin. */
export async function changeMember(
  deps: Deps,
  { caller, ...key }: MembershipKey & { caller: Caller },
  role: Role,
): Promise<MemberRow> {
  const person = await findMember(deps, key);
  const row = await withLockedTenant(deps, key.tenantId, async (tx) => {
    const before = found(await getMembership(tx, key), 'member');
    if (before.role === role) return before;
    await updateMembership(tx, key, { role });
    if (before.role === 'admin') await requireAdmin(tx, key.tenantId);
    await deps.outbox.emit(tx, accessChanged, { idpUserId: person.idpUserId, tenantId: key.tenantId });
    return { ...before, role };
  });
  return toMemberRow(row, person, caller);
}

/** @throws HttpError 404 when the person is not a member, 409 when they are the last admin. */
export async function removeMember(deps: Deps, key: MembershipKey): Promise<void> {
  const { idpUserId } = await findMember(deps, key);
  await withLockedTenant(deps, key.tenantId, async (tx) => {
    const before = found(await deleteMembership(tx, key), 'member');
    if (before.role === 'admin') await requireAdmin(tx, key.tenantId);
    await deps.outbox.emit(tx, accessChanged, { idpUserId, tenantId: key.tenantId });
  });
}

/** Serializes changes of a tenant's people, so that the last admin is kept. */
export async function withLockedTenant<Result>(
  { database }: Pick<Deps, 'database'>,
  tenantId: string,
  work: (tx: TenantTx, tenant: TenantRow) => Promise<Result>,
): Promise<Result> {
  return await withTenant(database, [tenantId], async (tx) => {
    const tenant = found(await lockTenant(tx, tenantId), 'tenant');
    const result = await work(tx, tenant);
    await failpoint('tenancy.members.before-commit');
    return result;
  });
}

async function requireAdmin(tx: TenantTx, tenantId: string): Promise<void> {
  if (!(await hasAdmin(tx, tenantId))) throw conflict('a tenant needs an admin: this is its last one');
}

function findPerson(deps: Deps, { userId, idpUserId }: AddMemberBody): Promise<NamedPerson | undefined> {
  if (idpUserId !== undefined) return findOrMeetUser(deps, idpUserId);
  return withPlatform(deps.database, 'find person', (tx) => getLivingPerson(tx, userId ?? ''));
}

/** The person of a membership. People whom the tenant doesn't know are 404, whether they exist or not. */
async function findMember({ database }: Deps, key: MembershipKey): Promise<NamedPerson> {
  const membership = await withTenant(database, [key.tenantId], (tx) => getMembership(tx, key));
  const [person] = membership
    ? await withPlatform(database, 'find member', (tx) => listPeopleByIds(tx, [key.userId]))
    : [];
  return found(person, 'member');
}

/**
 * A known person, or one whom the identity provider knows and who is then added. `undefined` for one who was deleted
 * here, or is unknown. @throws HttpError 503 when the identity provider doesn't answer.
 */
export async function findOrMeetUser(
  deps: Pick<Deps, 'database' | 'idp'>,
  idpUserId: string,
): Promise<UserRow | undefined> {
  const read = () => withPlatform(deps.database, 'find user', (tx) => getUserByIdpId(tx, idpUserId));
  const storedUser = await read();
  if (storedUser) return storedUser;
  const idpUser = await deps.idp.findUser(idpUserId);
  if (!idpUser) return undefined;
  await withPlatform(deps.database, 'first sight of a user', (tx) => insertUser(tx, idpUser));
  return await read();
}
