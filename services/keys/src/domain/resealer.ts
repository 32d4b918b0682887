import { Resealer, type ResealerOptions } from '@botyard/shared/work/resealer';
import { keyBinding } from './open-key.ts';

/** Reseals stored keys after a rotation of `SECRETS_KEYS`. */
export const createResealer = (options: Omit<ResealerOptions, 'columns'>): Resealer =>
  new Resealer({
    ...options,
    columns: [
      {
        table: 'keys.keys',
        column: 'sealed_key',
        id: { column: 'key_id', type: 'uuid' },
        bindingColumns: ['tenant_id', 'provider', 'host'],
        binding: ({ tenant_id: tenantId = '', key_id: keyId = '', provider = '', host = '' }) =>
          keyBinding({ tenantId, keyId, provider, host }),
      },
    ],
  });
