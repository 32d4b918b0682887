import { ofPublicProviders } from '@botyard/contracts/providers';
import type { ModelAddresses } from '../../../src/models/clients/model.ts';

/** Every provider at one server, whose address ends in `/v1`. */
export const addressesAt = (url: string): ModelAddresses => ({
  ...ofPublicProviders(({ protocol }) => (protocol === 'anthropic' ? url.replace(/\/v1$/, '') : url)),
  privateLlm: url,
  privateLlmModel: 'house-model',
});
