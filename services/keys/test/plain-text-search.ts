import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Forms in which a part of a secret could lie about. */
export function formsOf(secret: string): string[] {
  const start = secret.slice(0, 20);
  return [
    start,
    encodeURIComponent(start),
    Buffer.from(start).toString('base64url').slice(0, 26),
    Buffer.from(start).toString('hex'),
  ];
}

/** Files beneath a directory, as far as they can be read, that hold one of the texts. */
export function filesWith(
  directory: string,
  texts: readonly string[],
): { searched: number; found: string[] } {
  const paths: string[] = [];
  let searched = 0;
  for (const entry of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const path = join(directory, entry);
    const bytes = contentOf(path);
    if (!bytes) continue;
    searched += 1;
    if (texts.some((text) => bytes.includes(text))) paths.push(path);
  }
  return { searched, found: paths };
}

/** Processes of this machine whose command line or environment holds one of the texts. */
export function processesWith(texts: readonly string[], part: 'cmdline' | 'environ'): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => texts.some((text) => contentOf(`/proc/${pid}/${part}`)?.includes(text)));
}

function contentOf(path: string): Buffer | undefined {
  try {
    return statSync(path).isFile() ? readFileSync(path) : undefined;
  } catch {
    // Gone meanwhile, or another user's.
    return undefined;
  }
}
