import type { WhatsAppSecrets } from '@botyard/contracts/platforms/whatsapp';
import { withTenant } from '@botyard/shared/db/database';
import type { PlatformTemplate } from '../clients/results.ts';
import type { Deps } from '../deps.ts';
import type { OfNumber } from '../store/people.ts';
import { replaceTemplates } from '../store/templates.ts';
import { accessOfSecrets } from './access.ts';

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
