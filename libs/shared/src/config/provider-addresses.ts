import { ofPublicProviders, type PublicProvider, publicProviders } from '@botyard/contracts/providers';
import type { z } from 'zod';
import { httpAddress } from './config.ts';

type Setting = (typeof publicProviders)[PublicProvider]['addressSetting'];

/** The settings of the public model providers' addresses. */
export const providerAddressSettings = Object.fromEntries(
  Object.values(publicProviders).map(({ addressSetting, address }) => [
    addressSetting,
    httpAddress.default(address),
  ]),
) as Record<Setting, z.ZodDefault<typeof httpAddress>>;

export const providerAddressesOf = (
  config: Readonly<Record<Setting, string>>,
): Record<PublicProvider, string> => ofPublicProviders(({ addressSetting }) => config[addressSetting]);
