/** The fake identity provider's records, with the real one's field names; times are in milliseconds. */
import { randomUUID } from 'node:crypto';

export type IdpUser = {
  id: string;
  object: 'user';
  external_id: null;
  primary_email_address_id: string | null;
  username: string | null;
  first_name: string | null;
  last_name: string | null;
  image_url: string;
  has_image: boolean;
  email_addresses: {
    id: string;
    object: 'email_address';
    email_address: string;
    verification: { status: string; strategy: string };
  }[];
  phone_numbers: unknown[];
  external_accounts: unknown[];
  public_metadata: Record<string, unknown>;
  private_metadata: Record<string, unknown>;
  unsafe_metadata: Record<string, unknown>;
  banned: boolean;
  locked: boolean;
  last_sign_in_at: number | null;
  created_at: number;
  updated_at: number;
};

export type IdpOrganization = {
  id: string;
  object: 'organization';
  name: string;
  slug: string;
  image_url: string;
  max_allowed_memberships: number;
  admin_delete_enabled: boolean;
  public_metadata: Record<string, unknown>;
  private_metadata: Record<string, unknown>;
  created_by?: string;
  created_at: number;
  updated_at: number;
};

export type IdpMembership = {
  id: string;
  object: 'organization_membership';
  role: string;
  role_name: string;
  permissions: string[];
  organization: IdpOrganization;
  public_user_data: {
    user_id: string;
    first_name: string | null;
    last_name: string | null;
    image_url: string;
    has_image: boolean;
    identifier: string;
  };
  public_metadata: Record<string, unknown>;
  created_at: number;
  updated_at: number;
};

export type IdpSignInToken = {
  id: string;
  object: 'sign_in_token';
  status: 'pending' | 'accepted' | 'revoked';
  user_id: string;
  token: string;
  url: string;
  created_at: number;
  updated_at: number;
};

export type PersonFields = {
  id?: string;
  email?: string;
  firstName?: string;
  lastName?: string;
  username?: string;
};

function newId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll('-', '')}`;
}

/** Without an email address in `person`, the user gets one derived from the id; `email: ''` means none. */
export function newUser(person: PersonFields): IdpUser {
  const id = person.id ?? newId('user');
  const address = person.email ?? `${id}@example.test`;
  const emailId = newId('idn');
  const now = Date.now();
  const verification = { status: 'verified', strategy: 'email_code' };
  const emailAddresses = [
    { id: emailId, object: 'email_address' as const, email_address: address, verification },
  ];
  return {
    id,
    object: 'user',
    external_id: null,
    primary_email_address_id: address === '' ? null : emailId,
    username: person.username ?? null,
    first_name: person.firstName ?? null,
    last_name: person.lastName ?? null,
    image_url: '',
    has_image: false,
    email_addresses: address === '' ? [] : emailAddresses,
    phone_numbers: [],
    external_accounts: [],
    public_metadata: {},
    private_metadata: {},
    unsafe_metadata: {},
    banned: false,
    locked: false,
    last_sign_in_at: null,
    created_at: now,
    updated_at: now,
  };
}

export function newOrganization(fields: { id?: string; name?: string; slug?: string }): IdpOrganization {
  const id = fields.id ?? newId('org');
  const name = fields.name ?? id;
  const now = Date.now();
  return {
    id,
    object: 'organization',
    name,
    slug: fields.slug ?? name.toLowerCase().replace(/[^a-z0-9]+/g, '-'),
    image_url: '',
    max_allowed_memberships: 100,
    admin_delete_enabled: true,
    public_metadata: {},
    private_metadata: {},
    created_at: now,
    updated_at: now,
  };
}

export function newMembership(user: IdpUser, organization: IdpOrganization, role: string): IdpMembership {
  const now = Date.now();
  const { id, first_name, last_name, image_url, has_image } = user;
  const identifier = user.email_addresses[0]?.email_address ?? user.username ?? id;
  return {
    id: newId('orgmem'),
    object: 'organization_membership',
    role,
    role_name: role.replace(/^org:/, ''),
    permissions: [],
    organization,
    public_user_data: { user_id: id, first_name, last_name, image_url, has_image, identifier },
    public_metadata: {},
    created_at: now,
    updated_at: now,
  };
}

export function newSignInToken(userId: string, issuer: string): IdpSignInToken {
  const token = randomUUID().replaceAll('-', '');
  const now = Date.now();
  return {
    id: newId('sit'),
    object: 'sign_in_token',
    status: 'pending',
    user_id: userId,
    token,
    url: `${issuer}/v1/tickets/accept?ticket=${token}`,
    created_at: now,
    updated_at: now,
  };
}
