import { noteCreated } from '@botyard/contracts/events/agents';
import { maxNotesOfChat } from '@botyard/contracts/http/interactions-inbox';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import { requireChat } from '../../takeover/domain/take-over.ts';
import { saveStaff } from '../../takeover/store/staff.ts';
import type { Deps } from '../deps.ts';
import { countNotes, getNote, insertNote, type NoteRow } from '../store/notes.ts';

/** @throws HttpError 404; 409 beyond the number of notes of a chat. */
export async function createNote(
  { database, outbox }: Pick<Deps, 'database' | 'outbox'>,
  { tenantId, chatId, userId }: { tenantId: string; chatId: string; userId: string },
  text: string,
): Promise<NoteRow> {
  const noteId = uuidv7();
  return await withTenant(database, [tenantId], async (tx) => {
    const { conversationId } = await requireChat(tx, tenantId, chatId);
    if ((await countNotes(tx, { tenantId, conversationId })) >= maxNotesOfChat)
      throw conflict(`a chat has ${maxNotesOfChat} notes at most: delete one first`);
    const staffId = await saveStaff(tx, tenantId, userId);
    await insertNote(tx, { tenantId, conversationId, noteId, staffId, text });
    await outbox.emit(tx, noteCreated, { tenantId, conversationId, noteId });
    return found(await getNote(tx, tenantId, noteId), 'note');
  });
}

/** A note in the form for clients. `names` holds the names of the tenant's users. */
export const toNote = (
  { noteId, text, staffUserId: userId, createdAt }: NoteRow,
  names: ReadonlyMap<string, string> = new Map(),
) => {
  const name = userId === null ? undefined : names.get(userId);
  return {
    noteId,
    text,
    author: {
      kind: 'staff' as const,
      ...(userId === null ? {} : { userId }),
      ...(name === undefined ? {} : { name }),
    },
    createdAt: createdAt.toISOString(),
  };
};
