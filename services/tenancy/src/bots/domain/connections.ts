import { randomBytes } from 'node:crypto';
import type { CreateIntegrationBody, UpdateIntegrationBody } from '@botyard/contracts/http/bot-integrations';
import { type PlatformName, platformDefinitions } from '@botyard/contracts/http/platform';
import type { SettingFields, SettingValue } from '@botyard/contracts/platforms/definition';
import { invalid, unprocessable } from '@botyard/shared/http/errors';
import type { Keyring } from '@botyard/shared/secrets/keyring';
import { mask } from '@botyard/shared/secrets/secret';
import type { z } from 'zod';
import {
  type AccountColumns,
  openSealed,
  type SecretsChange,
  type StoredSecrets,
  sealFor,
} from '../../integrations/domain/sealed.ts';
import { tryAccount } from '../../integrations/domain/try-account.ts';
import type { IntegrationKey, IntegrationRow } from '../../integrations/store/integrations.ts';
import { claimAddress, mailboxStatusOf, registrationOf } from '../../mail-domains/domain/mailbox-status.ts';
import type { Deps } from '../deps.ts';

type Texts = Readonly<Record<string, string>>;
type Settings = Readonly<Record<string, SettingValue | null>>;

/** The part of a body that belongs to a platform. */
interface Given {
  readonly credentials: Texts;
  readonly settings: Settings;
}

/** The result of credentials, with the findings of their trial. */
export interface Tried<Result> {
  result: Result;
  warnings: readonly string[];
}

/**
 * The stored form of a new integration, whose account is checked. @throws HttpError 400 for a missing secret in
 * production, 409 for an address in a domain that another tenant has proven, 422 rejected, 503 no answer.
 */
export async function createSecrets(
  deps: Deps,
  key: IntegrationKey,
  { integrationType: type, ...body }: CreateIntegrationBody,
): Promise<Tried<StoredSecrets>> {
  const { deliverySecret } = platformDefinitions[type];
  const made = deliverySecret && { [deliverySecret]: randomBytes(32).toString('base64url') };
  const part = readGiven(deps, type, body);
  const settings = { ...made, ...part.settings };
  const { accountSecrets, columns, warnings } = await openAccount(deps, key, type, { ...part, settings });
  const secrets = await protect(deps, key, type, { ...part, settings, accountSecrets });
  return { result: { ...secrets, ...columns }, warnings };
}

/**
 * @throws HttpError as `createSecrets`, if there are other credentials, and 400 without all of them for an integration
 * that has none left.
 */
export async function changeSecrets(
  deps: Deps,
  row: IntegrationRow,
  body: UpdateIntegrationBody,
): Promise<Tried<SecretsChange>> {
  const type = row.integrationType;
  const part = readGiven(deps, type, body);
  const account = isOfAccount(type, part)
    ? await openAccount(deps, row, type, await withKept(deps, row, part))
    : undefined;
  const accountSecrets = account?.accountSecrets;
  const change: SecretsChange = async (lockedRow) => ({
    ...(await protect(deps, lockedRow, type, { ...part, accountSecrets, row: lockedRow })),
    ...account?.columns,
  });
  return { result: change, warnings: account?.warnings ?? [] };
}

/** Whether credentials changed that are more than a name to be shown. */
const isOfAccount = (type: PlatformName, { credentials }: Given): boolean => {
  const { accountCredential, secrets } = platformDefinitions[type];
  const names = Object.keys(credentials);
  if (accountCredential !== undefined) return names.includes(accountCredential);
  return names.some((name) => name in secrets.shape);
};

/** The stored credentials and settings with the changed ones. @throws HttpError 400 for a missing credential. */
async function withKept({ keyring }: Deps, row: IntegrationRow, part: Given): Promise<Given> {
  const { credentials, settings, secrets } = platformDefinitions[row.integrationType];
  const kept = (await openSealed(keyring, row)) as Readonly<Record<string, unknown>>;
  const all = { ...textsOf(pick(kept, credentials)), ...part.credentials };
  const missing = Object.entries(credentials.shape).filter(
    ([name, field]) => name in secrets.shape && !(name in all) && !field.safeParse(undefined).success,
  );
  const message = 'is required: the integration has no credentials any more';
  if (missing.length > 0) throw invalid(missing.map(([name]) => ({ path: ['credentials', name], message })));
  return { credentials: all, settings: { ...pick(kept, settings), ...part.settings } };
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
  const { credentials, settings, secrets, deliverySecret = '' } = platformDefinitions[type];
  const platformSettings = body.settings?.[type];
  const hasNone = platformSettings?.[deliverySecret] === null;
  if (hasNone && isProduction) {
    const message = 'must be a secret: an integration without one is for development and tests';
    throw invalid([{ path: ['settings', type, deliverySecret], message }]);
  }
  return {
    credentials: textsOf(pick(body.credentials, credentials)),
    settings: {
      ...pick(platformSettings, settings),
      ...removedOf(platformSettings, secrets),
      ...(hasNone ? { [deliverySecret]: '' } : {}),
    },
  };
}

/**
 * The account of credentials, which are tried if a credential doesn't name it. An address belongs to one integration:
 * that of the tenant that has proven its domain, or else the first one.
 */
async function openAccount(
  deps: Deps,
  key: IntegrationKey,
  type: PlatformName,
  part: Given,
): Promise<{ accountSecrets: Texts; columns: AccountColumns; warnings: readonly string[] }> {
  const { accountCredential, credentials, usesAddresses } = platformDefinitions[type];
  // A platform without credentials has no accounts of its own: each integration is one.
  if (Object.keys(credentials.shape).length === 0)
    return { accountSecrets: {}, columns: accountColumns(key.integrationId, null), warnings: [] };
  if (accountCredential === undefined) {
    const { accountId, secrets, warnings } = await tryAccount(deps, key, type, part);
    return { accountSecrets: secrets, columns: accountColumns(accountId, null), warnings };
  }
  const accountId = part.credentials[accountCredential]!;
  if (usesAddresses) await claimAddress(deps, key.tenantId, accountId);
  return {
    accountSecrets: {},
    columns: accountColumns(accountId, usesAddresses ? accountId : null),
    warnings: [],
  };
}

/** Platforms may count whole seconds: their news of the second in which it was connected is no older. */
export const accountColumns = (accountId: string, address: string | null): AccountColumns => ({
  accountId,
  address,
  tokenHash: null,
  accountState: 'active',
  accountReason: null,
  accountChangedAt: new Date(Math.floor(Date.now() / 1000) * 1000),
});

/** Seals and masks the given texts, together with those of the row. */
async function protect(
  { keyring }: Pick<Deps, 'keyring'>,
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
  const kept = row && ((await openSealed(keyring, row)) as Readonly<Record<string, unknown>>);
  const merged = { ...kept, ...credentials, ...settings, ...accountSecrets };
  // An integration whose account was removed has only settings, until it gets credentials again.
  const isWithoutAccount = row?.accountState === 'removed' && accountSecrets === undefined;
  const secrets: Readonly<Record<string, unknown>> = isWithoutAccount
    ? merged
    : definition.secrets.parse(merged);
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

/**
 * The stored form of what an installation gave. The credentials of an app of the tenant's own go with the account that
 * they belonged to; settings stay.
 */
export async function installedSecrets(
  keyring: Keyring,
  key: IntegrationKey,
  type: PlatformName,
  { secrets, row }: { secrets: Texts; row: IntegrationRow | undefined },
): Promise<Pick<StoredSecrets, 'sealedSecrets' | 'maskedCredentials' | 'maskedSettings'>> {
  const definition = platformDefinitions[type];
  const kept = row ? ((await openSealed(keyring, row)) as Readonly<Record<string, unknown>>) : {};
  const credentials = textsOf(pick(secrets, definition.credentials));
  const settings = pick(kept, definition.settings);
  return await protect({ keyring }, key, type, { credentials, settings, accountSecrets: secrets });
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

/** The settings that `null` removes. */
const removedOf = (
  settings: Readonly<Record<string, unknown>> | undefined = {},
  { shape }: (typeof platformDefinitions)[PlatformName]['secrets'],
): Settings => {
  const fields: Readonly<Record<string, z.ZodType>> = shape;
  return Object.fromEntries(
    Object.entries(settings)
      .filter(([name, value]) => value === null && fields[name]?.safeParse(null).success)
      .map(([name]) => [name, null]),
  );
};

const textsOf = (settings: Settings): Texts =>
  Object.fromEntries(
    Object.entries(settings).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );

const mapTexts = <Given, Shown>(
  texts: Readonly<Record<string, Given>>,
  to: (name: string, text: Given) => Shown,
): Record<string, Shown> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, to(name, text)]));
