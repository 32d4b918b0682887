import type { ModelMessage } from 'ai';
import { type JsonRecord, listOf, recordOf, textOrNothing } from './json.ts';
import { ownFields } from './wire.ts';

/**
 * Puts the fields that a provider added to a call, and to the message with it, back where they were: signatures of
 * thoughts above all. They are kept in the turn's messages only, so later turns don't have them.
 */
export function withOwnFields(body: JsonRecord, messages: readonly ModelMessage[]): JsonRecord {
  const kept = keptIn(messages);
  if (kept.size === 0) return body;
  return { ...body, messages: listOf(body.messages).map((message) => restored(recordOf(message), kept)) };
}

interface Kept {
  ofCall: JsonRecord;
  ofMessage: JsonRecord;
}

function keptIn(messages: readonly ModelMessage[]): Map<string, Kept> {
  const kept = new Map<string, Kept>();
  for (const message of messages) {
    if (message.role !== 'assistant' || typeof message.content === 'string') continue;
    const ofMessage = recordOf(message.providerOptions?.[ownFields]);
    for (const part of message.content) {
      if (part.type !== 'tool-call') continue;
      const ofCall = recordOf(part.providerOptions?.[ownFields]);
      if (Object.keys({ ...ofCall, ...ofMessage }).length > 0)
        kept.set(part.toolCallId, { ofCall, ofMessage });
    }
  }
  return kept;
}

function restored(message: JsonRecord, kept: ReadonlyMap<string, Kept>): JsonRecord {
  if (message.role !== 'assistant') return message;
  const keptOf = (call: unknown) => kept.get(textOrNothing(recordOf(call).id));
  const withCall = (call: unknown) => ({ ...recordOf(call), ...keptOf(call)?.ofCall });
  const calls = listOf(message.tool_calls ?? message.content);
  const { thoughtBlocks, ...ofMessage } = calls.map(keptOf).find((one) => one !== undefined)?.ofMessage ?? {};
  if (message.tool_calls) return { ...message, ...ofMessage, tool_calls: calls.map(withCall) };
  if (!Array.isArray(message.content)) return message;
  const blocks = calls.map((block) => (keptOf(block) ? withCall(block) : block));
  return { ...message, content: [...listOf(thoughtBlocks), ...blocks] };
}
