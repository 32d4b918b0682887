import { partyFault } from '@botyard/shared/config/authorized-parties';
import { type GatewayConfig, providerHost } from '../config.ts';

type IdentitySettings = Pick<
  GatewayConfig,
  'IDP_AUTHORIZED_PARTIES' | 'IDP_ISSUER' | 'IDP_PLATFORM_ORG_ID' | 'IDP_PUBLISHABLE_KEY'
>;

/** Settings of the identity provider that can't work together, as far as they show it without asking anybody. */
export function identityProblems(config: IdentitySettings) {
  const { IDP_AUTHORIZED_PARTIES: parties, IDP_ISSUER: issuer, IDP_PUBLISHABLE_KEY: key } = config;
  const problems = parties.flatMap((party) => {
    const fault = partyFault(party);
    return fault ? [{ setting: 'IDP_AUTHORIZED_PARTIES', cause: party, problem: `${party} ${fault}` }] : [];
  });
  if (key && issuer && providerHost(key) !== new URL(issuer).hostname)
    problems.push({
      setting: 'IDP_PUBLISHABLE_KEY',
      cause: 'issuer',
      problem:
        `the key belongs to ${providerHost(key)}, but IDP_ISSUER to ${new URL(issuer).hostname}: the console would get ` +
        'tokens that are not accepted',
    });
  return problems;
}
