import type { IntegrationState } from '@botyard/contracts/events/tenancy';
import type { IntegrationRow } from '../store/integrations.ts';

/** An integration as it is announced to the webhooks service. */
export function toIntegrationState(row: IntegrationRow): IntegrationState {
  const { tenantId, integrationId, botId, integrationType, isEnabled, sealedSecrets, revision } = row;
  const { address, provenDomain } = row;
  return {
    ...{ tenantId, integrationId, botId, integrationType, isEnabled, sealedSecrets, revision },
    ...(address === null ? {} : { address }),
    ...(provenDomain === null ? {} : { provenDomain }),
  };
}
