import { z } from 'zod';
import { loose } from '../../domain/fields.ts';
import { findForSend, unsent } from '../../domain/sending.ts';
import type { Send, SendResult } from '../../platform.ts';
import type { CallResult } from '../clients/slack-api.ts';
import type { Deps } from '../deps.ts';
import { escaped } from './blocks.ts';
import type { SlackEndpoint } from './connection.ts';
import { type Piece, type ReplyPart, splitAgain } from './format-reply.ts';

export type SendDeps = Pick<Deps, 'endpoints' | 'slack' | 'connector' | 'pieces' | 'log'>;

const Posted = z.object({ ts: loose(z.string()) });
type Answer = CallResult<z.output<typeof Posted>>;

/** A platform under load takes many seconds to accept a message: a shorter wait may send it twice. */
const sendTimeoutMs = 30_000;

/**
 * Sends one message: in pieces if the platform calls it too long, and as plain text if it refuses the block. Pieces
 * that were sent are remembered by their part, so that a later send goes on behind them.
 */
export async function sendMessage(deps: SendDeps, send: Send<ReplyPart>): Promise<SendResult | undefined> {
  const { endpoints, connector, log } = deps;
  const endpoint = await findForSend(log, send.botId, () => endpoints.find(connector, send.botId));
  if ('outcome' in endpoint) return endpoint;
  const { pieces } = deps;
  let queue: readonly Piece[] = pieces.get(send.partId) ?? [{ ...send.payload, isBlock: true }];
  for (;;) {
    const [piece, ...others] = queue;
    if (!(await send.mayCall())) return undefined;
    const answer = await post(deps, endpoint, { send, piece: piece! });
    const next = nextPieces(answer, piece!, others);
    if (!next) {
      if (answer.outcome === 'ok' || answer.outcome === 'refused') pieces.delete(send.partId);
      return resultOf(answer);
    }
    queue = next;
    pieces.set(send.partId, queue);
  }
}

/** The pieces that are left to send after an answer; `undefined` if the answer is that of the message. */
function nextPieces(answer: Answer, piece: Piece, others: readonly Piece[]): readonly Piece[] | undefined {
  if (answer.outcome === 'ok') return others.length > 0 ? others : undefined;
  const change = answer.outcome === 'refused' ? changeAfter(answer.reason, piece) : undefined;
  return change && [...change, ...others];
}

interface Posting {
  send: Send<ReplyPart>;
  piece: Piece;
}

const post = ({ slack }: SendDeps, { botToken }: SlackEndpoint, { send, piece }: Posting): Promise<Answer> =>
  slack({
    method: 'chat.postMessage',
    token: botToken,
    json: {
      channel: send.platformChatId,
      ...(send.threadId ? { thread_ts: send.threadId } : {}),
      ...(piece.isBlock
        ? { text: piece.text, blocks: [{ type: 'markdown', text: piece.markdown }, ...buttonsOf(piece)] }
        : { text: escaped(withList(piece)), mrkdwn: false }),
      unfurl_links: false,
      unfurl_media: false,
    },
    scope: send.platformChatId,
    timeoutMs: sendTimeoutMs,
    signal: send.signal,
    answer: Posted,
  });

/** The buttons under a message. The platform sends a pressed one back with its text. */
const buttonsOf = ({ choices = [] }: Piece): object[] =>
  choices.length === 0
    ? []
    : [
        {
          type: 'actions',
          elements: choices.map((choice, index) => ({
            type: 'button',
            action_id: `choice-${index}`,
            text: { type: 'plain_text', text: choice, emoji: false },
            value: choice,
          })),
        },
      ];

/** Without blocks there are no buttons. */
const withList = ({ markdown, choices = [] }: Piece): string =>
  [markdown, ...choices.map((choice) => `• ${choice}`)].join('\n');

const tooLong = /^(?:msg_blocks_too_long|msg_too_long)\b/;
const refusesBlock = /^(?:invalid_blocks|invalid_blocks_format|unsupported_block_type)\b/;

/** The pieces with which a refused message is sent again; `undefined` if there are none. */
function changeAfter(reason: string, piece: Piece): Piece[] | undefined {
  if (tooLong.test(reason)) return splitAgain(piece)?.map((part) => ({ ...part, isBlock: piece.isBlock }));
  return piece.isBlock && refusesBlock.test(reason) ? [{ ...piece, isBlock: false }] : undefined;
}

/** Refusals that are about the channel and not about the message: every other message would be refused there, too. */
const ofPlace =
  /^(?:channel_not_found|not_in_channel|is_archived|restricted_action\w*|cannot_reply_to_message|messages_tab_disabled|user_not_found|user_disabled|cannot_dm_bot|external_channel_migrating|not_allowed_token_type)\b/;
/** The message that began the thread is gone. */
const ofReply = /^(?:thread_not_found|invalid_thread_ts|thread_locked)\b/;
/** Refusals that a person can do something about. */
const advice: Readonly<Record<string, string>> = {
  not_in_channel: 'not_in_channel: invite the bot to the channel',
  is_archived: 'is_archived: the channel is archived',
  messages_tab_disabled: 'messages_tab_disabled: allow messages on the app page "App Home"',
  token_revoked: 'token_revoked: the app was removed or its token revoked',
  account_inactive: 'account_inactive: the app was removed from the workspace',
  invalid_auth: 'invalid_auth: the token is not valid',
  'missing_scope: files:write': 'missing_scope: add the scope files:write to the app, and install it again',
};

export function resultOf(answer: Answer): SendResult {
  switch (answer.outcome) {
    case 'ok':
      return { outcome: 'sent', platformMessageId: answer.result.ts ?? undefined };
    case 'refused': {
      const isOfReply = ofReply.test(answer.reason);
      const reason = advice[answer.reason] ?? answer.reason;
      return { outcome: 'refused', reason, isOfReply, isOfPlace: ofPlace.test(answer.reason) };
    }
    default:
      return unsent(answer);
  }
}
