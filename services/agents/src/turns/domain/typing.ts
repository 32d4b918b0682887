import { typing } from '@botyard/contracts/events/agents';
import { platformCapabilities } from '@botyard/contracts/http/platform';
import { signal as sendSignal } from '@botyard/shared/bus/signals';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { Deps } from '../../deps.ts';

/** Faster answers need no sign that they are coming. */
const typingAfterMs = 300;
const typingEveryMs = 4000;

/** Shows "typing" as long as an answer takes, unless it comes in a moment. Returns what ends it. */
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
