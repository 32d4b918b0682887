/** The identity provider's records from its webhooks and its API, mapped to our own shapes. */

import type {
  IdentityMembership,
  IdentityOrganization,
  IdentityUser,
} from '@botyard/contracts/events/webhooks-identity';
import { z } from 'zod';

const maxNameLength = 200;
const maxEmailLength = 320;
/** Limit per person; further addresses are ignored. */
const maxAddresses = 100;
const latestMoment = 8.64e15;

/** Identifiers become parts of addresses and keys, so only this form is accepted. */
const idpId = z.string().regex(/^[\w-]{1,200}$/);
/** A broken optional field never makes a record unreadable. */
const lenientText = z.string().nullish().catch(null);

const User = z.object({
  id: idpId,
  first_name: lenientText,
  last_name: lenientText,
  username: lenientText,
  primary_email_address_id: lenientText,
  email_addresses: z.array(z.unknown()).catch([]).default([]),
  updated_at: z.unknown().optional(),
});

const EmailAddress = z.object({
  id: lenientText,
  email_address: z.string().min(1).max(maxEmailLength),
  verification: z.object({ status: z.string() }).nullish().catch(null),
});

const Organization = z.object({
  id: idpId,
  name: lenientText,
  created_by: idpId.nullish().catch(null),
  updated_at: z.unknown().optional(),
});

const Membership = z.object({
  id: idpId.nullish().catch(null),
  role: z.string(),
  organization: z.unknown().optional(),
  public_user_data: z.object({ user_id: idpId, first_name: lenientText, last_name: lenientText }),
  updated_at: z.unknown().optional(),
});

const Deleted = z.object({ id: idpId });

/** Returns `null` if the record is not a user. `happenedAt` replaces a missing time of the last change. */
export function readIdpUser(record: unknown, happenedAt: number): IdentityUser | null {
  const { data } = User.safeParse(record);
  if (!data) return null;
  return {
    idpUserId: data.id,
    email: emailOf(data),
    name: cleanText([data.first_name, data.last_name].filter(Boolean).join(' ')) ?? cleanText(data.username),
    updatedAt: readIdpMoment(data.updated_at) ?? happenedAt,
  };
}

export function readIdpOrganization(record: unknown, happenedAt: number): IdentityOrganization | null {
  const { data } = Organization.safeParse(record);
  if (!data) return null;
  return {
    idpOrgId: data.id,
    name: cleanText(data.name) ?? data.id,
    ...(data.created_by ? { createdBy: data.created_by } : {}),
    updatedAt: readIdpMoment(data.updated_at) ?? happenedAt,
  };
}

export function readIdpMembership(record: unknown, happenedAt: number): IdentityMembership | null {
  const { data } = Membership.safeParse(record);
  const organization = readIdpOrganization(data?.organization, happenedAt);
  if (!data || !organization) return null;
  const { user_id: idpUserId, first_name, last_name } = data.public_user_data;
  return {
    ...(data.id ? { idpMembershipId: data.id } : {}),
    role: data.role,
    updatedAt: readIdpMoment(data.updated_at) ?? happenedAt,
    user: { idpUserId, name: cleanText([first_name, last_name].filter(Boolean).join(' ')) },
    organization,
  };
}

/** The identifier in the short form of a deletion; `null` if it is missing, which the provider's schema allows. */
export function readDeletedId(record: unknown): string | null {
  return Deleted.safeParse(record).data?.id ?? null;
}

/**
 * Milliseconds since 1970. The provider's guide uses milliseconds and its schema's examples use seconds; every valid
 * time in milliseconds is above 1e11.
 */
export function readIdpMoment(value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) return null;
  const moment = Math.floor(value < 1e11 ? value * 1000 : value);
  return moment <= latestMoment ? moment : null;
}

/** The address that `readIdpUser` returns if the provider has verified it; else `null`. */
export function readVerifiedEmail(record: unknown): string | null {
  const { data } = User.safeParse(record);
  const address = data ? addressOf(data) : undefined;
  return address?.verification?.status === 'verified'
    ? cleanText(address.email_address, maxEmailLength)
    : null;
}

const emailOf = (user: z.output<typeof User>): string | null =>
  cleanText(addressOf(user)?.email_address, maxEmailLength);

/**
 * The primary address if it is in the list, otherwise the first verified one, otherwise none. An unverified address
 * is never picked by its position.
 */
function addressOf(user: z.output<typeof User>): z.output<typeof EmailAddress> | undefined {
  const addresses = user.email_addresses
    .slice(0, maxAddresses)
    .flatMap((entry) => EmailAddress.safeParse(entry).data ?? []);
  const primary = addresses.find(({ id }) => id != null && id === user.primary_email_address_id);
  const verified = addresses.find(({ verification }) => verification?.status === 'verified');
  return primary ?? verified;
}

/** Text that Postgres can store: no U+0000, no lone surrogate. */
function cleanText(text: string | null | undefined, maxLength = maxNameLength): string | null {
  return (
    text
      ?.slice(0, maxLength * 2)
      .replaceAll('\0', '')
      .trim()
      .slice(0, maxLength)
      .toWellFormed() || null
  );
}
