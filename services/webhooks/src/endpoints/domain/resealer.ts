import { integrationBinding } from '@botyard/contracts/events/tenancy';
import { Resealer, type ResealerOptions, type SealedColumn } from '@botyard/shared/work/resealer';

const ofEndpoints = (column: string): SealedColumn => ({
  table: 'webhooks.endpoints',
  column,
  id: { column: 'integration_id', type: 'uuid' },
  bindingColumns: ['tenant_id'],
  binding: ({ tenant_id: tenantId = '', integration_id: integrationId = '' }) =>
    integrationBinding({ tenantId, integrationId }),
});

/** Reseals the secrets of integrations after a rotation of `SECRETS_KEYS`. */
export const createResealer = (options: Omit<ResealerOptions, 'columns'>): Resealer =>
  new Resealer({
    ...options,
    columns: ['sealed_secrets', 'previous_sealed_secrets', 'renewed_secrets'].map(ofEndpoints),
  });
