import {
  type CaseBody,
  type ImportBody,
  maxImportedCases,
  WrittenCase,
} from '@botyard/contracts/http/evaluations-cases';
import { badRequest, invalid, unavailable } from '@botyard/shared/http/errors';
import { refuseHostileInput } from '@botyard/shared/http/input-bounds';
import { issuesOf } from '@botyard/shared/http/issues';
import { ThreadPool } from '@botyard/shared/work/thread-pool';
import { TaskError, TaskRefusal } from '@botyard/shared/work/thread-tasks';
import { casesOfCsv, type WrittenCases } from './cases-of-csv.ts';
import type { ParsedYaml, tasks } from './yaml-thread.ts';

/** The cases of a tenant's file. @throws HttpError 400 with the fault of each case, 503 as `readYaml`. */
export async function readCases(tenantId: string, { format, text }: ImportBody): Promise<CaseBody[]> {
  const { written, placeOf } = format === 'csv' ? casesOfCsv(text) : await casesOfYaml(tenantId, text);
  if (written.length > maxImportedCases)
    throw badRequest(`the file has ${written.length} cases: import at most ${maxImportedCases} at once`);
  refuseHostileInput(written);
  const issues = written.flatMap((one, at) => {
    const { error } = WrittenCase.safeParse(one);
    if (!error) return [];
    return issuesOf(error, one).map(({ path, message }) => ({
      path: [at, ...path],
      message: `${message}, ${placeOf(at, path)}`,
    }));
  });
  if (issues.length > 0) throw invalid(issues);
  return written.map((one) => ({ ...WrittenCase.parse(one), sourceMessageIds: [] }));
}

async function casesOfYaml(tenantId: string, text: string): Promise<WrittenCases> {
  const { content, lineOfItems } = await readYaml(tenantId, text);
  if (!Array.isArray(content)) throw badRequest('the YAML is not a list of cases');
  return { written: content, placeOf: (at) => `in the case at line ${lineOfItems[at]}` };
}

/** A file of cases takes some tens of milliseconds. One that is made to be slow takes seconds. */
const timeoutMs = 1500;

/** Starts with the first text of the process, and ends when it is idle. */
const pool = new ThreadPool<typeof tasks>({
  file: new URL('./yaml-thread.ts', import.meta.url),
  maxMegabytes: 128,
  maxWaiting: 4,
});

/**
 * Parses a tenant's YAML outside the main loop, tenants in turn.
 * @throws HttpError 400 for what is not YAML or takes too long, 503 when too many texts of the tenant wait.
 */
async function readYaml(tenantId: string, text: string): Promise<ParsedYaml> {
  try {
    return await pool.run('parse', text, { owner: tenantId, timeoutMs });
  } catch (error) {
    if (error instanceof TaskRefusal) throw badRequest(error.message);
    if (!(error instanceof TaskError)) throw error;
    if (error.fault === 'busy') throw unavailable('too many files are being read', { cause: error });
    throw badRequest('the YAML takes too long to read', { cause: error });
  }
}
