import { platformDefinitions } from '@botyard/contracts/http/platform';
import { listChoices } from '../../platforms/domain/with-choices.ts';
import type { TextToFormat } from '../../platforms/platform.ts';
import type { NewReply } from '../store/replies.ts';

/** A reply's text and the buttons under it. A platform without buttons gets them as a list at the end of the text. */
export function withChoices({
  text,
  choices,
  platform,
}: Pick<NewReply, 'text' | 'choices' | 'platform'>): Pick<TextToFormat, 'markdown' | 'choices'> {
  const texts = choices ?? [];
  if (platformDefinitions[platform].capabilities.buttons) return { markdown: text, choices: texts };
  return { markdown: listChoices(text, texts), choices: [] };
}
