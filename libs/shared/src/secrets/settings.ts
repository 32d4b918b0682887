import { z } from 'zod';
import { Keyring } from './keyring.ts';
import { Secret } from './secret.ts';

/** `SECRETS_KEYS`: `kid:base64url(32 bytes)[,kid:…]`. The first key seals; every key opens (REQ-CONF-2). */
export const keyringSetting = z.string().transform((setting, ctx) => {
  try {
    return Keyring.parse(setting);
  } catch (error) {
    ctx.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
});

export const secretSetting = z.string().transform((value) => new Secret(value));
