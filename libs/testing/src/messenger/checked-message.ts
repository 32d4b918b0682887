/** The rules of sendMessage. */
import { parsePlatformHtml } from './parse-html.ts';
import { badRequest, type Entity } from './types.ts';

const maxTextUnits = 4096;

type CheckedMessage = {
  chatId: number | string;
  text: string;
  entities: Entity[];
  html: string | undefined;
  threadId: number | undefined;
  replyToMessageId: number | undefined;
};

export function chatIdOf(params: Record<string, unknown>): number | string {
  const value = String(params.chat_id ?? '');
  if (value === '') throw badRequest('chat_id is empty');
  if (/^-?\d+$/.test(value)) return Number(value);
  if (/^@\w+$/.test(value)) return value;
  throw badRequest('chat not found');
}

export function checkedMessage(params: Record<string, unknown>): CheckedMessage {
  const chatId = chatIdOf(params);
  const source = params.text === undefined ? '' : String(params.text);
  const parseMode = String(params.parse_mode ?? '').toLowerCase();
  if (!['', 'html', 'markdown', 'markdownv2', 'none'].includes(parseMode))
    throw badRequest('unsupported parse_mode');
  const isHtml = parseMode === 'html';
  const parsed = isHtml ? parsePlatformHtml(source) : { text: source, entities: [] };
  const text = parsed.text.trimEnd();
  if (text.trim() === '')
    throw badRequest(source.trim() === '' ? 'message text is empty' : 'text must be non-empty');
  if (text.length > maxTextUnits) throw badRequest('message is too long');
  const threadId = numberOf(params.message_thread_id);
  // Topic 1 is "General", which has no thread of its own.
  if (threadId === 1) throw badRequest('message thread not found');
  const replyToMessageId = numberOf(
    replyParameters(params.reply_parameters).message_id ?? params.reply_to_message_id,
  );
  return {
    chatId,
    text,
    entities: parsed.entities,
    html: isHtml ? source : undefined,
    threadId,
    replyToMessageId,
  };
}

function numberOf(value: unknown): number | undefined {
  const number = Number(value);
  return value === undefined || value === '' || Number.isNaN(number) ? undefined : number;
}

function replyParameters(value: unknown): Record<string, unknown> {
  try {
    const parsed: unknown = typeof value === 'string' ? JSON.parse(value) : value;
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    throw badRequest("can't parse reply parameters JSON object");
  }
}
