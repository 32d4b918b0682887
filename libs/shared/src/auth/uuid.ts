import { z } from 'zod';

/** Created once: creating a schema costs a hundred times as much as using it. */
const uuid = z.uuid();

/** A UUID in lower case; `undefined` for an invalid one. Accepts any text. */
export const uuidOf = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : uuid.safeParse(text).data?.toLowerCase();
