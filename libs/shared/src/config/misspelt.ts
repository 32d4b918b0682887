import type { z } from 'zod';
import { nearest } from '../words/nearest.ts';

/** Shorter names, and names of one word, resemble too many unrelated variables, such as `PATH` and `HOST`. */
const minLength = 8;

/** One line for each variable that is not a setting of the schema and closely resembles an unset one. */
export function misspeltSettings(
  schema: z.ZodType,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  const settings = Object.keys((schema as Partial<z.ZodObject>).shape ?? {});
  const unset = settings.filter((name) => isTelling(name) && !env[name]);
  return Object.keys(env).flatMap((name) => {
    const meant = isTelling(name) && !settings.includes(name) ? nearest(name, unset) : undefined;
    return meant === undefined ? [] : [`${name} is not a setting: did you mean ${meant}?`];
  });
}

const isTelling = (name: string): boolean =>
  name.length >= minLength && /^[A-Z][A-Z\d]*_[A-Z\d_]+$/.test(name);
