import { cutText } from '../../../text/domain/clean-text.ts';

/** A choice under a message. The platform sends its identifier and its title back. */
export interface Choice {
  id: string;
  title: string;
}

/** An approved template, with the texts for its gaps. */
export interface TemplateToSend {
  name: string;
  language: string;
  components: readonly Readonly<Record<string, unknown>>[];
}

/** One message: its text, and what else belongs to it. */
export type ReplyContent = {
  text: string;
  choices?: readonly Choice[];
  template?: TemplateToSend;
};

const maxButtons = 3;
const maxButtonUnits = 20;
const maxRows = 10;
const maxRowUnits = 24;
const maxRowDetailUnits = 72;
/** The platform's limit of a text with choices under it. */
export const maxUnitsWithChoices = 1024;

/** A message as the platform takes it, without its addressee. */
export function messageOf({ text, choices = [], template }: ReplyContent): object {
  if (template) {
    const { name, language, components } = template;
    return { type: 'template', template: { name, language: { code: language }, components } };
  }
  if (choices.length === 0) return { type: 'text', text: { preview_url: false, body: text } };
  const body = { text: cutText(text, maxUnitsWithChoices) };
  const isShort =
    choices.length <= maxButtons && choices.every(({ title }) => title.length <= maxButtonUnits);
  return { type: 'interactive', interactive: isShort ? buttonsOf(body, choices) : listOf(body, choices) };
}

const buttonsOf = (body: object, choices: readonly Choice[]): object => ({
  type: 'button',
  body,
  action: { buttons: choices.map(({ id, title }) => ({ type: 'reply', reply: { id, title } })) },
});

/** A longer title is cut, and stands in full below it. */
const listOf = (body: object, choices: readonly Choice[]): object => ({
  type: 'list',
  body,
  action: {
    button: '☰',
    sections: [
      {
        rows: choices.slice(0, maxRows).map(({ id, title }) => ({
          id,
          title: shortened(title, maxRowUnits),
          ...(title.length > maxRowUnits ? { description: shortened(title, maxRowDetailUnits) } : {}),
        })),
      },
    ],
  },
});

const shortened = (text: string, maxUnits: number): string =>
  text.length <= maxUnits ? text : `${cutText(text, maxUnits - 1)}…`;
