import { integrationBinding } from '@botyard/contracts/events/tenancy';
import { EmailSecrets } from '@botyard/contracts/platforms/email';
import { notFound } from '@botyard/shared/http/errors';
import type { Keyring } from '@botyard/shared/secrets/keyring';
import { Secret } from '@botyard/shared/secrets/secret';
import { EndpointCache } from '../../../endpoints/domain/endpoint-cache.ts';
import { type EndpointSource, type Endpoints, loadEndpoint } from '../../../endpoints/domain/endpoints.ts';
import type { EndpointRow } from '../../../endpoints/store/endpoints.ts';

/** The receiving and sending end of a bot's email. */
export interface Mailbox {
  tenantId: string;
  botId: string;
  integrationId: string;
  isEnabled: boolean;
  /** In lower case, without a `+`. */
  address: string;
  /** The domain of the address, if the tenant has proven that it owns it. */
  provenDomain: string | null;
  /** `null` means that deliveries are not verified (REQ-HOOK-2). */
  signingKey: Secret | null;
  /** `null` means that the installation's account sends. */
  apiKey: Secret | null;
  senderPolicy: EmailSecrets['senderPolicy'];
  /** Mailing lists whose mail is answered: list ids and addresses, in lower case. */
  allowedLists: readonly string[];
  /** Whether nothing has arrived for the address yet, according to the cached data. */
  isAwaitingFirstDelivery: boolean;
}

export interface Mailboxes {
  /** Resolves with `null` when the bot has none. @throws HttpError 503. */
  ofBot(botId: string): Promise<Mailbox | null>;
  /**
   * Finds a mailbox by its address, in lower case and without the part after a `+`. Resolves with `null` if there is
   * none. @throws HttpError 503.
   */
  ofAddress(address: string): Promise<Mailbox | null>;
}

/** Mailboxes are cached for 30 s, and invalidated immediately when they change. */
export function createMailboxes(
  options: EndpointSource & { keyring: Keyring; endpoints: Pick<Endpoints, 'listen'> },
): Mailboxes {
  const open = async (row: EndpointRow | undefined) =>
    row?.sealedSecrets && row.address ? await openMailbox(options.keyring, row, row.sealedSecrets) : null;
  const byBot = new EndpointCache<Mailbox>(async (botId) =>
    open(await loadEndpoint(options, { botId, integrationType: 'email' })),
  );
  const byAddress = new EndpointCache<Mailbox>(async (address) =>
    open(await loadEndpoint(options, { address })),
  );
  options.endpoints.listen({
    forget: (botId) => {
      byBot.forget(botId);
      // The changed address isn't known here. Changes are rare and reading is cheap, so all are invalidated.
      byAddress.forgetAll();
    },
    forgetAll: () => {
      byBot.forgetAll();
      byAddress.forgetAll();
    },
  });
  return {
    ofBot: (botId) => byBot.find(botId),
    ofAddress: (address) => byAddress.find(address),
  };
}

/** @throws Error when the sealed value was altered or belongs to another integration. */
async function openMailbox(keyring: Keyring, row: EndpointRow, sealed: string): Promise<Mailbox> {
  const opened = await keyring.open(sealed, integrationBinding(row));
  const { apiKey, webhookSigningKey, senderPolicy, allowedLists } = EmailSecrets.parse(
    JSON.parse(opened.reveal()),
  );
  const { tenantId, botId, integrationId, isEnabled, address, provenDomain, firstDeliveryAt } = row;
  return {
    tenantId,
    botId,
    integrationId,
    isEnabled,
    provenDomain,
    senderPolicy,
    allowedLists: allowedLists ?? [],
    address: address ?? '',
    isAwaitingFirstDelivery: firstDeliveryAt === null,
    signingKey: webhookSigningKey ? new Secret(webhookSigningKey) : null,
    apiKey: apiKey ? new Secret(apiKey) : null,
  };
}

/** The mailbox of a tenant's own bot. @throws HttpError 404, also for bots of other tenants; 503. */
export async function mailboxOfTenant(
  { mailboxes }: { mailboxes: Mailboxes },
  { tenantId, botId }: { tenantId: string; botId: string },
): Promise<Mailbox> {
  const mailbox = await mailboxes.ofBot(botId);
  if (mailbox?.tenantId !== tenantId) throw notFound('mailbox of the bot');
  return mailbox;
}
