/**
 * The sandbox model's tool calls, their arguments, and its answers to their results. It recognizes tools by name.
 */
import type { ModelReply, OfferedTool, ToolResult } from '@botyard/testing/fake-model';
import { shorten } from './prepared-answers.ts';

type Wish = { tool: RegExp; words: RegExp; argument: RegExp; valueOf: (text: string) => string | string[] };

const sum = /\(?-?\d[\d\s.,()]*(?:[-+*/×÷^%]\s*\(?-?\d[\d\s.,()]*)+/;
const address = /https?:\/\/[^\s<>"]+/;

const wishes: Wish[] = [
  {
    tool: /calc|math/i,
    words: new RegExp(
      `\\b(?:what(?:'s| is)|calculate|compute|work out|how much)\\b[^\\d(]{0,40}${sum.source}|^${sum.source}[=?\\s]*$`,
      'i',
    ),
    argument: /expr|formula|input/i,
    valueOf: (text) => (sum.exec(text)?.[0] ?? '').trim().replaceAll('×', '*').replaceAll('÷', '/'),
  },
  {
    tool: /time|clock|date/i,
    words: /\bwhat (?:time|day|date)\b|\bcurrent time\b|\bhow late\b/i,
    argument: /zone/i,
    valueOf: () => 'UTC',
  },
  {
    tool: /http|fetch/i,
    words: address,
    argument: /url|address/i,
    valueOf: (text) => address.exec(text)?.[0] ?? '',
  },
  {
    tool: /search|context|document/i,
    words: /\bdocuments?\b|\bhandbook\b|\blook up\b|\bsearch\b|\bpolicy\b/i,
    argument: /query|question|text/i,
    valueOf: (text) => shorten(text, 200),
  },
  {
    tool: /echo/i,
    words: /\becho\b/i,
    argument: /message|text/i,
    valueOf: (text) => shorten(text.slice(text.search(/\becho\b/i) + 'echo'.length).trim(), 200),
  },
  {
    tool: /choice/i,
    words: /\bchoose\b/i,
    argument: /choices/i,
    valueOf: choicesIn,
  },
];

/** The texts after a colon, or usual ones: `let me choose: tea, coffee`. */
function choicesIn(text: string): string[] {
  const [, list = ''] = /\bchoose\b[^:]{0,40}:(.{1,400})/is.exec(text) ?? [];
  const texts = list
    .split(/[,\n]/)
    .map((one) => shorten(one.trim(), 39))
    .filter((one) => one !== '');
  return texts.length > 0
    ? [...new Set(texts)].slice(0, 10)
    : ['Opening hours', 'Prices', 'A person, please'];
}

/** Returns the call that these words ask for, or `undefined` if no offered tool matches. */
export function toolCallFor(tools: readonly OfferedTool[], text: string): ModelReply | undefined {
  for (const wish of wishes) {
    const tool = wish.words.test(text) ? tools.find(({ name }) => wish.tool.test(name)) : undefined;
    if (tool === undefined) continue;
    return { toolCalls: [{ name: tool.name, arguments: argumentsFor(tool, wish, text) }] };
  }
  return undefined;
}

/** Returns the result in the message with which Botyard tells what a call gave after its approval. */
export function approvedResultIn(text: string): Pick<ToolResult, 'name' | 'text'> | undefined {
  const [, name] = /^The call of (\S+) that you asked for was approved/.exec(text) ?? [];
  const [, result = ''] = text.split('\n\n');
  return name === undefined ? undefined : { name, text: result.replaceAll(/^> ?/gm, '') };
}

export function answerFrom(results: readonly Pick<ToolResult, 'name' | 'text'>[]): string {
  if (results.every(({ name }) => /choice/i.test(name))) return 'What would you like?';
  const lines = results.map(({ name, text }) => {
    const shown = shorten(text, 1500);
    return shown.includes('\n') || shown.length > 80
      ? `**${name}** answered:\n\n${quoted(shown)}`
      : `**${name}** answered: \`${shown.replaceAll('`', "'")}\``;
  });
  return [...lines, '_I am only the sandbox model, but the tool is real._'].join('\n\n');
}

/** Fills the argument with a matching name, or else the first required argument. */
function argumentsFor({ parameters }: OfferedTool, wish: Wish, text: string): Record<string, unknown> {
  const { properties = {}, required = [] } = (parameters ?? {}) as {
    properties?: Record<string, unknown>;
    required?: string[];
  };
  const names = Object.keys(properties);
  const name = names.find((one) => wish.argument.test(one)) ?? required[0];
  return name === undefined ? {} : { [name]: wish.valueOf(text) };
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}
