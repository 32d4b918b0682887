import { integrationBinding } from '@botyard/contracts/events/tenancy';
import { Resealer, type ResealerOptions } from '@botyard/shared/work/resealer';
import { lookupKeyBinding } from './token-hash.ts';

/** Reseals this service's secrets after a rotation of `SECRETS_KEYS`. */
export const createResealer = (options: Omit<ResealerOptions, 'columns'>): Resealer =>
  new Resealer({
    ...options,
    columns: [
      {
        table: 'tenancy.integrations',
        column: 'sealed_secrets',
        id: { column: 'integration_id', type: 'uuid' },
        bindingColumns: ['tenant_id'],
        binding: ({ tenant_id: tenantId = '', integration_id: integrationId = '' }) =>
          integrationBinding({ tenantId, integrationId }),
      },
      {
        table: 'tenancy.lookup_keys',
        column: 'sealed_key',
        id: { column: 'purpose', type: 'text' },
        bindingColumns: [],
        binding: ({ purpose = '' }) => lookupKeyBinding(purpose),
      },
    ],
  });
