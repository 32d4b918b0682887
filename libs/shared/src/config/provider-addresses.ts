import {
  type ModelProtocol,
  ofPublicProviders,
  type PublicProvider,
  publicProviders,
} from '@botyard/contracts/providers';
import type { z } from 'zod';
import { httpAddressWithout } from './config.ts';

type Setting = (typeof publicProviders)[PublicProvider]['addressSetting'];

/** A base address ends before the path of a call: an address that includes one means the same. */
export const modelServerAddress = httpAddressWithout(/\/(?:chat\/completions|completions|responses|models)$/);

/** Anthropic's has no version either. */
const endings: Readonly<Record<ModelProtocol, typeof modelServerAddress>> = {
  openai: modelServerAddress,
  compatible: modelServerAddress,
  anthropic: httpAddressWithout(/\/v1(?:\/messages)?$/),
};

/** The settings of the public model providers' addresses. */
export const providerAddressSettings = Object.fromEntries(
  Object.values(publicProviders).map(({ addressSetting, address, protocol }) => [
    addressSetting,
    endings[protocol].default(address),
  ]),
) as Record<Setting, z.ZodDefault<typeof modelServerAddress>>;

export const providerAddressesOf = (
  config: Readonly<Record<Setting, string>>,
): Record<PublicProvider, string> => ofPublicProviders(({ addressSetting }) => config[addressSetting]);
