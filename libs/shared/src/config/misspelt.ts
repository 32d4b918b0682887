import type { z } from 'zod';
import { nearest } from '../words/nearest.ts';

/** Shorter names, and those of one word, are near to too many that mean something else, such as `PATH` and `HOST`. */
const minLength = 8;

/** One line for each variable that is no setting of the schema, and almost the name of one that isn't set. */
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
