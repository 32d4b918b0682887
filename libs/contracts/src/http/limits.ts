import { z } from 'zod';
import { id } from './common.ts';

const amount = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

/** How many of something there may be, or how many bytes of it. */
export const Limit = z
  .object({
    limit: amount.nullable().describe('What holds; `null` is unlimited.'),
    ownLimit: amount.nullable().describe('What an operator has set; `null`: the default holds.'),
    defaultLimit: amount.nullable().describe('The setting of the installation; `null` is unlimited.'),
    used: amount.describe('How much of it there is now.'),
  })
  .meta({ id: 'Limit', description: 'How many of something there may be, or how many bytes of it.' });
export type Limit = z.input<typeof Limit>;

export const TenantLimits = z
  .object({
    tenantId: id,
    bots: Limit.describe('The setting is `MAX_BOTS_PER_TENANT`.'),
    edges: Limit.describe(
      'Relationships and memberships together; the setting is `MAX_EDGES_PER_TENANT`. Memberships of the identity provider are counted and never refused.',
    ),
    groups: Limit.describe('Groups that a relationship names; the setting is `MAX_GROUPS_PER_TENANT`.'),
    mailBytes: Limit.nullable().describe(
      'Bytes of mails as they came and of their files; the setting is `TENANT_MAIL_BYTES`. `null`: the service that keeps them does not answer.',
    ),
    documentBytes: Limit.nullable().describe(
      'Bytes of documents as they were given; the setting is `TENANT_DOCUMENT_BYTES`. `null`: the service that keeps them does not answer.',
    ),
  })
  .meta({ id: 'TenantLimits', description: 'How much a tenant may have, with how much it has.' });
export type TenantLimits = z.input<typeof TenantLimits>;

const settable = (what: string) =>
  amount.nullable().optional().describe(`${what} that the tenant may have; \`null\`: back to the default.`);

export const SetTenantLimitsBody = z
  .object({
    bots: settable('Bots'),
    edges: settable('Relationships'),
    groups: settable('Groups'),
    mailBytes: settable('Bytes of mails and their files'),
    documentBytes: settable('Bytes of documents'),
  })
  .refine((given) => Object.values(given).some((value) => value !== undefined), 'set at least one limit');
export type SetTenantLimitsBody = z.output<typeof SetTenantLimitsBody>;

export const PersonLimits = z
  .object({
    userId: id,
    tenants: Limit.describe(
      'Tenants that the person has made and that are still there; the setting is `MAX_TENANTS_PER_PERSON`. Those that stand for their organizations are counted and never refused.',
    ),
  })
  .meta({ id: 'PersonLimits', description: 'How much one person may have, with how much they have.' });
export type PersonLimits = z.input<typeof PersonLimits>;

export const SetPersonLimitsBody = z.object({
  tenants: amount.nullable().describe('Tenants that the person may make; `null`: back to the default.'),
});
