import type { OutboundTemplate } from '@botyard/contracts/events/webhook-templates';
import type { MessageTemplate } from '@botyard/contracts/http/interactions-templates';
import { gapsOf, templateLimits } from '@botyard/contracts/template-text';
import { withTenant } from '@botyard/shared/db/database';
import type { z } from 'zod';
import { type Fields, record, records, textOf } from '../../domain/fields.ts';
import type { Templates } from '../../domain/templates.ts';
import type { Deps } from '../deps.ts';
import { listTemplates, type TemplateRow } from '../store/templates.ts';
import { connector } from './connection.ts';
import type { ReplyContent } from './outgoing.ts';
import { findPerson, isClosed } from './send-message.ts';

type OfferedTemplate = z.output<typeof MessageTemplate>;
type Component = Readonly<Record<string, unknown>>;

export const createTemplates = ({
  endpoints,
  database,
}: Pick<Deps, 'endpoints' | 'database'>): Templates<ReplyContent> => ({
  list: async ({ tenantId, botId, platformChatId }) => {
    const endpoint = await endpoints.find(connector, botId);
    if (!endpoint || endpoint.tenantId !== tenantId)
      return { isWindowOpen: true, templates: [], unavailable: [] };
    const [person, rows] = await Promise.all([
      findPerson({ database }, endpoint, platformChatId),
      withTenant(database, [tenantId], (tx) => listTemplates(tx, endpoint)),
    ]);
    return { isWindowOpen: !isClosed(person), ...offerTemplates(rows) };
  },
  payloadOf: ({ text, template: { name, language, parameters } }) => ({
    text,
    template: { name, language, components: componentsOf(parameters) },
  }),
});

/** The texts for the gaps, as the platform takes them: by number or by name. */
function componentsOf(parameters: OutboundTemplate['parameters']): Component[] {
  if (parameters.length === 0) return [];
  const isNumbered = parameters.every(({ name }) => /^\d+$/.test(name));
  const texts = parameters.map(({ name, text }) => ({
    type: 'text',
    ...(isNumbered ? {} : { parameter_name: name }),
    text,
  }));
  return [{ type: 'body', parameters: texts }];
}

/** The templates that can be sent with texts alone, and the reasons of the others. */
export function offerTemplates(
  rows: readonly Omit<TemplateRow, 'tenantId' | 'integrationId' | 'syncedAt'>[],
) {
  const templates: OfferedTemplate[] = [];
  const unavailable: { name: string; language: string; reason: string }[] = [];
  for (const { name, language, status, category, components } of rows) {
    const reason =
      status === 'APPROVED' ? obstacleOf(components) : `WhatsApp has not approved it (${status})`;
    if (reason === undefined) templates.push({ name, language, category, ...textsOf(components) });
    else unavailable.push({ name, language, reason });
  }
  return { templates, unavailable };
}

const componentOf = (components: readonly Component[], wanted: string): Fields =>
  record(components.find(({ type }) => type === wanted)) ?? {};

function textsOf(components: readonly Component[]) {
  const { text, example } = componentOf(components, 'BODY');
  const body = textOf(text);
  return {
    header: textOf(componentOf(components, 'HEADER').text) || null,
    body,
    footer: textOf(componentOf(components, 'FOOTER').text) || null,
    buttons: records(componentOf(components, 'BUTTONS').buttons).map((button) => textOf(button.text)),
    parameters: parametersOf(body, record(example) ?? {}),
  };
}

/** The gaps of a body with the examples that the business gave for its approval. */
function parametersOf(body: string, examples: Fields): { name: string; example?: string }[] {
  const named = new Map(
    records(examples.body_text_named_params).map((one) => [textOf(one.param_name), textOf(one.example)]),
  );
  const [numbered] = Array.isArray(examples.body_text) ? (examples.body_text as unknown[]) : [];
  return gapsOf(body).map((name, index) => {
    const example = named.get(name) || textOf(Array.isArray(numbered) ? numbered[index] : undefined);
    return { name, ...(example === '' ? {} : { example: example.slice(0, templateLimits.parameterUnits) }) };
  });
}

const hasGaps = (text: unknown): boolean => gapsOf(textOf(text)).length > 0;

/** Why a template can't be sent from the inbox: it needs more than texts for its body. */
function obstacleOf(components: readonly Component[]): string | undefined {
  const reasons = components
    .map((component) => obstacleOfPart(component))
    .filter((reason) => reason !== undefined);
  if (reasons.length > 0) return reasons[0];
  const body = textOf(componentOf(components, 'BODY').text);
  if (body === '') return 'it has no text';
  return gapsOf(body).length > templateLimits.parameters ? 'it has too many gaps' : undefined;
}

function obstacleOfPart({ type, format, text, buttons }: Component): string | undefined {
  switch (type) {
    case 'BUTTONS':
      return obstacleOfButtons(records(buttons));
    case 'HEADER':
      if (format !== 'TEXT') return 'its header is a file or a place';
      if (hasGaps(text)) return 'its header has gaps';
      break;
    case 'BODY':
    case 'FOOTER':
      break;
    default:
      return `it has a part that is not supported (${textOf(type).slice(0, 40)})`;
  }
  return textOf(text).length > templateLimits.textUnits ? 'its text is too long' : undefined;
}

const sendableButtons = ['QUICK_REPLY', 'URL', 'PHONE_NUMBER'];
const maxUnitsOfLabel = 200;

function obstacleOfButtons(buttons: readonly Fields[]): string | undefined {
  const other = buttons.find(({ type }) => !sendableButtons.includes(textOf(type)));
  if (other) return `it has a button that is not supported (${textOf(other.type).slice(0, 40)})`;
  if (buttons.some(({ url }) => hasGaps(url))) return 'the address of a button has gaps';
  return buttons.some(({ text }) => textOf(text).length > maxUnitsOfLabel)
    ? 'the label of a button is too long'
    : undefined;
}
