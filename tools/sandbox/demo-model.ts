/**
 * How the sandbox model answers: always the same for the same words, kind, and honest about what it is. "long", "slow" and "fail" in the
 * last message show how Botyard copes with such answers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { contentText, type ModelReply, type ModelRequest } from '@botyard/shared/testing/fake-model';

const slowMs = 8000;

export async function demoReply(request: ModelRequest): Promise<ModelReply> {
  const people = request.messages.filter((message) => message.role === 'user').map(contentText);
  const last = (people.at(-1) ?? '').replace(/(^|\s)@\w+/g, ' ').trim();
  const asks = (word: string) => new RegExp(`\\b${word}\\b`, 'i').test(last);
  if (asks('fail')) return { status: 500 };
  if (asks('slow')) await sleep(slowMs, undefined, { ref: false });
  if (asks('long')) return longAnswer(last);
  return shortAnswer(request, people.length, last);
}

function shortAnswer(request: ModelRequest, turn: number, last: string): string {
  const isFirst = turn <= 1;
  const isGreeting = /^(\/start|hi|hello|hey|hallo|moin|good (morning|evening|day))\b/i.test(last);
  const opening = isGreeting
    ? isFirst
      ? 'Hello, nice to meet you!'
      : 'Hello again!'
    : 'Thanks for your message.';
  const understood = last === '' ? 'You sent no text.' : `I understood: “${shorten(last, 300)}”.`;
  const memory = isFirst ? '' : ` That was message ${turn} of our conversation.`;
  if (!isFirst && !isGreeting)
    return `${understood}${memory}\n\n_I am only the sandbox model: set \`PRIVATE_LLM_BASE_URL\` for real answers._`;
  const instructions = firstInstruction(request);
  return [
    `${opening} ${understood}${memory}`,
    ...(instructions === '' ? [] : [`My instructions begin with: “${instructions}”`]),
    'I am the **sandbox model**: I only repeat what I hear. Set `PRIVATE_LLM_BASE_URL` (and `PRIVATE_LLM_MODEL`) to connect a real one.',
    'Until then, ask me for something **long**, for something **slow**, or to **fail**.',
  ].join('\n\n');
}

function firstInstruction(request: ModelRequest): string {
  const system = request.messages.find(
    (message) => message.role === 'system' || message.role === 'developer',
  );
  const text = system === undefined ? '' : contentText(system).trim();
  return shorten(text.split(/(?<=[.!?])\s|\n/, 1)[0] ?? '', 160);
}

function shorten(text: string, maxUnits: number): string {
  return text.length <= maxUnits ? text : `${text.slice(0, maxUnits).trimEnd()}…`;
}

function longAnswer(last: string): string {
  const chapters = Array.from({ length: 12 }, (_, index) => chapter(index + 1));
  const code = [
    '```ts',
    'export function greet(name: string): string {',
    '  return "Hello, " + name; // a < b && b > c',
    '}',
    '```',
  ];
  return [
    '# A long answer',
    `You asked: “${shorten(last, 200)}”. This text is longer than one message of the messenger may be, so Botyard **splits** it and keeps the *formatting* whole.`,
    '## Some code',
    code.join('\n'),
    '> A quotation, to see how it looks.',
    ...chapters,
    'That was all. See [the documentation](http://localhost:3001/api/docs) for more.',
  ].join('\n\n');
}

function chapter(number: number): string {
  return [
    `## Part ${number}`,
    'The yard lies by the river, and every morning the same boats come in with the tide. Each of them carries something that another one needs, and nobody leaves before it has been handed over and signed for.',
    `- **First** point of part ${number}, with a word of \`code\``,
    '- *Second* point, a little longer than the first, so that the line has to break somewhere on a narrow screen',
    '- Third point with ~~a mistake~~ a correction',
  ].join('\n');
}
