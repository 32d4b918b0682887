import { EmailSecrets } from '@botyard/contracts/events/tenancy';
import type { CreateIntegrationBody, UpdateIntegrationBody } from '@botyard/contracts/http/bot-integrations';
import { mask, Secret } from '@botyard/shared/secrets/secret';
import type { Deps } from '../../deps.ts';
import {
  openSealed,
  type SecretsChange,
  type StoredSecrets,
  sealFor,
} from '../../integrations/domain/sealed.ts';
import type { IntegrationKey } from '../../integrations/store/integrations.ts';
import { claimAddress } from '../../mail-domains/domain/mailbox-status.ts';

type NewEmail = Extract<CreateIntegrationBody, { integrationType: 'email' }>;

/** Nothing is tried: a mailer has no question that only an owner's key could answer. */
export async function newEmailSecrets(
  deps: Deps,
  key: IntegrationKey,
  { credentials: { address, apiKey }, settings }: NewEmail,
): Promise<StoredSecrets> {
  const { webhookSigningKey, senderPolicy = 'authorized' } = settings?.email ?? {};
  const secrets = EmailSecrets.parse({ apiKey, webhookSigningKey, senderPolicy });
  const named = await naming(deps, key.tenantId, address);
  return { ...(await protect(deps, key, address, secrets)), ...named };
}

export async function changeEmailSecrets(
  deps: Deps,
  { tenantId }: IntegrationKey,
  { credentials, settings }: UpdateIntegrationBody,
): Promise<SecretsChange> {
  const moved = credentials?.address ? await naming(deps, tenantId, credentials.address) : {};
  return async (row) => {
    const secrets = EmailSecrets.parse({
      ...EmailSecrets.parse(await openSealed(deps.keyring, row)),
      ...(credentials?.apiKey ? { apiKey: credentials.apiKey } : {}),
      ...settings?.email,
    });
    const address = credentials?.address ?? row.address ?? row.maskedCredentials.address ?? '';
    return { ...(await protect(deps, row, address, secrets)), ...moved };
  };
}

/**
 * An address serves one integration: that of the tenant that has proven its domain, else the first one. It shares the
 * index of the tokens, none of which looks like it.
 */
async function naming(deps: Deps, tenantId: string, address: string) {
  await claimAddress(deps, tenantId, address);
  return { address, tokenHash: await deps.hashToken(new Secret(address)) };
}

async function protect(
  { keyring }: Deps,
  key: IntegrationKey,
  address: string,
  secrets: EmailSecrets,
): Promise<Pick<StoredSecrets, 'sealedSecrets' | 'maskedCredentials' | 'maskedSettings'>> {
  const { apiKey, webhookSigningKey, senderPolicy } = secrets;
  return {
    sealedSecrets: await sealFor(keyring, key, secrets),
    maskedCredentials: { address, ...(apiKey ? { apiKey: mask(apiKey) } : {}) },
    maskedSettings: {
      email: { senderPolicy, ...(webhookSigningKey ? { webhookSigningKey: mask(webhookSigningKey) } : {}) },
    },
  };
}
