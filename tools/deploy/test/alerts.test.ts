import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { filesAt } from '../../../test/support/sources.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface Rule {
  alert: string;
  expr: string;
}
const [group] = (
  parse(read('deploy/kubernetes/monitoring/alerts.yaml')) as { spec: { groups: { rules: Rule[] }[] } }
).spec.groups;
const rules = group?.rules ?? [];
const page = read('docs/operations.md');
const sources = filesAt(/^(libs\/shared|services\/\w+)\/src\/.*\.ts$/)
  .map(({ text }) => text)
  .join('\n');

test('every alarm has its paragraph in docs/operations.md, in the same order, and the page has no other', () => {
  const paragraphs = [...page.matchAll(/^### `(Botyard\w+)`\n\n(\S[^\n]+)/gm)].map(([, name]) => name);
  expect(paragraphs).toEqual(rules.map(({ alert }) => alert));
  expect(rules.length).toBeGreaterThan(5);
});

test.each(rules)('$alert asks for metrics and queues that exist', ({ expr }) => {
  const metrics = [...expr.matchAll(/\b([a-z]+(?:_[a-z]+)+)\b(?=\s*[{)[=<>]|\s*$)/g)].map(
    ([, name]) => name!,
  );
  expect(metrics.length).toBeGreaterThan(0);
  for (const metric of metrics) expect(sources, metric).toContain(`'${metric.replace(/_count$/, '')}'`);
  for (const [, queue] of expr.matchAll(/queue="(\w+)"/g))
    expect(sources).toMatch(new RegExp(`watchesQueue\\('${queue}'|depth: '${queue}'`));
});
