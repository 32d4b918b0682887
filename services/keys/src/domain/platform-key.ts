import { findAllowance } from '@botyard/contracts/events/usage';
import type { ExplainedResolution, Resolution } from '@botyard/contracts/http/keys';
import type { Provider } from '@botyard/contracts/http/provider';
import { ask } from '@botyard/shared/bus/requests';
import { HttpError } from '@botyard/shared/http/errors';
import type { Deps } from '../deps.ts';

type State = NonNullable<ExplainedResolution['platformKey']>;

/**
 * Adds to a resolution with the platform's key whether a chat would use that key: the usage service is asked before
 * each call.
 */
export async function withPlatformKey(
  deps: Pick<Deps, 'bus'>,
  question: { tenantId: string; provider: Provider },
  resolution: Resolution,
): Promise<ExplainedResolution> {
  if (resolution.source !== 'platform') return resolution;
  const platformKey = await stateOf(deps, question);
  return { ...resolution, source: platformKey.state === 'used_up' ? 'none' : 'platform', platformKey };
}

async function stateOf(
  { bus }: Pick<Deps, 'bus'>,
  { tenantId, provider }: { tenantId: string; provider: Provider },
): Promise<State> {
  try {
    const { platformKeys } = await ask(bus, findAllowance, { tenantId });
    const isUsedUp = platformKeys.some((one) => one.isUsedUp && one.providers.includes(provider));
    return isUsedUp
      ? {
          state: 'used_up',
          reason: "the tenant's allowance for the platform's key is used up for this month",
        }
      : {
          state: 'used',
          reason:
            "no key of the tenant's own is usable, and its allowance for the platform's key is not used up",
        };
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return {
      state: 'unknown',
      reason: 'the usage service does not answer: the allowance for the platform’s key is not known',
    };
  }
}
