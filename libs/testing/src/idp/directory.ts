import { FakePlatform } from '../fake/fake-server.ts';
import {
  type IdpMembership,
  type IdpOrganization,
  type IdpSignInToken,
  type IdpUser,
  newMembership,
  newOrganization,
  newSignInToken,
  newUser,
  type PersonFields,
} from './records.ts';

/** The people and organizations that an identity provider keeps. */
export abstract class IdpDirectory extends FakePlatform {
  readonly users = new Map<string, IdpUser>();
  readonly organizations = new Map<string, IdpOrganization>();
  readonly memberships: IdpMembership[] = [];
  /** Tickets that were issued and not used yet, with their expiry. */
  readonly signInTokens = new Map<string, IdpSignInToken & { expiresAt: number }>();
  /** Set when the fake listens; set by the owner of a mounted fake. */
  issuer = 'http://idp.invalid';

  addUser(person: PersonFields = {}): IdpUser {
    const user = newUser(person);
    this.users.set(user.id, user);
    return user;
  }

  addOrganization(fields: { id?: string; name?: string; slug?: string } = {}): IdpOrganization {
    const organization = newOrganization(fields);
    this.organizations.set(organization.id, organization);
    return organization;
  }

  /** Throws if the user or the organization is unknown. A second membership of the same pair replaces the first. */
  addMembership(fields: { userId: string; orgId: string; role?: string }): IdpMembership {
    const user = this.users.get(fields.userId);
    const organization = this.organizations.get(fields.orgId);
    if (user === undefined || organization === undefined)
      throw new Error('the fake idp has no such user or organization');
    this.removeMembership(fields);
    const membership = newMembership(user, organization, fields.role ?? 'org:member');
    this.memberships.push(membership);
    return membership;
  }

  removeMembership({ userId, orgId }: { userId: string; orgId: string }): void {
    const at = this.memberships.findIndex((one) => isBetween(one, userId, orgId));
    if (at !== -1) this.memberships.splice(at, 1);
  }

  /** Also removes the user's memberships. */
  removeUser(userId: string): void {
    this.users.delete(userId);
    const kept = this.memberships.filter((one) => one.public_user_data.user_id !== userId);
    this.memberships.splice(0, this.memberships.length, ...kept);
  }

  addSignInToken(userId: string, expiresInSeconds: number): IdpSignInToken {
    const token = newSignInToken(userId, this.issuer);
    this.signInTokens.set(token.token, { ...token, expiresAt: token.created_at + expiresInSeconds * 1000 });
    return token;
  }
}

export function isBetween(membership: IdpMembership, userId: string, orgId: string): boolean {
  return membership.public_user_data.user_id === userId && membership.organization.id === orgId;
}
