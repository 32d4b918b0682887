import {
  type Provider,
  providerTraits,
  publicProviderNames,
  publicProviders,
} from '@botyard/contracts/providers';
import { plainText } from '@botyard/shared/log/plain-text';
import type { Problems } from '@botyard/shared/system/problems';
import { addressSettingOf, pathProblem } from './address-watch.ts';

const timeoutMs = 5000;

/**
 * Asks each model server whose address an operator has set for its models, at the start and without a key. Notes
 * servers that don't answer, and addresses that only lack their version. Never throws.
 */
export async function checkModelAddresses(
  addresses: Readonly<Record<Provider, string | undefined>>,
  problems: Pick<Problems, 'note'>,
): Promise<void> {
  const isDefault = (provider: Provider) =>
    publicProviderNames.some(
      (name) => name === provider && publicProviders[name].address === addresses[name],
    );
  const providers = (Object.keys(providerTraits) as Provider[]).filter((provider) => !isDefault(provider));
  await Promise.all(
    providers.map(async (provider) => {
      const address = addresses[provider];
      const fault = address === undefined ? undefined : await faultAt(provider, address);
      if (fault) problems.note({ setting: addressSettingOf(provider), ...fault });
    }),
  );
}

async function faultAt(
  provider: Provider,
  address: string,
): Promise<{ cause: string; problem: string } | undefined> {
  if (providerTraits[provider].protocol === 'anthropic') return await unreachable(address, '/v1/models');
  const status = await statusOf(`${address}/models`);
  if (typeof status === 'string') return { cause: 'unreachable', problem: doesNotAnswer(address, status) };
  if (status !== 404 && status !== 405) return undefined;
  const beneath = await statusOf(`${address}/v1/models`);
  // A server that knows the path may refuse the call for lack of a key.
  const isThere = typeof beneath === 'number' && (beneath < 300 || beneath === 401 || beneath === 403);
  return isThere ? { cause: 'path', problem: pathProblem(provider, address, status) } : undefined;
}

async function unreachable(address: string, path: string) {
  const status = await statusOf(`${address}${path}`);
  return typeof status === 'string'
    ? { cause: 'unreachable', problem: doesNotAnswer(address, status) }
    : undefined;
}

const doesNotAnswer = (address: string, reason: string): string =>
  `the model server at ${plainText(address)} did not answer at the start (${reason}): check scheme, host and port`;

/** The status of the answer, or the reason why there is none. */
async function statusOf(url: string): Promise<number | string> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { redirect: 'manual', signal });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string; message?: string } };
    return cause?.code ?? cause?.message ?? name;
  }
}
