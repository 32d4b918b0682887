import type { UserIdentity } from '@botyard/contracts/identity';
import { moment } from '@botyard/shared/db/columns';
import { foreignKey, index, jsonb, text, unique, uniqueIndex, uuid } from '@botyard/shared/db/drizzle';
import { toolServers } from './integrations-schema.ts';
import { tenantTable } from './schema.ts';

/** The access that an admin's sign-in gave to the tenant's MCP server: one for a server. */
export const serverGrants = tenantTable(
  'server_grants',
  ['grantId'],
  {
    grantId: uuid('grant_id').notNull(),
    serverId: uuid('server_id').notNull(),
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
    unique('server_grants_by_server').on(table.tenantId, table.serverId),
    uniqueIndex('server_grants_by_id').on(table.grantId),
    foreignKey({
      name: 'server_grants_of_server',
      columns: [table.tenantId, table.serverId],
      foreignColumns: [toolServers.tenantId, toolServers.serverId],
    }).onDelete('cascade'),
  ],
);

/** Sign-ins that admins have begun and not completed. Only hashes of the state and the browser's secret are stored. */
export const serverSignIns = tenantTable(
  'server_sign_ins',
  ['stateHash'],
  {
    stateHash: text('state_hash').notNull(),
    /** The hash of the secret in the browser's cookie. */
    browserHash: text('browser_hash').notNull(),
    serverId: uuid('server_id').notNull(),
    /** The admin who began it. */
    identity: jsonb().$type<UserIdentity>().notNull(),
    /** The verifier of PKCE, the client, and the authorization server as it was found. */
    sealedSignIn: text('sealed_sign_in').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    uniqueIndex('server_sign_ins_by_state').on(table.stateHash),
    index('server_sign_ins_by_age').on(table.expiresAt),
    foreignKey({
      name: 'server_sign_ins_of_server',
      columns: [table.tenantId, table.serverId],
      foreignColumns: [toolServers.tenantId, toolServers.serverId],
    }).onDelete('cascade'),
  ],
);
