/**
 * The writes of the backend API that an operator's console needs, with the real one's answers, effects and refusals.
 */
import { randomUUID } from 'node:crypto';
import type { Answer, Call } from '../fake/fake-server.ts';
import type { IdpDirectory } from './directory.ts';
import type { IdpMembership, IdpOrganization } from './records.ts';

const roleShape = /^org:[a-z0-9_]+$/;

/** Returns `undefined` for an unknown path. */
export function writeBackend(idp: IdpDirectory, { method, path, params }: Call): Answer | undefined {
  const [collection, id, part, member] = path.replace(/^\/v1\//, '').split('/');
  if (collection === 'sign_in_tokens' && !id && method === 'POST') return createSignInToken(idp, params);
  if (collection === 'users' && id) return writeUser(idp, { method, id, part });
  if (collection !== 'organizations') return undefined;
  if (!id) return method === 'POST' ? createOrganization(idp, params) : undefined;
  const organization = idp.organizations.get(id);
  if (!organization) return notFound();
  if (part === 'memberships') return writeMembership(idp, { method, organization, member, params });
  return part === undefined ? writeOrganization(idp, { method, organization, params }) : undefined;
}

/** Valid once; the real one's client exchanges it for a session. */
function createSignInToken(idp: IdpDirectory, params: Call['params']): Answer {
  const { user_id: userId, expires_in_seconds: expiresInSeconds = 2_592_000 } = params;
  if (typeof expiresInSeconds !== 'number' || expiresInSeconds <= 0)
    return idpError(422, 'form_param_value_invalid', 'expires_in_seconds is not a number of seconds');
  if (typeof userId !== 'string' || !idp.users.has(userId)) return notFound();
  return ok(idp.addSignInToken(userId, expiresInSeconds));
}

function writeUser(
  idp: IdpDirectory,
  { method, id, part }: { method: string; id: string; part: string | undefined },
): Answer | undefined {
  const user = idp.users.get(id);
  if (!user) return notFound();
  if (method === 'DELETE' && part === undefined) {
    idp.removeUser(id);
    return ok({ id, object: 'user', deleted: true });
  }
  if (method !== 'POST' || (part !== 'ban' && part !== 'unban')) return undefined;
  return ok(Object.assign(user, { banned: part === 'ban', updated_at: after(user.updated_at) }));
}

function createOrganization(idp: IdpDirectory, { name, created_by: createdBy }: Call['params']): Answer {
  if (typeof name !== 'string' || name === '')
    return idpError(422, 'form_param_missing', 'name must be given');
  if (typeof createdBy !== 'string' || !idp.users.has(createdBy)) return notFound();
  const organization = idp.addOrganization({ name });
  organization.created_by = createdBy;
  idp.addMembership({ userId: createdBy, orgId: organization.id, role: 'org:admin' });
  return ok(organization);
}

function writeOrganization(
  idp: IdpDirectory,
  { method, organization, params }: { method: string; organization: IdpOrganization; params: Call['params'] },
): Answer | undefined {
  const { id, slug } = organization;
  if (method === 'DELETE') {
    idp.organizations.delete(id);
    const kept = idp.memberships.filter((one) => one.organization.id !== id);
    idp.memberships.splice(0, idp.memberships.length, ...kept);
    return ok({ id, object: 'organization', slug, deleted: true });
  }
  if (method !== 'PATCH') return undefined;
  const name = typeof params.name === 'string' ? params.name : organization.name;
  return ok(Object.assign(organization, { name, updated_at: after(organization.updated_at) }));
}

interface MembershipCall {
  method: string;
  organization: IdpOrganization;
  member: string | undefined;
  params: Call['params'];
}

function writeMembership(idp: IdpDirectory, call: MembershipCall): Answer | undefined {
  const { method, organization, member, params } = call;
  if (member === undefined) return method === 'POST' ? addMember(idp, organization, params) : undefined;
  const membership = membershipOf(idp, organization.id, member);
  if (!membership) return notFound();
  if (method === 'DELETE') {
    idp.removeMembership({ userId: member, orgId: organization.id });
    return ok(membership);
  }
  if (method !== 'PATCH') return undefined;
  if (!isRole(params.role)) return idpError(422, 'form_param_value_invalid', 'role is not one');
  return ok(Object.assign(membership, { role: params.role, updated_at: after(membership.updated_at) }));
}

function addMember(idp: IdpDirectory, organization: IdpOrganization, params: Call['params']): Answer {
  const { user_id: userId, role } = params;
  if (!isRole(role)) return idpError(422, 'form_param_value_invalid', 'role is not one');
  if (typeof userId !== 'string' || !idp.users.has(userId)) return notFound();
  if (membershipOf(idp, organization.id, userId)) {
    return idpError(400, 'already_a_member_in_organization', 'already a member');
  }
  const count = idp.memberships.filter((one) => one.organization.id === organization.id).length;
  if (count >= organization.max_allowed_memberships) {
    return idpError(403, 'organization_membership_quota_exceeded', 'no room');
  }
  return ok(idp.addMembership({ userId, orgId: organization.id, role }));
}

const isRole = (role: unknown): role is string => typeof role === 'string' && roleShape.test(role);
const membershipOf = (idp: IdpDirectory, orgId: string, userId: string): IdpMembership | undefined =>
  idp.memberships.find((one) => one.organization.id === orgId && one.public_user_data.user_id === userId);
const ok = (body: unknown): Answer => ({ status: 200, body });
const notFound = (): Answer => idpError(404, 'resource_not_found', 'not found');
/** A change is always newer than the changed record. */
const after = (updatedAt: number): number => Math.max(Date.now(), updatedAt + 1);

/** An error in the real one's format, with a trace id that must not reach outsiders. */
export function idpError(status: number, code: string, message: string): Answer {
  return {
    status,
    body: {
      errors: [{ message, long_message: message, code }],
      clerk_trace_id: randomUUID().replaceAll('-', ''),
    },
  };
}
