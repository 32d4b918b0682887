import { randomBytes } from 'node:crypto';
import type { CreateIntegrationBody, UpdateIntegrationBody } from '@botyard/contracts/http/bot-integrations';
import { type PlatformName, platformDefinitions } from '@botyard/contracts/http/platform';
import type { SettingFields, SettingValue } from '@botyard/contracts/platforms/definition';
import { invalid, unprocessable } from '@botyard/shared/http/errors';
import { mask, Secret } from '@botyard/shared/secrets/secret';
import {
  openSealed,
  type SecretsChange,
  type StoredSecrets,
  sealFor,
} from '../../integrations/domain/sealed.ts';
import type { IntegrationKey, IntegrationRow } from '../../integrations/store/integrations.ts';
import { claimAddress, mailboxStatusOf, registrationOf } from '../../mail-domains/domain/mailbox-status.ts';
import type { Deps } from '../deps.ts';

type Texts = Readonly<Record<string, string>>;
type Settings = Readonly<Record<string, SettingValue>>;

/** The part of a body that belongs to a platform. */
interface Given {
  readonly credentials: Texts;
  readonly settings: Settings;
}

/**
 * Checks of accounts. Each returns the secrets that the platform reports about the account. @throws HttpError 422
 * rejected, 503 no answer. They run outside any transaction, so that no connection is occupied meanwhile. A platform
 * without an entry isn't checked.
 */
const trials: { readonly [Name in PlatformName]?: (deps: Deps, account: Secret) => Promise<Texts> } = {
  messenger: async ({ messenger }, botToken) => {
    const { username, platformBotId } = await messenger.getMe(botToken);
    return { botUsername: username, platformBotId };
  },
};

/**
 * The stored form of a new integration, whose account is checked. @throws HttpError 400 for a missing secret in
 * production, 409 for an address in a domain that another tenant has proven, 422 rejected, 503 no answer.
 */
export async function createSecrets(
  deps: Deps,
  key: IntegrationKey,
  { integrationType: type, ...body }: CreateIntegrationBody,
): Promise<StoredSecrets> {
  const { account: accountName = '', deliverySecret } = platformDefinitions[type];
  const made = deliverySecret && { [deliverySecret]: randomBytes(32).toString('base64url') };
  const part = readGiven(deps, type, body);
  const { accountSecrets, ...account } = await openAccount(
    deps,
    key,
    type,
    // A platform without accounts has one for each integration.
    part.credentials[accountName] ?? key.integrationId,
  );
  const settings = { ...made, ...part.settings };
  return { ...(await protect(deps, key, type, { ...part, settings, accountSecrets })), ...account };
}

/** @throws HttpError as `createSecrets`, if there is a new account. */
export async function changeSecrets(
  deps: Deps,
  key: IntegrationKey,
  type: PlatformName,
  body: UpdateIntegrationBody,
): Promise<SecretsChange> {
  const part = readGiven(deps, type, body);
  const changed = part.credentials[platformDefinitions[type].account ?? ''];
  const { accountSecrets, ...account } = changed ? await openAccount(deps, key, type, changed) : {};
  return async (row) => ({
    ...(await protect(deps, row, type, { ...part, accountSecrets, row })),
    ...account,
  });
}

/** Whether a change affects the platform: then the integration has to be registered there again. */
export function isRegisteredAnew(type: PlatformName, body: UpdateIntegrationBody): boolean {
  const { credentials, registersWebhook, shownWhole } = platformDefinitions[type];
  const fieldNames = Object.keys({ ...pick(body.credentials, credentials), ...body.settings?.[type] });
  return registersWebhook && fieldNames.some((name) => !shownWhole.includes(name));
}

/**
 * The effect of the tenant's proven domains on an integration. @throws HttpError 422 for an enabled one that could not
 * send.
 */
export function reviewConnection(
  { mailerDomain }: Pick<Deps, 'mailerDomain'>,
  type: PlatformName,
  row: Parameters<typeof mailboxStatusOf>[0] & Pick<IntegrationRow, 'isEnabled'>,
  provenDomains: ReadonlySet<string>,
) {
  if (!platformDefinitions[type].usesAddresses) return {};
  const { provenDomain, fault } = mailboxStatusOf(row, provenDomains, mailerDomain);
  if (fault !== null && row.isEnabled) throw unprocessable(fault);
  return { provenDomain, ...registrationOf(fault) };
}

/**
 * A delivery secret of `null` means none, and is stored as an empty text. @throws HttpError 400 for none in production.
 */
function readGiven(
  { isProduction }: Pick<Deps, 'isProduction'>,
  type: PlatformName,
  body: Pick<UpdateIntegrationBody, 'credentials' | 'settings'>,
): Given {
  const { credentials, settings, deliverySecret = '' } = platformDefinitions[type];
  const platformSettings = body.settings?.[type];
  const hasNone = platformSettings?.[deliverySecret] === null;
  if (hasNone && isProduction) {
    const message = 'must be a secret: an integration without one is for development and tests';
    throw invalid([{ path: ['settings', type, deliverySecret], message }]);
  }
  return {
    credentials: textsOf(pick(body.credentials, credentials)),
    settings: { ...pick(platformSettings, settings), ...(hasNone ? { [deliverySecret]: '' } : {}) },
  };
}

/**
 * The account, checked if the platform allows it. An address belongs to one integration: that of the tenant that has
 * proven its domain, or else the first one. It shares the index of the tokens, none of which looks like an address.
 */
async function openAccount(deps: Deps, { tenantId }: IntegrationKey, type: PlatformName, account: string) {
  const { usesAddresses } = platformDefinitions[type];
  const secret = new Secret(account);
  const accountSecrets = await trials[type]?.(deps, secret);
  if (usesAddresses) await claimAddress(deps, tenantId, account);
  return { accountSecrets, tokenHash: await deps.hashToken(secret), address: usesAddresses ? account : null };
}

/** Seals and masks the given texts, together with those of the row. */
async function protect(
  { keyring }: Deps,
  key: IntegrationKey,
  type: PlatformName,
  {
    credentials,
    settings,
    accountSecrets,
    row,
  }: Given & { accountSecrets?: Texts | undefined; row?: IntegrationRow },
): Promise<Pick<StoredSecrets, 'sealedSecrets' | 'maskedCredentials' | 'maskedSettings'>> {
  const definition = platformDefinitions[type];
  const kept = row && definition.secrets.parse(await openSealed(keyring, row));
  const secrets = definition.secrets.parse({ ...kept, ...credentials, ...settings, ...accountSecrets });
  const shown = (name: string, text: string) => (definition.shownWhole.includes(name) ? text : mask(text));
  return {
    sealedSecrets: await sealFor(keyring, key, secrets),
    maskedCredentials: { ...row?.maskedCredentials, ...mapTexts(credentials, shown) },
    maskedSettings: {
      [type]: mapTexts(pick(secrets, definition.settings), (name, setting) => {
        if (typeof setting !== 'string') return setting;
        return setting === '' ? null : shown(name, setting);
      }),
    },
  };
}

/** The given settings that have a field. */
const pick = (
  settings: Readonly<Record<string, unknown>> | undefined = {},
  { shape }: SettingFields,
): Settings =>
  Object.fromEntries(
    Object.entries(settings).filter(
      (entry): entry is [string, SettingValue] =>
        entry[0] in shape &&
        (typeof entry[1] === 'string' || (typeof entry[1] === 'object' && entry[1] !== null)),
    ),
  );

const textsOf = (settings: Settings): Texts =>
  Object.fromEntries(
    Object.entries(settings).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );

const mapTexts = <Given, Shown>(
  texts: Readonly<Record<string, Given>>,
  to: (name: string, text: Given) => Shown,
): Record<string, Shown> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, to(name, text)]));
