import { z } from 'zod';
import { shown } from './shown.ts';

/** A limit: a whole number, or `unlimited`, which is parsed as `null`. */
export const ceiling = (byDefault: number | null) =>
  shown(
    z
      .string()
      .refine((text) => /^(\d{1,15}|unlimited)$/.test(text), 'must be a whole number, or unlimited')
      .transform((text) => (text === 'unlimited' ? null : Number(text)))
      .default(byDefault),
  );
