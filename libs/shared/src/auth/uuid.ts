import { z } from 'zod';

/** Made once: making it costs a hundred times as much as asking it. */
const uuid = z.uuid();

/** A UUID in lower case; `undefined` for an invalid one. The text may be anything. */
export const uuidOf = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : uuid.safeParse(text).data?.toLowerCase();
