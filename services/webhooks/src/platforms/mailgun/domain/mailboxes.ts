import { integrationBinding } from '@botyard/contracts/events/tenancy';
import { endpointChanged } from '@botyard/contracts/events/webhooks';
import { EmailSecrets } from '@botyard/contracts/platforms/email';
import { watch } from '@botyard/shared/bus/broadcast';
import type { Bus } from '@botyard/shared/bus/bus';
import { notFound } from '@botyard/shared/http/errors';
import type { Keyring } from '@botyard/shared/secrets/keyring';
import { Secret } from '@botyard/shared/secrets/secret';
import type { Deps } from '../../../deps.ts';
import { EndpointCache } from '../../../endpoints/domain/endpoint-cache.ts';
import { type EndpointSource, loadEndpoint } from '../../../endpoints/domain/endpoints.ts';
import type { EndpointRow } from '../../../endpoints/store/endpoints.ts';

/** The receiving and sending end of a bot's e-mail. */
export interface Mailbox {
  tenantId: string;
  botId: string;
  integrationId: string;
  isEnabled: boolean;
  /** In lower case, without a `+`. */
  address: string;
  /** The domain of the address, where the tenant has proven it. */
  provenDomain: string | null;
  /** `null`: what is delivered is not verified (REQ-HOOK-2). */
  signingKey: Secret | null;
  /** `null`: the installation's account sends. */
  apiKey: Secret | null;
  senderPolicy: EmailSecrets['senderPolicy'];
  /** Nothing has come for the address yet, as far as is remembered. */
  isAwaitingFirstDelivery: boolean;
}

export interface Mailboxes {
  /** `null` when the bot has none. @throws HttpError 503. */
  ofBot(botId: string): Promise<Mailbox | null>;
  /**
   * Finds a mailbox by its address, in lower case and without the part after a `+`. `null` if there is none. @throws
   * HttpError 503.
   */
  ofAddress(address: string): Promise<Mailbox | null>;
  forget(botId: string): void;
  /** Drops what other instances changed. Called once the bus is there. */
  follow(bus: Bus): void;
}

/** Mailboxes are remembered for 30 s, and forgotten at once when one is changed. */
export function createMailboxes(options: EndpointSource & { keyring: Keyring }): Mailboxes {
  const open = async (row: EndpointRow | undefined) =>
    row?.sealedSecrets && row.address ? await openMailbox(options.keyring, row, row.sealedSecrets) : null;
  const byBot = new EndpointCache<Mailbox>(async (botId) =>
    open(await loadEndpoint(options, { botId, integrationType: 'email' })),
  );
  const byAddress = new EndpointCache<Mailbox>(async (address) =>
    open(await loadEndpoint(options, { address })),
  );
  const forget = (botId: string) => {
    byBot.forget(botId);
    // Which address changed isn't told: a change is rare, and reading anew is cheap.
    byAddress.forgetAll();
  };
  return {
    forget,
    ofBot: (botId) => byBot.find(botId),
    ofAddress: (address) => byAddress.find(address),
    follow: (bus) =>
      watch(bus, endpointChanged, {
        onEvent: ({ botId }) => forget(botId),
        onGap: () => {
          byBot.forgetAll();
          byAddress.forgetAll();
        },
      }),
  };
}

/** @throws Error when the sealed value was altered or belongs to another integration. */
async function openMailbox(keyring: Keyring, row: EndpointRow, sealed: string): Promise<Mailbox> {
  const opened = await keyring.open(sealed, integrationBinding(row));
  const { apiKey, webhookSigningKey, senderPolicy } = EmailSecrets.parse(JSON.parse(opened.reveal()));
  const { tenantId, botId, integrationId, isEnabled, address, provenDomain, firstDeliveryAt } = row;
  return {
    ...{ tenantId, botId, integrationId, isEnabled, provenDomain, senderPolicy },
    address: address ?? '',
    isAwaitingFirstDelivery: firstDeliveryAt === null,
    signingKey: webhookSigningKey ? new Secret(webhookSigningKey) : null,
    apiKey: apiKey ? new Secret(apiKey) : null,
  };
}

/** The mailbox of a tenant's own bot. @throws HttpError 404, for the bots of others too; 503. */
export async function mailboxOfTenant(
  { mailboxes }: Pick<Deps, 'mailboxes'>,
  { tenantId, botId }: { tenantId: string; botId: string },
): Promise<Mailbox> {
  const mailbox = await mailboxes.ofBot(botId);
  if (mailbox?.tenantId !== tenantId) throw notFound('mailbox of the bot');
  return mailbox;
}
