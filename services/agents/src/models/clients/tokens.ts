import type { ModelMessage } from 'ai';

/** A request to a model, as far as its length depends on it. */
export interface MeasuredRequest {
  instructions: string;
  messages: readonly ModelMessage[];
  tools: readonly { name: string; description: string; parameters: Record<string, unknown> }[];
}

/** The cost of a request's structure around each of its texts, in tokens. */
const tokensOfFrame = 4;
/** An estimate, because each provider counts pictures in its own way. */
export const tokensOfPicture = 2000;

/**
 * Tokens for each UTF-16 unit by the range that begins at its code. English words have about four letters a token.
 * Other alphabets have fewer, and Chinese, Japanese and Korean have about one character a token. Scripts that few
 * models have learned are divided further, down to their bytes. Both halves of a pair count, so an emoji has three.
 */
const weights: readonly (readonly [firstCode: number, tokens: number])[] = [
  [0x0000, 0.25],
  [0x0080, 0.5],
  [0x0250, 1],
  [0x0370, 0.5],
  [0x0530, 1],
  [0x0590, 0.6],
  [0x0700, 1.2],
  [0x1e00, 0.6],
  [0x2000, 0.5],
  [0x2070, 1],
  [0x3000, 1],
  [0xa000, 1.5],
  [0xac00, 1],
  [0xd800, 1.5],
  [0xe000, 1.5],
  [0xf900, 1],
  [0xfb50, 1],
];

const weightOfCode = new Float32Array(0x10000);
for (const [index, [firstCode, tokens]] of weights.entries())
  weightOfCode.fill(tokens, firstCode, weights[index + 1]?.[0] ?? weightOfCode.length);

/**
 * The estimated tokens of a text, by its script. It is the only estimate: windows, reservations and the counts of
 * answers without numbers use it.
 */
export function tokensOf(text: string): number {
  let tokens = 0;
  for (let index = 0; index < text.length; index += 1) tokens += weightOfCode[text.charCodeAt(index)]!;
  return Math.ceil(tokens);
}

/** The beginning of a text that has at most so many tokens, without half of a pair at its end. */
export function startOf(text: string, maxTokens: number): string {
  let left = maxTokens;
  for (let index = 0; index < text.length; index += 1) {
    left -= weightOfCode[text.charCodeAt(index)]!;
    if (left >= 0) continue;
    const isSplit = /[\ud800-\udbff]/.test(text[index - 1] ?? '') && /[\udc00-\udfff]/.test(text[index]!);
    return text.slice(0, isSplit ? index - 1 : index);
  }
  return text;
}

/** The estimated tokens of a request. */
export function tokensOfRequest({ instructions, messages, tools }: MeasuredRequest): number {
  const texts = [instructions, ...tools.map((tool) => JSON.stringify(tool))].filter((text) => text !== '');
  const beside = texts.reduce((sum, text) => sum + tokensOf(text) + tokensOfFrame, 0);
  return beside + tokensOfMessages(messages);
}

const tokensOfMessages = (messages: readonly ModelMessage[]): number =>
  messages.reduce((sum, { content }) => sum + tokensOfContent(content) + tokensOfFrame, 0);

export function tokensOfContent(content: ModelMessage['content']): number {
  if (typeof content === 'string') return tokensOf(content);
  return content.reduce((sum, part) => sum + tokensOfPart(part), 0);
}

function tokensOfPart(part: Exclude<ModelMessage['content'], string>[number]): number {
  if (part.type === 'text') return tokensOf(part.text);
  return part.type === 'file' || part.type === 'image' ? tokensOfPicture : tokensOf(JSON.stringify(part));
}
