import { filesAt, readText } from '../support/sources.ts';
import type { Check } from './check.ts';

interface Entry {
  idx: number;
  when: number;
  tag: string;
}

export const migrationChecks: readonly Check[] = [
  {
    rule: 'migrations are numbered without gaps and their journal goes forward in time, or some would never run',
    faults: () =>
      journals().flatMap(({ path, entries }) =>
        entries.flatMap(({ idx, when, tag }, place) => [
          ...(idx === place && tag.startsWith(String(place).padStart(4, '0'))
            ? []
            : [`${path}: ${tag} is out of order`]),
          ...(place > 0 && when <= (entries[place - 1]?.when ?? 0)
            ? [`${path}: ${tag} is older than the one before`]
            : []),
        ]),
      ),
  },
  {
    rule: 'every migration is in its journal, and every entry of a journal exists',
    faults: () =>
      journals().flatMap(({ path, entries }) => {
        const folder = path.replace('meta/_journal.json', '');
        const files = filesAt(new RegExp(`^${folder}\\w+\\.sql$`)).map((file) =>
          file.path.slice(folder.length, -4),
        );
        const tags = entries.map(({ tag }) => tag);
        return [
          ...files.filter((name) => !tags.includes(name)),
          ...tags.filter((name) => !files.includes(name)),
        ].map((name) => `${folder}${name}: only in one of both`);
      }),
  },
  {
    rule: "every tenant's table has row-level security enabled and forced by a migration of its service",
    faults: () =>
      journals().flatMap(({ path }) => {
        const folder = path.replace('meta/_journal.json', '');
        const sql = filesAt(new RegExp(`^${folder}\\w+\\.sql$`))
          .map(({ text }) => text)
          .join('\n');
        return tablesOfTenants(sql).flatMap((table) =>
          ['ENABLE', 'FORCE']
            .filter((word) => !sql.includes(`ALTER TABLE ${table} ${word} ROW LEVEL SECURITY`))
            .map((word) => `${folder}: ${table} lacks ${word} ROW LEVEL SECURITY`),
        );
      }),
  },
];

function journals(): { path: string; entries: Entry[] }[] {
  return filesAt(/^services\/\w+\/migrations\/meta\/_journal\.json$/).map(({ path }) => ({
    path,
    entries: (JSON.parse(readText(path)) as { entries: Entry[] }).entries,
  }));
}

function tablesOfTenants(sql: string): string[] {
  return [...sql.matchAll(/CREATE TABLE ("\w+"\."\w+") \(([\s\S]*?)\n\);/g)]
    .filter(([, , columns = '']) => columns.includes('"tenant_id"'))
    .map(([, table = '']) => table);
}
