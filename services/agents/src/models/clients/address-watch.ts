import { type Provider, providerTraits, publicProviders } from '@botyard/contracts/providers';
import { plainText } from '@botyard/shared/log/plain-text';
import type { Problems } from '@botyard/shared/system/problems';

/** Notes addresses of the operator's settings that lead to no model server. Tenants' own addresses are left out. */
export interface AddressWatch {
  /** A server at this address refused a call. */
  refused(provider: Provider, address: string, refusal: { status: number; text: string }): void;
  answered(provider: Provider, address: string): void;
}

type Addresses = Readonly<Partial<Record<Provider, string | undefined>>>;

export const addressSettingOf = (provider: Provider): string =>
  provider === 'private-llm' ? 'PRIVATE_LLM_BASE_URL' : publicProviders[provider].addressSetting;

export function createAddressWatch(
  problems: Pick<Problems, 'note' | 'clear'>,
  addresses: Addresses,
): AddressWatch {
  const isSetting = (provider: Provider, address: string) => addresses[provider] === address;
  return {
    refused: (provider, address, refusal) => {
      if (!isSetting(provider, address) || !isOfPath(refusal)) return;
      const setting = addressSettingOf(provider);
      problems.note({ setting, cause: 'path', problem: pathProblem(provider, address, refusal.status) });
    },
    answered: (provider, address) => {
      if (isSetting(provider, address)) problems.clear(addressSettingOf(provider));
    },
  };
}

/** A server that knows the path names the model that it lacks. */
const isOfPath = ({ status, text }: { status: number; text: string }): boolean =>
  (status === 404 || status === 405) && !/\bmodels?\b/i.test(text.replace(/<[^>]*>/g, ' ').slice(0, 2000));

const endsInVersion = /\/v\d+\w*$/;

/** The remedy for a server that doesn't know the path of a call. */
export function pathProblem(provider: Provider, address: string, status: number): string {
  const shownAddress = plainText(address);
  const answers = `the server at ${shownAddress} answers ${status} to model calls, so agents only apologize`;
  if (providerTraits[provider].protocol === 'anthropic')
    return `${answers}: the address has no version and no path`;
  return endsInVersion.test(address)
    ? `${answers}: check the address's path, which usually ends in /v1`
    : `${answers}: the address has to end in /v1, as in ${shownAddress}/v1`;
}
