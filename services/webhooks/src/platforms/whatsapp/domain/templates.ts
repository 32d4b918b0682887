import { withTenant } from '@botyard/shared/db/database';
import type { PlatformTemplate } from '../clients/results.ts';
import type { Deps } from '../deps.ts';
import type { OfNumber } from '../store/people.ts';
import { replaceTemplates } from '../store/templates.ts';
import { accessOf } from './access.ts';
import type { WhatsAppEndpoint } from './connection.ts';
import { record, records, textOf } from './fields.ts';

/** A thousand templates of a hundred on each page. */
const maxPages = 10;

/** Fetches all templates of a number's account. Returns why it could not, if it could not. */
export async function syncTemplates(
  { graph, database }: Pick<Deps, 'graph' | 'database'>,
  endpoint: WhatsAppEndpoint,
): Promise<string | undefined> {
  const templates: PlatformTemplate[] = [];
  let after: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const answer = await graph.listTemplates(accessOf(endpoint), endpoint.businessAccountId, after);
    if (answer.outcome !== 'ok')
      return answer.outcome === 'limited' ? 'the platform asks to wait' : answer.reason;
    templates.push(...answer.result.templates);
    after = answer.result.after;
    if (after === undefined) break;
  }
  await withTenant(database, [endpoint.tenantId], (tx) =>
    replaceTemplates(tx, endpoint satisfies OfNumber, templates),
  );
  return undefined;
}

const gap = /\{\{\s*([A-Za-z0-9_]{1,60})\s*\}\}/g;

/** The text of a template's body, with its gaps as `{{1}}` or `{{name}}`. */
export const bodyOf = (components: readonly Readonly<Record<string, unknown>>[]): string =>
  textOf(record(components.find(({ type }) => type === 'BODY'))?.text);

/** The names of a text's gaps, in order, each once. */
export const gapsOf = (body: string): string[] => [
  ...new Set([...body.matchAll(gap)].map(([, name]) => String(name))),
];

/** Why a template can't be sent from the inbox: its head or a button needs more than texts for its body. */
export function obstacleOf(components: readonly Readonly<Record<string, unknown>>[]): string | undefined {
  for (const { type, format, text, buttons } of components) {
    if (type === 'HEADER' && format !== 'TEXT') return 'its head is a file';
    if (type === 'HEADER' && gapsOf(textOf(text)).length > 0) return 'its head has gaps';
    if (type === 'BUTTONS' && records(buttons).some(({ url }) => gapsOf(textOf(url)).length > 0))
      return 'the address of a button has gaps';
  }
  return undefined;
}

/** The words that the person reads. */
export const filledBody = (body: string, values: Readonly<Record<string, string>>): string =>
  body.replace(gap, (whole, name) => values[String(name)] ?? whole);

/** The texts for the gaps, as the platform takes them. It allows no line breaks, tabs or runs of blanks in them. */
export function componentsOf(
  body: string,
  { isNamed }: Pick<PlatformTemplate, 'isNamed'>,
  values: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>>[] {
  const names = gapsOf(body);
  if (names.length === 0) return [];
  const parameters = names.map((name) => ({
    type: 'text',
    ...(isNamed ? { parameter_name: name } : {}),
    text: (values[name] ?? '').replace(/\s+/g, ' ').trim(),
  }));
  return [{ type: 'body', parameters }];
}
