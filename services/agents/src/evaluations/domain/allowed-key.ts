import type { Reserve } from '../../models/domain/quota.ts';
import type { RunRow } from '../store/runs.ts';

/** Without an admin's leave, the platform's key counts as none. */
export const onAllowedKey =
  ({ mayUsePlatformKey }: Pick<RunRow, 'mayUsePlatformKey'>, reserve: Reserve): Reserve =>
  async (source) =>
    source === 'platform' && !mayUsePlatformKey ? 'no key' : await reserve(source);
