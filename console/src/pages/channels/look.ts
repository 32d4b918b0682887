import type {
  AnswersByMail,
  ThumbsAtAnswers,
  WebchatTheme,
  WebchatWords,
} from '@botyard/contracts/platforms/webchat';
import { linesOf } from '../../parts/split-text.ts';
import { type Hours, hoursOf } from './hours.ts';

/** Look and words of the chat, as they are stored and as the preview shows them. */
export interface Look {
  theme: WebchatTheme;
  words: WebchatWords;
  /** `null`: there is always somebody. */
  hours: Hours | null;
  answersByMail: AnswersByMail;
  thumbs: ThumbsAtAnswers;
}

/** The widget's own color. */
export const usualColor = '#1d4ed8';

const filledOnly = <Values extends object>(values: Values): Partial<Values> =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== '' && value.length !== 0),
  ) as Partial<Values>;

/** The look with what was typed for one language. */
export function withTyped({ words }: Look, language: string, typed: Readonly<Record<string, string>>): Look {
  const {
    color = usualColor,
    position,
    appearance,
    title = '',
    greeting = '',
    suggestions,
    away = '',
  } = typed;
  const own = filledOnly({ title, greeting, suggestions: linesOf(suggestions), away });
  return {
    theme: filledOnly({ color, position, appearance }) as WebchatTheme,
    words: { ...words, [language]: own },
    hours: hoursOf(typed),
    answersByMail: typed.answersByMail === 'none' ? 'none' : 'offered',
    thumbs: typed.thumbs === 'none' ? 'none' : 'offered',
  };
}

/** Languages without words are not stored. */
export const storedWords = (words: WebchatWords): WebchatWords =>
  Object.fromEntries(Object.entries(words).filter(([, own]) => Object.keys(own).length > 0));
