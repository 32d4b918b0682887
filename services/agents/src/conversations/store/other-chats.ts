import { maxPeopleOfChat } from '@botyard/contracts/http/interactions-chats';
import { sql } from '@botyard/shared/db/drizzle';
import { conversations } from '../../store/schema.ts';

const { conversationId } = conversations;

/** The other chats of the last people who wrote in a conversation. */
export const isOtherChatOfPeople = (ofTenant: string, conversation: string) => sql<boolean>`(
  ${conversationId} <> ${conversation} and ${conversationId} in (
    select p.conversation_id from agents.people p
    where p.tenant_id = ${ofTenant} and p.person_id in (
      select w.person_id from agents.people w
      where w.tenant_id = ${ofTenant} and w.conversation_id = ${conversation}
      order by w.last_seen_at desc, w.person_id limit ${maxPeopleOfChat})))`;
