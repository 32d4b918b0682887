import { providerHost } from '../config.ts';

/**
 * The content policy of the console. Scripts, styles and requests are the gateway's own, and nothing may frame it.
 * Where there is an identity provider, its browser library and what that loads is let in, from the one host that the key names.
 */
export function consolePolicy(publishableKey: string | null): string {
  const provider = publishableKey ? ` https://${providerHost(publishableKey)}` : '';
  return [
    "default-src 'none'",
    `script-src 'self'${provider}`,
    `style-src 'self'${provider && " 'unsafe-inline'"}`,
    `img-src 'self' data:${provider && ' https:'}`,
    `connect-src 'self'${provider}`,
    ...(provider ? ["worker-src 'self' blob:"] : []),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
