import {
  type CaseBody,
  type ImportBody,
  maxImportedCases,
  WrittenCase,
} from '@botyard/contracts/http/evaluations-cases';
import { badRequest, invalid } from '@botyard/shared/http/errors';
import { refuseHostileInput } from '@botyard/shared/http/input-bounds';
import { issuesOf } from '@botyard/shared/http/issues';
import { casesOfCsv, type WrittenCases } from './cases-of-csv.ts';
import { readYaml } from './read-yaml.ts';

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
