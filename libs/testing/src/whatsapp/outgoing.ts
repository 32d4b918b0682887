/** The platform's checks of a message to send. */
import { GraphError, type SentButton, type ShownMessage, type Template } from './types.ts';

type Fields = Record<string, unknown>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);

const invalid = (details: string) => new GraphError(100, 'Invalid parameter', { details });
const unfit = (details: string) => new GraphError(131009, 'Parameter value is not valid', { details });

/** The content that the person reads. @throws GraphError as the platform refuses it. */
export function readOutgoing(params: Fields, templates: readonly Template[]): ShownMessage {
  switch (params.type ?? 'text') {
    case 'text':
      return { text: textWithin(fieldsOf(params.text).body, 4096, 'text.body'), buttons: [] };
    case 'interactive':
      return interactive(fieldsOf(params.interactive));
    case 'template':
      return filled(fieldsOf(params.template), templates);
    case 'image':
    case 'video':
    case 'audio':
    case 'document':
    case 'sticker': {
      const file = fieldsOf(params[String(params.type)]);
      if (!file.id && !file.link) throw invalid(`${params.type} needs an id or a link`);
      return { text: String(file.caption ?? ''), buttons: [] };
    }
    default:
      throw new GraphError(131051, 'Unsupported message type', { details: `type ${String(params.type)}` });
  }
}

function textWithin(value: unknown, most: number, name: string): string {
  if (typeof value !== 'string' || value.trim() === '') throw invalid(`${name} is required`);
  if (value.length > most) throw invalid(`${name} must be at most ${most} characters`);
  return value;
}

function interactive(content: Fields): ShownMessage {
  const text = textWithin(fieldsOf(content.body).text, 1024, 'interactive.body.text');
  const action = fieldsOf(content.action);
  if (content.type === 'button') {
    const buttons = listOf(action.buttons).map(({ reply }) => buttonOf(fieldsOf(reply), 20, 256));
    if (buttons.length < 1 || buttons.length > 3) throw unfit('buttons must be 1 to 3');
    return { text, buttons: distinct(buttons), pressedAs: 'button_reply' };
  }
  if (content.type !== 'list') throw unfit(`interactive type ${String(content.type)}`);
  textWithin(action.button, 20, 'action.button');
  const rows = listOf(action.sections)
    .flatMap(({ rows }) => listOf(rows))
    .map(rowOf);
  if (rows.length < 1 || rows.length > 10) throw unfit('rows must be 1 to 10');
  return { text, buttons: distinct(rows), pressedAs: 'list_reply' };
}

function buttonOf({ id, title }: Fields, mostTitle: number, mostId: number): { id: string; title: string } {
  return { id: textWithin(id, mostId, 'id'), title: textWithin(title, mostTitle, 'title') };
}

function rowOf(row: Fields): SentButton {
  const button = buttonOf(row, 24, 200);
  if (row.description === undefined) return button;
  return { ...button, description: textWithin(row.description, 72, 'description') };
}

function distinct(buttons: SentButton[]): SentButton[] {
  if (new Set(buttons.map(({ id }) => id)).size < buttons.length) throw unfit('ids must differ');
  return buttons;
}

function filled({ name, language, components }: Fields, templates: readonly Template[]): ShownMessage {
  const code = fieldsOf(language).code;
  const template = templates.find((one) => one.name === name && one.language === code);
  if (template?.status !== 'APPROVED')
    throw new GraphError(132001, 'Template name does not exist in the translation', { status: 404 });
  const partOf = (wanted: string): Fields => template.components.find(({ type }) => type === wanted) ?? {};
  const body = String(partOf('BODY').text ?? '');
  const wanted = [...body.matchAll(/\{\{(\w+)\}\}/g)].map(([, gap]) => String(gap));
  const parameters = listOf(listOf(components).find(({ type }) => type === 'body')?.parameters);
  if (parameters.length !== new Set(wanted).size)
    throw new GraphError(132000, 'Number of parameters does not match the expected number of params', {
      details: `body: number of localizable_params (${parameters.length}) does not match the expected number of params (${wanted.length})`,
    });
  const text = body.replace(/\{\{(\w+)\}\}/g, (_, gap: string) => {
    const isNamed = template.parameter_format === 'NAMED';
    const parameter = isNamed
      ? parameters.find(({ parameter_name: named }) => named === gap)
      : parameters[Number(gap) - 1];
    const text = parameter?.text;
    if (typeof text !== 'string' || text === '') throw invalid('parameter name is missing or empty');
    if (/[\n\t]| {5}/.test(text))
      throw new GraphError(132018, 'There is an issue with the parameters in your template');
    return text;
  });
  const textIn = (part: string): string | undefined => {
    const { text: words } = partOf(part);
    return typeof words === 'string' ? words : undefined;
  };
  return {
    text,
    header: textIn('HEADER'),
    footer: textIn('FOOTER'),
    buttons: listOf(partOf('BUTTONS').buttons).map(templateButton),
    pressedAs: 'button',
  };
}

/** Without a payload of the sender the label comes back. */
function templateButton({ type, text, url, phone_number: phone }: Fields): SentButton {
  const title = String(text);
  if (type === 'URL') return { id: title, title, address: String(url) };
  if (type === 'PHONE_NUMBER') return { id: title, title, address: `tel:${String(phone)}` };
  return { id: title, title };
}
