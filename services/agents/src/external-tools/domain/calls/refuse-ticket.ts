import { findKeyIn } from '@botyard/contracts/events/keys';
import { findCredentialIn } from '@botyard/contracts/events/tenancy';
import { ask } from '@botyard/shared/bus/requests';
import type { Deps } from '../../deps.ts';
import type { NewTicket } from '../../store/tickets.ts';
import { maxShownBytes, visibleArguments } from './visible-arguments.ts';

/**
 * Why a call can't wait for an approval: its arguments are too long to be shown whole, or hold a credential that
 * Botyard stores, which whoever approves it must not see. @throws HttpError 503 while the services that store
 * credentials don't answer.
 */
export async function reasonToRefuseTicket(
  { bus }: Pick<Deps, 'bus'>,
  { tenantId, arguments: canonical }: Pick<NewTicket, 'tenantId' | 'arguments'>,
): Promise<string | undefined> {
  if (Buffer.byteLength(visibleArguments(canonical)) > maxShownBytes)
    return 'its arguments are too long to be shown to the person who would approve it';
  const text = textsIn(canonical);
  const answers = await Promise.all([
    ask(bus, findKeyIn, { tenantId, text }),
    ask(bus, findCredentialIn, { tenantId, text }),
  ]);
  return answers.some(({ isFound }) => isFound) ? 'its arguments hold a stored credential' : undefined;
}

/** All names and texts of the arguments, as they are without JSON's escapes. */
function textsIn(canonical: string): string {
  const texts: string[] = [];
  JSON.parse(canonical, (name, value: unknown) => {
    texts.push(name);
    if (typeof value === 'string') texts.push(value);
    return value;
  });
  return texts.join('\n');
}
