import { cutText } from '../../../text/domain/clean-text.ts';

/** An approved template, with the texts for its gaps. */
interface TemplateToSend {
  name: string;
  language: string;
  components: readonly Readonly<Record<string, unknown>>[];
}

/** One message: its text, and what else belongs to it. */
export type ReplyContent = {
  text: string;
  /** Texts of buttons under the message, all different. */
  choices?: readonly string[];
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
  const isShort = choices.length <= maxButtons && choices.every((choice) => choice.length <= maxButtonUnits);
  return { type: 'interactive', interactive: isShort ? buttonsOf(body, choices) : listOf(body, choices) };
}

/** The platform sends the identifier and the title of a pressed button back. */
const buttonsOf = (body: object, choices: readonly string[]): object => ({
  type: 'button',
  body,
  action: { buttons: choices.map((choice) => ({ type: 'reply', reply: { id: choice, title: choice } })) },
});

/** A longer text is cut, and stands in full below it. */
const listOf = (body: object, choices: readonly string[]): object => ({
  type: 'list',
  body,
  action: {
    button: '☰',
    sections: [
      {
        rows: choices.slice(0, maxRows).map((choice) => ({
          id: choice,
          title: shortened(choice, maxRowUnits),
          ...(choice.length > maxRowUnits ? { description: shortened(choice, maxRowDetailUnits) } : {}),
        })),
      },
    ],
  },
});

const shortened = (text: string, maxUnits: number): string =>
  text.length <= maxUnits ? text : `${cutText(text, maxUnits - 1)}…`;
