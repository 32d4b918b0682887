import {
  type Assertion,
  type CaseBody,
  type ImportBody,
  maxImportedCases,
  WrittenCase,
} from '@botyard/contracts/http/evaluations-cases';
import { badRequest, invalid } from '@botyard/shared/http/errors';
import { refuseHostileInput } from '@botyard/shared/http/input-bounds';
import { issuesOf } from '@botyard/shared/http/issues';
import { readCsv } from './read-csv.ts';
import { readYaml } from './read-yaml.ts';

/** The cases of a tenant's file. @throws HttpError 400 with the fault of each case, 503 as `readYaml`. */
export async function readCases(tenantId: string, { format, text }: ImportBody): Promise<CaseBody[]> {
  const { written, lines } =
    format === 'csv' ? { written: casesOfCsv(text), lines: [] } : await casesOfYaml(tenantId, text);
  if (written.length > maxImportedCases)
    throw badRequest(`the file has ${written.length} cases: import at most ${maxImportedCases} at once`);
  refuseHostileInput(written);
  const issues = written.flatMap((one, at) => {
    const { error } = WrittenCase.safeParse(one);
    if (!error) return [];
    const place = lines[at] === undefined ? '' : `, in the case at line ${lines[at]}`;
    return issuesOf(error, one).map(({ path, message }) => ({
      path: [at, ...path],
      message: `${message}${place}`,
    }));
  });
  if (issues.length > 0) throw invalid(issues);
  return written.map((one) => ({ ...WrittenCase.parse(one), sourceMessageIds: [] }));
}

async function casesOfYaml(tenantId: string, text: string): Promise<{ written: unknown[]; lines: number[] }> {
  const { content, lineOfItems } = await readYaml(tenantId, text);
  if (!Array.isArray(content)) throw badRequest('the YAML is not a list of cases');
  return { written: content, lines: lineOfItems };
}

/** The columns of a table that each make an assertion. */
const assertionOf: Readonly<Record<string, (cell: string) => Assertion>> = {
  contains: (text) => ({ type: 'contains', text }),
  not_contains: (text) => ({ type: 'not_contains', text }),
  matches: (pattern) => ({ type: 'matches', pattern }),
  language: (language) => ({ type: 'language', language }),
  tool_called: (name) => ({ type: 'tool_called', name }),
};
const columnNames = ['name', 'message', ...Object.keys(assertionOf)];
const maxUnitsOfName = 200;

function casesOfCsv(text: string): unknown[] {
  const [header = [], ...lines] = readCsv(text);
  const columns = header.map((name) => name.trim().toLowerCase());
  const unknown = columns.filter((name) => !columnNames.includes(name));
  if (!columns.includes('message') || unknown.length > 0)
    throw badRequest(`the first line names the columns: message, and any of ${columnNames.join(', ')}`);
  return lines.map((line, index) => {
    const cells = columns.map((column, at) => ({ column, cell: (line[at] ?? '').trim() }));
    const cellOf = (wanted: string) => cells.find(({ column }) => column === wanted)?.cell ?? '';
    const message = cellOf('message');
    return {
      name: cellOf('name') || message.slice(0, maxUnitsOfName).toWellFormed() || `Case ${index + 1}`,
      messages: [{ role: 'user', text: message }],
      assertions: cells.flatMap(({ column, cell }) =>
        cell !== '' && assertionOf[column] ? [assertionOf[column](cell)] : [],
      ),
    };
  });
}
