import { z } from 'zod';
import { id } from './common.ts';

const amount = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

/** A limit on a number of items or bytes, with the current amount. */
export const Limit = z
  .object({
    limit: amount.nullable().describe('The limit in effect. `null`: unlimited.'),
    ownLimit: amount.nullable().describe('The limit set by an operator. `null`: the default applies.'),
    defaultLimit: amount
      .nullable()
      .describe("The default from the installation's settings. `null`: unlimited."),
    used: amount.describe('The current amount.'),
  })
  .meta({ id: 'Limit', description: 'A limit on a number of items or bytes, with the current amount.' });
export type Limit = z.input<typeof Limit>;

export const TenantLimits = z
  .object({
    tenantId: id,
    bots: Limit.describe('Number of bots. The default is the setting `MAX_BOTS_PER_TENANT`.'),
    edges: Limit.describe(
      'Number of relationships and memberships together. The default is the setting `MAX_EDGES_PER_TENANT`. Memberships of the identity provider are counted but never refused.',
    ),
    groups: Limit.describe(
      'Number of groups that relationships name. The default is the setting `MAX_GROUPS_PER_TENANT`.',
    ),
    mailBytes: Limit.nullable().describe(
      'Bytes of original emails and their files. The default is the setting `TENANT_MAIL_BYTES`. `null`: the service that stores them does not answer.',
    ),
    documentBytes: Limit.nullable().describe(
      'Bytes of original documents. The default is the setting `TENANT_DOCUMENT_BYTES`. `null`: the service that stores them does not answer.',
    ),
  })
  .meta({ id: 'TenantLimits', description: 'The limits of a tenant, with the current amounts.' });
export type TenantLimits = z.input<typeof TenantLimits>;

const settable = (what: string) =>
  amount.nullish().describe(`${what} that the tenant may have; \`null\` restores the default.`);

export const SetTenantLimitsBody = z
  .object({
    bots: settable('Bots'),
    edges: settable('Relationships'),
    groups: settable('Groups'),
    mailBytes: settable('Bytes of emails and their files'),
    documentBytes: settable('Bytes of documents'),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), 'must set at least one limit');
export type SetTenantLimitsBody = z.output<typeof SetTenantLimitsBody>;

export const PersonLimits = z
  .object({
    userId: id,
    tenants: Limit.describe(
      "Number of existing tenants that the person has created. The default is the setting `MAX_TENANTS_PER_PERSON`. Tenants that stand for the person's organizations are counted but never refused.",
    ),
  })
  .meta({ id: 'PersonLimits', description: 'The limits of one person, with the current amounts.' });
export type PersonLimits = z.input<typeof PersonLimits>;

export const SetPersonLimitsBody = z.object({
  tenants: amount
    .nullable()
    .describe('Number of tenants that the person may create; `null` restores the default.'),
});
