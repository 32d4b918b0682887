import type { CreateIntegrationBody, UpdateIntegrationBody } from '@botyard/contracts/http/bot-integrations';
import type { PlatformName } from '@botyard/contracts/http/platform';
import { unprocessable } from '@botyard/shared/http/errors';
import type { Deps } from '../../deps.ts';
import type { SecretsChange, StoredSecrets } from '../../integrations/domain/sealed.ts';
import type { IntegrationKey, IntegrationRow } from '../../integrations/store/integrations.ts';
import { mailboxStatusOf, registrationOf } from '../../mail-domains/domain/mailbox-status.ts';
import { changeEmailSecrets, newEmailSecrets } from './email-secrets.ts';
import { changeMessengerSecrets, newMessengerSecrets } from './messenger-secrets.ts';

type Registration = Pick<IntegrationRow, 'provenDomain'> & ReturnType<typeof registrationOf>;
type ConnectedRow = Parameters<typeof mailboxStatusOf>[0] & Pick<IntegrationRow, 'isEnabled'>;

/** How a bot is connected to a platform. */
interface Connection<Name extends PlatformName> {
  /** The stored form of a new integration; its credentials are tested if the platform allows it. @throws HttpError 422, 503. */
  create(
    deps: Deps,
    key: IntegrationKey,
    body: Extract<CreateIntegrationBody, { integrationType: Name }>,
  ): Promise<StoredSecrets>;
  /** @throws HttpError as `create`, if there are new credentials. */
  change(deps: Deps, key: IntegrationKey, body: UpdateIntegrationBody): Promise<SecretsChange>;
  /** Whether the integration has to be registered at the platform again. */
  isRegisteredAnew(body: UpdateIntegrationBody): boolean;
  /** The effect of the tenant's proven domains on it. @throws HttpError 422 for an enabled one that could send nothing. */
  review(
    deps: Pick<Deps, 'mailerDomain'>,
    row: ConnectedRow,
    provenDomains: ReadonlySet<string>,
  ): Partial<Registration>;
}

/** By the types that a new integration can have; one without a connection does not compile, nor a platform without a type. */
const connections: { readonly [Name in CreateIntegrationBody['integrationType']]: Connection<Name> } = {
  messenger: {
    create: newMessengerSecrets,
    change: (deps, _key, body) => changeMessengerSecrets(deps, body),
    isRegisteredAnew: ({ credentials, settings }) =>
      credentials?.botToken !== undefined || settings?.messenger?.webhookSecretToken !== undefined,
    review: () => ({}),
  },
  email: {
    create: newEmailSecrets,
    change: changeEmailSecrets,
    isRegisteredAnew: () => false,
    review: ({ mailerDomain }, row, provenDomains) => {
      const { provenDomain, fault } = mailboxStatusOf(row, provenDomains, mailerDomain);
      if (fault !== null && row.isEnabled) throw unprocessable(fault);
      return { provenDomain, ...registrationOf(fault) };
    },
  },
};

export const connectionOf = (platform: PlatformName): Connection<PlatformName> =>
  connections[platform] as Connection<PlatformName>;
