import type {
  dropMedia as dropRequest,
  findMedia as findRequest,
} from '@botyard/contracts/events/webhook-requests';
import { withTenant } from '@botyard/shared/db/database';
import type { z } from 'zod';
import type { Deps } from '../deps.ts';
import { dropMedia as dropRows, listMedia } from '../store/media.ts';

/** The limit for all texts in one answer, far below what the bus carries. */
const maxUnitsOfTexts = 100_000;

export async function findMedia(
  { database }: Pick<Deps, 'database'>,
  { tenantId, mediaIds, withTexts }: z.output<typeof findRequest.request>,
): Promise<z.input<typeof findRequest.response>> {
  const rows = await withTenant(database, [tenantId], (tx) =>
    listMedia(tx, { tenantId, mediaIds, withTexts }),
  );
  let left = maxUnitsOfTexts;
  const media = rows.map(({ text, ...one }) => {
    if (text === undefined || left === 0) return one;
    const shown = text.slice(0, left).toWellFormed();
    left -= shown.length;
    return { ...one, text: shown };
  });
  return { media };
}

export async function dropMedia(
  { database }: Pick<Deps, 'database'>,
  { tenantId, mediaIds }: z.output<typeof dropRequest.request>,
): Promise<z.input<typeof dropRequest.response>> {
  return { dropped: await withTenant(database, [tenantId], (tx) => dropRows(tx, { tenantId, mediaIds })) };
}
