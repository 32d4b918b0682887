/** Answers word by word, as server-sent events of either provider. */
import type { ServerResponse } from 'node:http';
import { anthropicEvents } from './anthropic-wire.ts';
import { type Completion, type ModelRequest, toolCallsOnWire, wantsUsage } from './wire.ts';

/** Ends early, without an error, when the fake is closed. */
type Pause = () => Promise<void>;

export async function streamAnswer(
  res: ServerResponse,
  { request, completion }: { request: ModelRequest; completion: Completion },
  pause: Pause,
): Promise<void> {
  res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  const words = completion.text.match(/\s*\S+\s*/g) ?? [];
  const isAnthropic = request.protocol === 'anthropic';
  const events = isAnthropic
    ? anthropicEvents(completion, words).map((event) => ({ name: String(event.type), data: event }))
    : openaiChunks(completion, { words, withUsage: wantsUsage(request) }).map((data) => ({ name: '', data }));
  for (const { name, data } of events) {
    if (res.destroyed) return;
    res.write(`${name === '' ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`);
    if (isWord(data)) await pause();
  }
  res.end(isAnthropic ? '' : 'data: [DONE]\n\n');
}

function openaiChunks(
  completion: Completion,
  { words, withUsage }: { words: readonly string[]; withUsage: boolean },
): Record<string, unknown>[] {
  const { id, created, model, usage, finishReason } = completion;
  const about = { id, object: 'chat.completion.chunk', created, model };
  const chunk = (choices: unknown[], last: unknown = null) => ({
    ...about,
    choices,
    ...(withUsage ? { usage: last } : {}),
  });
  const delta = (content: Record<string, unknown>, ending: string | null = null) =>
    chunk([{ index: 0, delta: content, finish_reason: ending }]);
  const calls = toolCallsOnWire(completion.toolCalls).map((one, index) => ({ index, ...one }));
  return [
    delta({ role: 'assistant', content: '' }),
    ...words.map((content) => delta({ content })),
    ...(calls.length === 0 ? [] : [delta({ tool_calls: calls })]),
    delta({}, finishReason),
    ...(withUsage ? [chunk([], usage)] : []),
  ];
}

function isWord(data: Record<string, unknown>): boolean {
  return data.type === 'content_block_delta' || data.object === 'chat.completion.chunk';
}
