import type {
  CreateIntegrationBody,
  UpdateIntegrationBody,
} from '@botyard/shared/contracts/bot-integrations';
import { EmailSecrets } from '@botyard/shared/events/tenancy';
import { mask, Secret } from '@botyard/shared/secrets/secret';
import type { Deps } from '../../deps.ts';
import type { IntegrationKey } from '../../store/integrations.ts';
import { openSealed, type SecretsChange, type StoredSecrets, sealFor } from './sealed.ts';

type NewEmail = Extract<CreateIntegrationBody, { integrationType: 'email' }>;

/** Nothing is tried: a mailer has no question that only an owner's key could answer. */
export async function newEmailSecrets(
  deps: Deps,
  key: IntegrationKey,
  { credentials: { address, apiKey }, settings }: NewEmail,
): Promise<StoredSecrets> {
  const { webhookSigningKey, senderPolicy = 'authorized' } = settings?.email ?? {};
  const secrets = EmailSecrets.parse({ apiKey, webhookSigningKey, senderPolicy });
  return { ...(await protect(deps, key, address, secrets)), ...(await naming(deps, address)) };
}

export async function changeEmailSecrets(
  deps: Deps,
  { credentials, settings }: UpdateIntegrationBody,
): Promise<SecretsChange> {
  const moved = credentials?.address ? await naming(deps, credentials.address) : {};
  return async (row) => {
    const secrets = EmailSecrets.parse({
      ...EmailSecrets.parse(await openSealed(deps.keyring, row)),
      ...(credentials?.apiKey ? { apiKey: credentials.apiKey } : {}),
      ...settings?.email,
    });
    const address = credentials?.address ?? row.address ?? '';
    return { ...(await protect(deps, row, address, secrets)), ...moved };
  };
}

/** An address serves one integration. It shares the index of the tokens, none of which looks like it. */
const naming = async (deps: Deps, address: string) => ({
  address,
  tokenHash: await deps.hashToken(new Secret(address)),
});

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
