import { findStaff } from '@botyard/contracts/events/tenancy';
import { ask } from '@botyard/shared/bus/requests';
import { HttpError } from '@botyard/shared/http/errors';
import type { Deps } from '../../deps.ts';

/** Names of users by their ids. A name that the tenancy service doesn't tell is missing; lists are shown without it. */
export async function staffNames(
  { bus, log }: Pick<Deps, 'bus' | 'log'>,
  tenantId: string,
  rows: readonly { staffUserId: string | null }[],
): Promise<ReadonlyMap<string, string>> {
  const userIds = [...new Set(rows.flatMap(({ staffUserId }) => staffUserId ?? []))];
  if (userIds.length === 0) return new Map();
  try {
    const { staff } = await ask(bus, findStaff, { tenantId, userIds });
    return new Map(staff.flatMap(({ userId, name }) => (name === null ? [] : [[userId, name] as const])));
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    log.warn({ err: error }, 'messages are listed without the names of those who wrote them');
    return new Map();
  }
}
