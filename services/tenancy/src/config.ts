import { domainConfig, httpAddress } from '@botyard/shared/config/config';
import { Keyring } from '@botyard/shared/secrets/keyring';
import { Secret } from '@botyard/shared/secrets/secret';
import { z } from 'zod';

export const tenancyConfig = domainConfig.extend({
  SECRETS_KEYS: z.string().transform((setting, ctx) => {
    try {
      return Keyring.parse(setting);
    } catch (error) {
      ctx.addIssue({ code: 'custom', message: (error as Error).message });
      return z.NEVER;
    }
  }),
  MESSENGER_API_URL: httpAddress.default('https://api.telegram.org'),
  IDP_API_URL: httpAddress.default('https://api.clerk.com/v1'),
  IDP_SECRET_KEY: z
    .string()
    .transform((key) => new Secret(key))
    .optional(),
});

export type TenancyConfig = z.output<typeof tenancyConfig>;
