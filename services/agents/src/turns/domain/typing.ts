import { typing } from '@botyard/contracts/events/agents';
import { platformCapabilities } from '@botyard/contracts/http/platform';
import { signal as sendSignal } from '@botyard/shared/bus/signals';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { Deps } from '../deps.ts';

/** Answers faster than this need no typing indicator. */
const typingAfterMs = 300;
const typingEveryMs = 4000;

/** Shows "typing" while an answer is in progress, unless it is fast. Returns the function that ends it. */
export function beginTyping({ bus }: Pick<Deps, 'bus'>, conversation: ClaimedConversation): () => void {
  const { botId, integrationId, conversationId, place: chat, platform } = conversation;
  if (!platformCapabilities[platform].isLive) return () => undefined;
  const show = () => sendSignal(bus, typing, { botId, integrationId, conversationId, chat });
  let timer = setTimeout(() => {
    show();
    timer = setInterval(show, typingEveryMs);
  }, typingAfterMs);
  return () => clearTimeout(timer);
}
