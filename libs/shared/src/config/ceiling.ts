import { z } from 'zod';
import { shown } from './shown.ts';

/** How much may be had: a whole number, or `unlimited`, which is read as `null`. */
export const ceiling = (byDefault: number | null) =>
  shown(
    z
      .string()
      .refine((text) => /^(\d{1,15}|unlimited)$/.test(text), 'must be a whole number, or unlimited')
      .transform((text) => (text === 'unlimited' ? null : Number(text)))
      .default(byDefault),
  );
