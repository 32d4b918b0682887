import { unavailable } from '../http/errors.ts';
import { ThreadPool } from '../work/thread-pool.ts';
import { TaskError } from '../work/thread-tasks.ts';
import { exceededBound, type JsonBounds, usualBounds } from './json-bounds.ts';
import type { JsonTasks } from './json-thread.ts';
import { JsonError, parseForeignJson } from './parse-json.ts';

/** Parsing this takes about a millisecond at most. */
export const maxBytesOnLoop = 64 * 1024;
/** Far more than bodies within the bounds need, on a slow processor. */
const timeoutMs = 2000;
const maxWaitingOfOne = 16;

/** Starts with the first long text of the process, keeps nothing between texts, and ends when it is idle. */
const pool = new ThreadPool<JsonTasks>({
  file: new URL('./json-thread.ts', import.meta.url),
  maxMegabytes: 128,
  maxWaiting: maxWaitingOfOne,
});

/**
 * Parses foreign JSON: the bodies of requests, and what models, tools, platforms and the identity provider answer.
 * Bounds are checked before anything is parsed. Long texts are parsed outside the main loop, owners in turn; starting
 * the thread doesn't count against a text's time.
 * @param owner the tenant, person or host whose text it is.
 * @throws JsonError; HttpError 503 when too many texts of the owner wait.
 */
export async function readJson(
  content: Uint8Array,
  { owner, bounds = usualBounds }: { owner: string; bounds?: JsonBounds },
): Promise<unknown> {
  if (content.length <= maxBytesOnLoop) return parseForeignJson(content, bounds);
  const exceeded = exceededBound(content, bounds);
  if (exceeded) throw new JsonError(exceeded);
  // A copy, because the buffer may be a part of a larger one.
  const bytes = new Uint8Array(content);
  try {
    const options = { owner, timeoutMs, transfer: [bytes.buffer] };
    const parsed = await pool.run('parse', { bytes, bounds }, options);
    if ('fault' in parsed) throw new JsonError(parsed.fault);
    return parsed.value;
  } catch (error) {
    if (error instanceof TaskError) throw unavailable('the text could not be read now', { cause: error });
    throw error;
  }
}

/** The same, but `undefined` for a text that can't be read. @throws HttpError 503 as `readJson`. */
export async function tryReadJson(
  content: Uint8Array,
  options: Parameters<typeof readJson>[1],
): Promise<unknown> {
  try {
    return await readJson(content, options);
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}
