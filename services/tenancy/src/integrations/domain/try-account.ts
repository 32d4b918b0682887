import { accountBinding, checkAccount, type TriedSecrets } from '@botyard/contracts/events/webhook-accounts';
import type { PlatformName } from '@botyard/contracts/http/platform';
import { ask } from '@botyard/shared/bus/requests';
import { unavailable, unprocessable } from '@botyard/shared/http/errors';
import { openJson, sealJson } from '@botyard/shared/secrets/sealed-json';
import { z } from 'zod';
import type { Deps } from '../deps.ts';
import type { IntegrationKey } from '../store/integrations.ts';

/** An account as its platform reports it, with what the integration's secrets need to know of it. */
interface TriedAccount {
  accountId: string;
  secrets: Readonly<Record<string, string>>;
  /** Its findings, in words, such as a missing permission. */
  warnings: readonly string[];
}

const FoundSecrets = z.record(z.string(), z.string());

/**
 * Has the platform's adapter try credentials. It runs outside of any transaction, so that no connection is occupied
 * meanwhile. @throws HttpError 422 rejected, 503 no answer.
 */
export async function tryAccount(
  { bus, keyring }: Pick<Deps, 'bus' | 'keyring'>,
  { tenantId, botId, integrationId }: IntegrationKey,
  platform: PlatformName,
  secrets: TriedSecrets,
): Promise<TriedAccount> {
  const binding = accountBinding({ tenantId, botId });
  const sealed = await sealJson(keyring, secrets, binding);
  const answer = await ask(bus, checkAccount, { tenantId, botId, integrationId, platform, sealed });
  if (answer.outcome === 'refused') throw unprocessable(answer.reason);
  if (answer.outcome === 'failed') throw unavailable(answer.reason);
  const opened = await openJson(keyring, answer.sealedSecrets, binding);
  const { accountId, warnings = [] } = answer;
  return { accountId, secrets: FoundSecrets.parse(opened), warnings };
}
