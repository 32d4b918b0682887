import { addressRanges, commaList } from '@botyard/shared/config/address-ranges';
import { partyOf } from '@botyard/shared/config/authorized-parties';
import { baseConfig, exactlyTrue, flag, httpAddress, natsServers, port } from '@botyard/shared/config/config';
import { webhookOrigin } from '@botyard/shared/config/platform-addresses';
import { optionalFor, shown, shownAddress } from '@botyard/shared/config/shown';
import { createLocalRequestFault, type LocalRequestFault } from '@botyard/shared/http/local-request';
import proxyAddr from 'proxy-addr';
import { z } from 'zod';

/** A service's addresses: one, which may stand for many processes, or one per process. */
const addresses = shownAddress(commaList.pipe(z.array(httpAddress).min(1).max(50)));

const ranges = shown(addressRanges);

export const gatewayConfig = baseConfig
  .extend({
    NATS_URL: optionalFor(
      natsServers,
      'the gateway is not in the inventory and is not notified of processes that end',
    ),
    PORT: port.default(3001),
    HOST: shown(z.string().default('127.0.0.1')),
    TENANCY_URL: addresses,
    KEYS_URL: addresses,
    USAGE_URL: addresses,
    WEBHOOKS_URL: addresses,
    AGENTS_URL: addresses,
    IDENTITY_SIGNING_KEY: z.string().refine(isSigningKey, 'must be a private Ed25519 JWK as base64url'),
    AUTH_DEV_MODE: flag.default(false),
    /** Source addresses that may get the synthetic principal. */
    AUTH_DEV_MODE_PEERS: ranges,
    IDP_ISSUER: optionalFor(httpAddress, 'no session token is accepted: nobody can sign in'),
    IDP_JWKS_URL: httpAddress.optional(),
    IDP_PUBLISHABLE_KEY: optionalFor(
      shown(z.string().refine(isPublishableKey, 'must be a publishable key of the identity provider')),
      'nobody can sign in to the console',
    ),
    /** Development mode only: the sandbox with the people that the console can act as. */
    SANDBOX_URL: httpAddress.optional(),
    IDP_AUTHORIZED_PARTIES: shown(commaList.transform((parties) => parties.map(partyOf)).default([])),
    IDP_PLATFORM_ORG_ID: optionalFor(shown(z.string().trim()), 'nobody is an operator'),
    /** Whether the provider's OAuth access tokens are accepted beside its session tokens. */
    IDP_ACCESS_TOKENS: flag.default(false),
    WEBHOOK_BASE_URL: webhookOrigin.default('http://localhost:3001'),
    /** The gateway's address for browsers and programs, which access tokens name; by default the one for platforms. */
    PUBLIC_BASE_URL: httpAddress.optional(),
    TRUSTED_PROXIES: ranges,
    /** For the console, which shows no pages of external tools while they are off. */
    TOOL_INTEGRATIONS_ENABLED: shown(exactlyTrue),
  })
  .superRefine((config, ctx) => {
    if (!config.AUTH_DEV_MODE || config.NODE_ENV === 'development' || config.NODE_ENV === 'test') return;
    const message = 'true is honoured only when NODE_ENV is development or test';
    ctx.addIssue({ code: 'custom', path: ['AUTH_DEV_MODE'], message });
  });

export type GatewayConfig = z.output<typeof gatewayConfig>;

/** Issuer and accepted authorized parties of session tokens. */
interface IdentityProvider {
  issuer: string;
  jwksUrl: string;
  /** If empty, tokens of any party are accepted. */
  authorizedParties: readonly string[];
  platformOrgId: string | undefined;
}

/** Returns `null` when none is configured: then no token is valid. */
export function identityProviderOf(config: GatewayConfig): IdentityProvider | null {
  if (!config.IDP_ISSUER) return null;
  return {
    issuer: config.IDP_ISSUER,
    jwksUrl: config.IDP_JWKS_URL ?? `${config.IDP_ISSUER}/.well-known/jwks.json`,
    authorizedParties: config.IDP_AUTHORIZED_PARTIES,
    platformOrgId: config.IDP_PLATFORM_ORG_ID,
  };
}

export const publicUrlOf = ({ PUBLIC_BASE_URL, WEBHOOK_BASE_URL }: GatewayConfig): string =>
  PUBLIC_BASE_URL ?? WEBHOOK_BASE_URL;

/**
 * The condition under which a request without a token doesn't get the synthetic principal; `null` outside development
 * mode.
 */
export function developmentRuleOf(config: GatewayConfig): LocalRequestFault | null {
  if (!config.AUTH_DEV_MODE) return null;
  const isPeer = proxyAddr.compile([...config.AUTH_DEV_MODE_PEERS]);
  return createLocalRequestFault({ isPeer: (address) => isPeer(address, 0) });
}

/** Warnings about these settings for the operator. */
export function warningsOf({ IDP_ISSUER, AUTH_DEV_MODE }: GatewayConfig): string[] {
  return [
    ...(IDP_ISSUER ? [] : ['no identity provider is configured: no session token will be accepted']),
    ...(AUTH_DEV_MODE
      ? [
          'AUTH_DEV_MODE: requests of this machine without a token act as the development admin: put no proxy or tunnel in front',
        ]
      : []),
  ];
}

/** Checked here, because a parser's error would print a part of the key. */
function isSigningKey(setting: string): boolean {
  try {
    const jwk = JSON.parse(Buffer.from(setting, 'base64url').toString('utf8')) as Record<string, unknown>;
    return jwk.kty === 'OKP' && jwk.crv === 'Ed25519' && typeof jwk.d === 'string';
  } catch {
    return false;
  }
}

const keyShape = /^pk_(?:test|live)_([A-Za-z0-9+/_=-]{4,400})$/;

/**
 * A publishable key contains the host of the provider's frontend interface, followed by `$`. @throws for any other
 * text.
 */
export function providerHost(publishableKey: string): string {
  const host = Buffer.from(keyShape.exec(publishableKey)?.[1] ?? '', 'base64').toString('utf8');
  if (!/^[a-z0-9-]+(\.[a-z0-9-]+)+\$$/i.test(host)) throw new Error('the publishable key contains no host');
  return host.slice(0, -1).toLowerCase();
}

function isPublishableKey(text: string): boolean {
  try {
    return providerHost(text) !== '';
  } catch {
    return false;
  }
}
