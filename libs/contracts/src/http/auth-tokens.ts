import { z } from 'zod';
import { id, moment, name } from './common.ts';
import { route } from './contract.ts';
import { Role } from './members.ts';
import { PageQuery } from './page.ts';

/** The prefix of every API token, so that people and leak scanners recognize one. */
export const apiTokenPrefix = 'byd_';

/** The prefix and 32 random bytes in base64url. The last character is one that 32 bytes can end with. */
export const apiTokenPattern = new RegExp(`^${apiTokenPrefix}[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$`);

/** Limit per tenant; expired tokens count until they are deleted. */
export const maxApiTokens = 50;

export const ApiToken = z
  .object({
    tokenId: id,
    name: z.string(),
    role: Role,
    maskedToken: z.string().describe('The last 4 characters.'),
    createdBy: id.nullable().describe('The person who made it; `null` once that person was deleted.'),
    creatorRole: Role.nullable().describe(
      "That person's own membership in the tenant as it stands now; `null`: none. The token does not depend on it.",
    ),
    createdAt: moment,
    lastUsedAt: moment.nullable().describe('To the minute; `null`: never.'),
    expiresAt: moment.nullable().describe('`null`: never. Once it is over, the token is refused.'),
  })
  .meta({
    id: 'ApiToken',
    description: 'A token by which a program of the tenant calls the API. The token itself is not shown.',
  });
export type ApiToken = z.input<typeof ApiToken>;

export const CreatedApiToken = ApiToken.extend({
  token: z.string().describe('Shown here only: nobody can show it again.'),
}).meta({
  id: 'CreatedApiToken',
  description: 'A new token, with the text of it: this is the only time that it is shown.',
});

export const CreateApiTokenBody = z
  .object({
    name: name.describe('What it is for: it is listed by this name.'),
    role: Role.describe('What it may do in the tenant, as a member or an admin does it.'),
    expiresAt: moment
      .nullable()
      .optional()
      .describe('A moment that is still to come. Without one it lives until it is revoked.'),
  })
  .meta({ examples: [{ name: 'Shop backend', role: 'admin', expiresAt: '2030-01-01T00:00:00Z' }] });
export type CreateApiTokenBody = z.output<typeof CreateApiTokenBody>;

/** The part of `/api/auth` that is about API tokens. */
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
      'Send it as `Authorization: Bearer byd_…`. It acts in this tenant only, with its role and under its policies, and never as an ' +
      'operator. What a person has to do (`x-callers: people`) is 403: API tokens, members, relationships, policies, approvals and the ' +
      'rules for them, erasures, linked accounts, and the end of the tenant. It outlives the membership of the person who made it. ' +
      `A tenant has ${maxApiTokens} at most; one more is 409 with \`code: limit_reached\`.`,
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
    summary: 'Revoke an API token. It is 401 everywhere within 1 s, and streams that it has open end.',
  }),
};
