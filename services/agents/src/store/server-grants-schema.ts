import type { PlatformName } from '@botyard/contracts/http/platform';
import type { UserIdentity } from '@botyard/contracts/identity';
import { moment } from '@botyard/shared/db/columns';
import { index, integer, jsonb, text, unique, uniqueIndex, uuid } from '@botyard/shared/db/drizzle';
import { belongsTo } from './belongs-to.ts';
import { toolServers } from './integrations-schema.ts';
import { tenantTable } from './schema.ts';

/**
 * The access that a sign-in gave to the tenant's MCP server: one of an admin, and where people have accounts of their
 * own, one for each of them.
 */
export const serverGrants = tenantTable(
  'server_grants',
  ['grantId'],
  {
    grantId: uuid('grant_id').notNull(),
    serverId: uuid('server_id').notNull(),
    /** The person whose account it is; `null` for the admin's. */
    personId: uuid('person_id'),
    platform: text().$type<PlatformName>(),
    platformUserId: text('platform_user_id'),
    personName: text('person_name'),
    /** The authorization server. The tokens open for no other. */
    issuer: text().notNull(),
    /** Tokens, the client that they were issued to, and where they are renewed and revoked. */
    sealedGrant: text('sealed_grant').notNull(),
    /** When the access token ends; `null` if the authorization server doesn't say. */
    expiresAt: moment('expires_at'),
    /** From when on it is renewed; `null` if it can't be. */
    renewAt: moment('renew_at'),
    /** Until when one process alone renews it. */
    renewingUntil: moment('renewing_until'),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [
    unique('server_grants_by_person').on(table.tenantId, table.serverId, table.personId).nullsNotDistinct(),
    index('server_grants_of_person').on(table.tenantId, table.personId),
    uniqueIndex('server_grants_by_id').on(table.grantId),
    belongsTo('server_grants_of_server', table, toolServers, { serverId: 'serverId' }),
  ],
);

/** Sign-ins that are not completed. Only hashes of the state and the browser's secret are stored. */
export const serverSignIns = tenantTable(
  'server_sign_ins',
  ['stateHash'],
  {
    stateHash: text('state_hash').notNull(),
    /** The hash of the secret in the browser's cookie. */
    browserHash: text('browser_hash').notNull(),
    serverId: uuid('server_id').notNull(),
    /** The admin who began it; `null` for a person who came by a link. */
    identity: jsonb().$type<UserIdentity>(),
    /** The link by which the person came. */
    linkId: uuid('link_id'),
    /** The verifier of PKCE, the client, and the authorization server as it was found. */
    sealedSignIn: text('sealed_sign_in').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    uniqueIndex('server_sign_ins_by_state').on(table.stateHash),
    index('server_sign_ins_by_age').on(table.expiresAt),
    belongsTo('server_sign_ins_of_server', table, toolServers, { serverId: 'serverId' }),
  ],
);

/**
 * Links by which people connect their own accounts: at most one for a person and server. A link is opened once; after
 * the sign-in it holds the sealed tokens, which are used only once the person has confirmed them in the chat.
 */
export const serverLinks = tenantTable(
  'server_links',
  ['linkId'],
  {
    linkId: uuid('link_id').notNull(),
    serverId: uuid('server_id').notNull(),
    personId: uuid('person_id').notNull(),
    platform: text().$type<PlatformName>().notNull(),
    platformUserId: text('platform_user_id').notNull(),
    personName: text('person_name').notNull(),
    botId: uuid('bot_id').notNull(),
    /** The hash of the secret in the link's address; `null` once it was opened. */
    tokenHash: text('token_hash'),
    /** The hash of the code that the person sends in the chat; `null` before the sign-in. */
    codeHash: text('code_hash'),
    wrongCodes: integer('wrong_codes').notNull().default(0),
    /** The grant as it will be; `null` before the sign-in. */
    grantId: uuid('grant_id'),
    issuer: text(),
    /** The address of the server for which the tokens are. */
    url: text(),
    sealedGrant: text('sealed_grant'),
    grantExpiresAt: moment('grant_expires_at'),
    grantRenewAt: moment('grant_renew_at'),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    unique('server_links_by_person').on(table.tenantId, table.serverId, table.personId),
    uniqueIndex('server_links_by_token').on(table.tokenHash),
    index('server_links_by_age').on(table.expiresAt),
    belongsTo('server_links_of_server', table, toolServers, { serverId: 'serverId' }),
  ],
);
