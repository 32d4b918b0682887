import type { z } from 'zod';
import { withoutSecrets } from '../log/without-secrets.ts';

export interface InputIssue {
  path: PropertyKey[];
  message: string;
}

/** The faults that a schema finds in a value, in the words of the API. */
export function issuesOf({ issues }: z.ZodError, value: unknown): InputIssue[] {
  return issues.flatMap((issue): InputIssue[] => {
    const { path, message } = issue;
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unrecognized([...path, key]));
    // For an invalid key of a record, report the fault of the key.
    if (issue.code === 'invalid_key')
      return [{ path: shownPath(path), message: issue.issues[0]?.message ?? message }];
    if (issue.code !== 'custom' && isMissing(value, path)) return [{ path, message: 'is required' }];
    return [{ path, message }];
  });
}

/** Shape of names that may be repeated in a response; other text may be a value in the wrong place, such as a key. */
const nameShape = /^[\p{L}\p{N}_$ .[\]-]{1,100}$/u;
const unshown = '?';
const shownName = (name: string): string => (nameShape.test(name) ? withoutSecrets(name) : unshown);

const shownPath = (path: readonly PropertyKey[]) => path.map((step) => shownName(String(step)));

/** A field, or another kind of `thing`, that doesn't exist, with the name that was probably meant. */
export function unrecognized(path: readonly PropertyKey[], near?: string, thing = 'field'): InputIssue {
  return {
    path: shownPath(path),
    message: `unrecognized ${thing}${near === undefined ? '' : `: did you mean "${near}"?`}`,
  };
}

/** Whether the value has nothing at the path. A path may lead into a text that the schema splits; its parts exist. */
function isMissing(value: unknown, path: readonly PropertyKey[]): boolean {
  let found = value;
  for (const step of path) {
    if (typeof found === 'string') return false;
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return true;
    found = (found as Record<PropertyKey, unknown>)[step];
  }
  return found === undefined;
}
