/**
 * The sandbox model's answers. The same words always get the same answer, and the model says that it is a sandbox. Some
 * words produce long, slow, hostile or missing answers. The model calls tools if they are offered.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { contentText, type ModelReply, type ModelRequest } from '@botyard/testing/fake-model';
import { verdictOf } from './demo-judge.ts';
import { recordCallFor } from './demo-records.ts';
import { answerFrom, approvedResultIn, toolCallFor } from './demo-tools.ts';
import { hostileAnswer, longAnswer, shorten } from './prepared-answers.ts';

const slowMs = 8000;
/** Exceeds every timeout for models. */
const silentMs = 10 * 60_000;

/** Suggested messages for new users, with what each demonstrates. */
export const showcases: readonly { words: string; shows: string }[] = [
  { words: 'hello', shows: 'the answering agent and its instructions' },
  { words: 'a long answer, please', shows: 'several messages in order, with intact formatting' },
  { words: 'calculate 12 * 34', shows: 'another agent, and its tool if it has one' },
  { words: 'let me choose: tea, coffee', shows: 'choices under an answer' },
  { words: 'be slow', shows: 'typing until the answer arrives' },
  { words: 'please fail', shows: 'a provider that is down' },
  { words: 'run into a rate limit', shows: 'a provider that is busy' },
  { words: 'a hostile answer', shows: 'markup and scripts stay text' },
];

/** Suggested where an MCP server runs. */
export const toolServerShowcase = {
  words: 'echo good morning',
  shows: 'a tool of an MCP server, if the agent has one',
};

export async function demoReply(request: ModelRequest): Promise<ModelReply> {
  const verdict = verdictOf(request);
  if (verdict !== undefined) return verdict;
  const people = request.messages.filter((message) => message.role === 'user').map(contentText);
  const last = withoutQuotation(people.at(-1) ?? '')
    .replace(/(^|\s)@\w+/g, ' ')
    .trim();
  const result = approvedResultIn(last);
  if (result) return answerFrom([result]);
  const asks = (words: RegExp) => new RegExp(`\\b(?:${words.source})\\b`, 'i').test(last);
  if (asks(/fail|crash/)) return { status: 500 };
  if (asks(/rate limit|too many requests/)) return { status: 429, retryAfter: 2 };
  if (asks(/time ?out|hang/)) await pause(silentMs);
  if (asks(/slow|slowly/)) await pause(slowMs);
  if (asks(/hostile|evil/)) return hostileAnswer();
  if (asks(/long/)) return longAnswer(last);
  if (request.toolResults.length > 0) return answerFrom(request.toolResults);
  const call = recordCallFor(request.tools, last) ?? toolCallFor(request.tools, last);
  return call ?? shortAnswer(request, people.length, last);
}

/** Returns the person's own text, without the quotation that Botyard adds before it. */
function withoutQuotation(text: string): string {
  return text.replace(/^[^\n]*quotation[^\n]*\n+(?:>[^\n]*(?:\n+|$))+/i, '');
}

/** Waits without keeping the process alive. */
function pause(ms: number): Promise<void> {
  return sleep(ms, undefined, { ref: false });
}

function shortAnswer(request: ModelRequest, turn: number, last: string): string {
  const isFirst = turn <= 1;
  const isGreeting = /^(\/start|hi|hello|hey|hallo|moin|good (morning|evening|day))\b/i.test(last);
  const opening = isGreeting
    ? isFirst
      ? 'Hello, nice to meet you!'
      : 'Hello again!'
    : 'Thanks for your message.';
  const understood = `${picturesShown(request)}${last === '' ? 'You sent no text.' : `I understood: “${shorten(last, 300)}”.`}`;
  const memory = isFirst ? '' : ` That was message ${turn} of our conversation.`;
  const instructions = firstInstruction(request);
  if (!isFirst && !isGreeting) return `${understood}${memory}\n\n${reminder(instructions)}`;
  return [
    `${opening} ${understood}${memory}`,
    ...(instructions === '' ? [] : [`My instructions begin with: “${instructions}”`]),
    'I am the **sandbox model**: I only repeat what I hear. Set `PRIVATE_LLM_BASE_URL` (and `PRIVATE_LLM_MODEL`) to connect a real one.',
    'Until then, ask me for a **long** answer, a **hostile** one, to be **slow**, to **fail**, or to run into a **rate limit**.',
  ].join('\n\n');
}

/** Describes the number of pictures in the newest message. */
function picturesShown(request: ModelRequest): string {
  const content = request.messages.findLast(({ role }) => role === 'user')?.content;
  const parts = Array.isArray(content) ? (content as { type?: string }[]) : [];
  const count = parts.filter(({ type }) => type === 'image_url' || type === 'image').length;
  return count === 0 ? '' : `I was shown ${count === 1 ? 'a picture' : `${count} pictures`}. `;
}

/** Returns a closing note that names the answering agent. */
function reminder(instructions: string): string {
  const role = instructions === '' ? '' : `, here with “${shorten(instructions, 60)}”`;
  return `_I am only the sandbox model${role}. Set \`PRIVATE_LLM_BASE_URL\` for real answers._`;
}

function firstInstruction(request: ModelRequest): string {
  const system = request.messages.find(
    (message) => message.role === 'system' || message.role === 'developer',
  );
  const text = system === undefined ? '' : contentText(system).trim();
  return shorten(text.split(/(?<=[.!?])\s|\n/, 1)[0] ?? '', 160);
}
