import { z } from 'zod';
import { id, moment, name } from './common.ts';
import { route } from './contract.ts';
import { Role } from './members.ts';
import { PageQuery } from './page.ts';

/** The prefix of every API token, by which people and leak scanners recognize one. */
export const apiTokenPrefix = 'byd_';

/** The prefix and 32 random bytes in base64url. The last character is limited to those that 32 bytes can produce. */
export const apiTokenPattern = new RegExp(`^${apiTokenPrefix}[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$`);

/** Limit per tenant; expired tokens count until they are deleted. */
export const maxApiTokens = 50;

const ApiToken = z
  .object({
    tokenId: id,
    name: z.string(),
    role: Role,
    maskedToken: z.string().describe('The token with all but its last 4 characters masked.'),
    createdBy: id
      .nullable()
      .describe('The person who created the token; `null` if that person has been deleted.'),
    creatorRole: Role.nullable().describe(
      "That person's current role in the tenant; `null` if they have none. The token does not depend on it.",
    ),
    createdAt: moment,
    lastUsedAt: moment.nullable().describe('When the token was last used, to the minute; `null` if never.'),
    expiresAt: moment
      .nullable()
      .describe('When the token expires and is no longer accepted; `null` if it does not expire.'),
  })
  .meta({
    id: 'ApiToken',
    description: 'A token with which a program of the tenant calls the API. The token itself is not shown.',
  });

const CreatedApiToken = ApiToken.extend({
  token: z
    .string()
    .describe('The token itself. It is shown only in this response and cannot be retrieved later.'),
}).meta({
  id: 'CreatedApiToken',
  description: 'A new API token, including the token itself, which is shown only once.',
});

export const CreateApiTokenBody = z
  .object({
    name: name.describe('A name that describes the purpose of the token.'),
    role: Role.describe('The role in which the token acts in the tenant.'),
    expiresAt: moment
      .nullable()
      .optional()
      .describe(
        'When the token expires; must be in the future. Omit it for a token that is valid until it is revoked.',
      ),
  })
  .meta({ examples: [{ name: 'Shop backend', role: 'admin', expiresAt: '2030-01-01T00:00:00Z' }] });
export type CreateApiTokenBody = z.output<typeof CreateApiTokenBody>;

/** The routes of `/api/auth` for API tokens. */
export const authTokenRoutes = {
  listApiTokens: route({
    method: 'get',
    path: '/tokens',
    access: 'admin',
    acceptsTokens: false,
    summary: "List the tenant's API tokens, masked.",
    query: PageQuery,
    response: z.array(ApiToken),
    paged: true,
  }),
  createApiToken: route({
    method: 'post',
    path: '/tokens',
    access: 'admin',
    acceptsTokens: false,
    summary: 'Create an API token for a program of the tenant.',
    description:
      'Send the token as `Authorization: Bearer byd_…`. It acts only in this tenant, with its role and subject ' +
      "to the tenant's policies, and never as an operator. Operations reserved for people (`x-callers: people`) " +
      'return 403: those on API tokens, members, relationships, policies, approvals and their rules, erasures, ' +
      'linked accounts, and deleting the tenant. The token stays valid when the person who created it leaves ' +
      `the tenant. Returns 409 if the tenant already has ${maxApiTokens} tokens.`,
    body: CreateApiTokenBody,
    response: CreatedApiToken,
    status: 201,
    errors: [409],
  }),
  deleteApiToken: route({
    method: 'delete',
    path: '/tokens/:tokenId',
    access: 'admin',
    acceptsTokens: false,
    summary: 'Revoke an API token. Within 1 s, requests with it return 401 and its open streams end.',
  }),
};
