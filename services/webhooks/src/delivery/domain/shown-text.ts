import { platformDefinitions } from '@botyard/contracts/http/platform';
import type { TextThread } from '../../platforms/adapter.ts';
import { withButtons } from '../../platforms/domain/with-choices.ts';
import type { TextToFormat } from '../../platforms/platform.ts';
import { cleanInput } from '../../text/domain/markdown/clean-input.ts';
import { isQuicklyLexed } from '../../text/domain/markdown/lex-markdown.ts';
import { toPlainText } from '../../text/domain/markdown/plain-text.ts';
import type { NewReply } from '../store/replies.ts';

/** A reply's text as its platform gets it: without marks if it shows no formatting. @throws TaskError. */
export async function toShownText(
  texts: Pick<TextThread, 'format'>,
  { platform, tenantId, text, choices }: NewReply,
  signal: AbortSignal,
): Promise<TextToFormat> {
  const shown = withButtons(platform, text, choices ?? []);
  const { formatting } = platformDefinitions[platform].capabilities;
  if (formatting) return { tenantId, ...shown, signal };
  const { markdown } = shown;
  const words = isQuicklyLexed(markdown)
    ? toPlainText(markdown)
    : await texts.format('toPlainText', { owner: tenantId, markdown, signal }, cleanInput);
  return { tenantId, ...shown, markdown: words, signal };
}
