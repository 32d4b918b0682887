import type { adjustmentNames, ModelAdjustments } from '@botyard/contracts/http/adjustments';
import type { ModelProtocol } from '@botyard/contracts/providers';
import { thoughtFields } from './chat-answer.ts';
import { type JsonRecord, listOf, recordOf, textOrNothing } from './json.ts';

export type Adjustment = (typeof adjustmentNames)[number];
/** The form of request that a model at an address accepts. */
export type Adjustments = ModelAdjustments;

export const noAdjustments: Adjustments = { leftOut: [] };

type Body = Record<string, unknown>;

/** The form of a request that a model accepts. */
export function adjusted(body: JsonRecord, { leftOut, maxOutputTokens }: Adjustments): Body {
  const accepted: Body = { ...body };
  for (const adjustment of leftOut) changes[adjustment](accepted);
  const limit = limitIn(accepted);
  if (limit && maxOutputTokens !== undefined && Number(accepted[limit]) > maxOutputTokens)
    accepted[limit] = maxOutputTokens;
  // Some servers refuse settings about tools without tools.
  if (accepted.tools === undefined)
    for (const field of ['tool_choice', 'parallel_tool_calls']) delete accepted[field];
  if (accepted.stream !== true) delete accepted.stream_options;
  return accepted;
}

/** The field that limits the answer. */
export const limitIn = (body: JsonRecord): 'max_tokens' | 'max_completion_tokens' | undefined =>
  body.max_completion_tokens !== undefined
    ? 'max_completion_tokens'
    : body.max_tokens !== undefined
      ? 'max_tokens'
      : undefined;

/** The parts of a request that a model may refuse. */
export function adjustableIn(body: JsonRecord, protocol: ModelProtocol): Set<Adjustment> {
  const messages = listOf(body.messages).map(recordOf);
  const has: Partial<Record<Adjustment, boolean>> = {
    strict: listOf(body.tools).some((tool) => recordOf(recordOf(tool).function).strict !== undefined),
    images: messages.some(({ content }) => listOf(content).some(isImage)),
    system: messages.some(({ role }) => role === 'system'),
    developer: messages.some(({ role }) => role === 'developer'),
    thoughts: messages.some(hasThoughts),
    null_content: messages.some(({ content }) => content === null),
    // Anthropic's protocol requires a limit.
    max_tokens: protocol !== 'anthropic' && body.max_tokens !== undefined,
  };
  const isPresent = (name: Adjustment) => has[name] ?? body[name] !== undefined;
  return new Set((Object.keys(changes) as Adjustment[]).filter(isPresent));
}

const remove = (field: string) => (body: Body) => {
  delete body[field];
};

const rename = (from: string, to: string) => (body: Body) => {
  if (body[from] !== undefined) body[to] ??= body[from];
  delete body[from];
};

const changes: Readonly<Record<Adjustment, (body: Body) => void>> = {
  max_tokens: rename('max_tokens', 'max_completion_tokens'),
  max_completion_tokens: rename('max_completion_tokens', 'max_tokens'),
  temperature: remove('temperature'),
  top_p: remove('top_p'),
  stop: remove('stop'),
  reasoning_effort: remove('reasoning_effort'),
  response_format: remove('response_format'),
  tools: (body) => {
    delete body.tools;
    changeMessages(body, withoutCalls);
  },
  tool_choice: remove('tool_choice'),
  parallel_tool_calls: remove('parallel_tool_calls'),
  strict: (body) => {
    body.tools = listOf(body.tools).map((tool) => {
      const { strict, ...offered } = recordOf(recordOf(tool).function);
      return { ...recordOf(tool), function: offered };
    });
  },
  stream: remove('stream'),
  stream_options: remove('stream_options'),
  images: (body) => changeMessages(body, withoutImages),
  system: (body) => {
    body.messages = withInstructionsOfPerson(listOf(body.messages).map(recordOf));
  },
  developer: (body) =>
    changeMessages(body, (message) =>
      message.role === 'developer' ? { ...message, role: 'system' } : message,
    ),
  thoughts: (body) => changeMessages(body, withoutThoughtFields),
  null_content: (body) =>
    changeMessages(body, (message) => (message.content === null ? { ...message, content: '' } : message)),
};

function changeMessages(body: Body, change: (message: JsonRecord) => JsonRecord): void {
  body.messages = listOf(body.messages).map((message) => change(recordOf(message)));
}

/** Calls and results as ordinary texts, for a model without tools. */
function withoutCalls({ tool_calls, tool_call_id, ...message }: JsonRecord): JsonRecord {
  if (message.role === 'tool')
    return { role: 'user', content: `[A tool's result: ${asText(message.content)}]` };
  if (message.role === 'assistant' && tool_calls)
    return { ...message, content: asText(message.content) || '[A tool was called.]' };
  const { content } = message;
  if (!Array.isArray(content)) return message;
  const parts = content.map((part) => {
    const { type, content: result } = recordOf(part);
    if (type === 'tool_result') return { type: 'text', text: `[A tool's result: ${asText(result)}]` };
    return type === 'tool_use' ? { type: 'text', text: '[A tool was called.]' } : part;
  });
  return { ...message, content: parts };
}

const asText = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : listOf(content)
        .map((part) => textOrNothing(recordOf(part).text))
        .join('\n');

const isImage = (part: unknown): boolean =>
  ['image_url', 'image', 'input_image'].includes(String(recordOf(part).type));

function withoutImages(message: JsonRecord): JsonRecord {
  const { content } = message;
  if (!Array.isArray(content) || !content.some(isImage)) return message;
  const remark = '[A picture came with this, which you cannot see.]';
  const texts = content.filter((part) => !isImage(part)).map((part) => textOrNothing(recordOf(part).text));
  return { ...message, content: [...texts, remark].filter((text) => text !== '').join('\n') };
}

/** The instructions at the beginning of the first message of the person. */
function withInstructionsOfPerson(messages: readonly JsonRecord[]): JsonRecord[] {
  const isInstruction = ({ role }: JsonRecord) => role === 'system' || role === 'developer';
  const instructions = messages
    .filter(isInstruction)
    .map(({ content }) => asText(content))
    .join('\n\n');
  const [first, ...others] = messages.filter((message) => !isInstruction(message));
  if (first?.role !== 'user')
    return [{ role: 'user', content: instructions }, ...(first ? [first, ...others] : [])];
  const content = Array.isArray(first.content)
    ? [{ type: 'text', text: instructions }, ...first.content]
    : `${instructions}\n\n${asText(first.content)}`;
  return [{ ...first, content }, ...others];
}

const isThoughtBlock = (part: unknown): boolean => /thinking$/.test(String(recordOf(part).type));

const hasThoughts = (message: JsonRecord): boolean =>
  thoughtFields.some((field) => message[field] !== undefined) || listOf(message.content).some(isThoughtBlock);

function withoutThoughtFields(message: JsonRecord): JsonRecord {
  const kept = Object.fromEntries(
    Object.entries(message).filter(([field]) => !thoughtFields.includes(field)),
  );
  return Array.isArray(kept.content)
    ? { ...kept, content: kept.content.filter((part) => !isThoughtBlock(part)) }
    : kept;
}
