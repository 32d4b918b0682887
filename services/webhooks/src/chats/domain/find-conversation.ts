import type { TenantTx } from '@botyard/shared/db/database';
import type { Endpoint } from '../../platforms/platform.ts';
import { findFormerChatId } from '../store/chat-moves.ts';
import { conversationIdOf } from './conversation-id.ts';

/** The conversation of a place, which may have had another identifier. */
export async function findConversationId(
  tx: TenantTx,
  endpoint: Endpoint,
  { platformChatId, threadId }: { platformChatId: string; threadId?: string | undefined },
): Promise<string> {
  const formerChatId = await findFormerChatId(tx, { ...endpoint, platformChatId });
  return conversationIdOf(endpoint, formerChatId ?? platformChatId, { threadId });
}
