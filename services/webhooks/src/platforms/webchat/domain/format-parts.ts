import { webchatLimits } from '@botyard/contracts/platforms/webchat';
import { cleanInput } from '../../../text/domain/markdown/clean-input.ts';

/** One message of the window, in Markdown. The window itself makes elements of it, never HTML. */
export type WebchatPart = { markdown: string; choices?: readonly string[] };

/** Splits at the end of a paragraph, else of a line, else of a word. */
export function formatParts(markdown: string): WebchatPart[] {
  const parts: WebchatPart[] = [];
  let rest = cleanInput(markdown).trim();
  while (rest !== '') {
    const part = rest.length <= webchatLimits.textLength ? rest : rest.slice(0, breakOf(rest));
    if (part.trim() !== '') parts.push({ markdown: part.trim() });
    rest = rest.slice(part.length).trimStart();
  }
  return parts;
}

function breakOf(text: string): number {
  const most = webchatLimits.textLength;
  const places = ['\n\n', '\n', ' '].map((mark) => text.lastIndexOf(mark, most));
  const place = places.find((one) => one > most / 2) ?? most;
  const splitsPair =
    /[\ud800-\udbff]/.test(text[place - 1] ?? '') && /[\udc00-\udfff]/.test(text[place] ?? '');
  return splitsPair ? place - 1 : place;
}
