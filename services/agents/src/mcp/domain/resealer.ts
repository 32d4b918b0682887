import { Resealer, type ResealerOptions } from '@botyard/shared/work/resealer';
import { authorizationBinding } from './authorization.ts';

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
    ],
  });
