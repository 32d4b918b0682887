import { Resealer, type ResealerOptions } from '@botyard/shared/work/resealer';
import { authorizationBinding } from './authorization.ts';
import { grantBinding } from './grants.ts';
import { clientSecretBinding } from './oauth-client.ts';

/** Seals the authorizations of servers anew after a rotation of `SECRETS_KEYS`. */
export const createResealer = (options: Omit<ResealerOptions, 'columns'>): Resealer =>
  new Resealer({
    ...options,
    columns: [
      {
        table: 'agents.tool_servers',
        column: 'sealed_value',
        id: { column: 'server_id', type: 'uuid' },
        bindingColumns: ['tenant_id', 'header_name', 'origin'],
        binding: ({
          tenant_id: tenantId = '',
          server_id: serverId = '',
          header_name: headerName = '',
          origin = '',
        }) => authorizationBinding({ tenantId, serverId, headerName, origin }),
      },
      {
        table: 'agents.tool_servers',
        column: 'sealed_client_secret',
        id: { column: 'server_id', type: 'uuid' },
        bindingColumns: ['tenant_id', 'client_id', 'origin'],
        binding: ({
          tenant_id: tenantId = '',
          server_id: serverId = '',
          client_id: clientId = '',
          origin = '',
        }) => clientSecretBinding({ tenantId, serverId, clientId, origin }),
      },
      {
        table: 'agents.server_grants',
        column: 'sealed_grant',
        id: { column: 'grant_id', type: 'uuid' },
        bindingColumns: ['tenant_id', 'server_id', 'person_id', 'issuer'],
        binding: ({
          tenant_id: tenantId = '',
          grant_id: grantId = '',
          server_id: serverId = '',
          person_id: personId,
          issuer = '',
        }) => grantBinding({ tenantId, grantId, serverId, personId: personId ?? null, issuer }),
      },
    ],
  });
