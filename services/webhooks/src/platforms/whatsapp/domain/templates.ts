import type { WhatsAppSecrets } from '@botyard/contracts/platforms/whatsapp';
import { withTenant } from '@botyard/shared/db/database';
import type { PlatformTemplate } from '../clients/results.ts';
import type { Deps } from '../deps.ts';
import type { OfNumber } from '../store/people.ts';
import { replaceTemplates } from '../store/templates.ts';
import { accessOfSecrets } from './access.ts';
import { record, records, textOf } from './fields.ts';

const maxTemplates = 500;
const maxPages = 10;
const maxNameUnits = 512;
const maxLanguageUnits = 20;
const maxComponentUnits = 32 * 1024;
/** Together with the calls of a registration it has to end within the lease of an integration. */
const syncTimeoutMs = 10_000;

/**
 * Fetches the templates of a number's account, within the bounds above. A failure leaves the stored ones as they are:
 * every check of the integration fetches them again.
 */
export async function syncTemplates(
  { graph, database, log }: Pick<Deps, 'graph' | 'database' | 'log'>,
  number: OfNumber,
  secrets: Pick<WhatsAppSecrets, 'accessToken' | 'appSecret' | 'businessAccountId'>,
): Promise<void> {
  const { tenantId, integrationId } = number;
  const list = await listTemplatesOf(graph, secrets);
  if ('failure' in list)
    return log.warn({ integrationId, reason: list.failure }, 'the templates of a number could not be read');
  try {
    await withTenant(database, [tenantId], (tx) => replaceTemplates(tx, number, list.templates));
  } catch (error) {
    log.warn({ err: error, integrationId }, 'the templates of a number could not be stored');
  }
}

/** The templates of an account, within the bounds; or why they could not be read. */
export async function listTemplatesOf(
  graph: Pick<Deps['graph'], 'listTemplates'>,
  secrets: Pick<WhatsAppSecrets, 'accessToken' | 'appSecret' | 'businessAccountId'>,
): Promise<{ templates: PlatformTemplate[] } | { failure: string }> {
  const signal = AbortSignal.timeout(syncTimeoutMs);
  const templates: PlatformTemplate[] = [];
  let after: string | undefined;
  for (let page = 0; page < maxPages && templates.length < maxTemplates; page += 1) {
    const position = { after, signal };
    const answer = await graph.listTemplates(accessOfSecrets(secrets), secrets.businessAccountId, position);
    if (answer.outcome === 'limited') return { failure: 'the platform asks to wait' };
    if (answer.outcome !== 'ok') return { failure: answer.reason };
    templates.push(...answer.result.templates.filter(isWithinBounds));
    after = answer.result.after;
    if (after === undefined) break;
  }
  return { templates: templates.slice(0, maxTemplates) };
}

const isWithinBounds = ({ name, language, components }: PlatformTemplate): boolean =>
  name.length <= maxNameUnits &&
  language.length <= maxLanguageUnits &&
  JSON.stringify(components).length <= maxComponentUnits;

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
