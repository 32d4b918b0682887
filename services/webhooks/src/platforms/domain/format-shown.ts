import { cleanInput } from '../../text/domain/markdown/clean-input.ts';
import type { TextThread } from '../adapter.ts';
import type { Platform, TextToFormat } from '../platform.ts';
import { listChoices } from './with-choices.ts';

/**
 * The `format` of an adapter, with only what its platform shows: without buttons the choices are a list at the end of
 * the text, and without formatting the text is plain words.
 */
export function formatShown(
  format: Platform['format'],
  { buttons, formatting }: { buttons: boolean; formatting: boolean },
  texts: Pick<TextThread, 'format'>,
): Platform['format'] {
  const wordsOf = ({ tenantId: owner, markdown, signal }: TextToFormat): Promise<string> =>
    texts.format('toPlainText', { owner, markdown, signal }, cleanInput);
  return async (text) => {
    const shown = buttons
      ? text
      : { ...text, markdown: listChoices(text.markdown, text.choices), choices: [] };
    return await format(formatting ? shown : { ...shown, markdown: await wordsOf(shown) });
  };
}
