import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, desc, eq, getTableColumns, lt } from '@botyard/shared/db/drizzle';
import { rowsOf } from '@botyard/shared/db/rows';
import { chatNotes, staff } from '../../store/chat-schema.ts';

type NewNote = Omit<typeof chatNotes.$inferSelect, 'createdAt'>;
/** A note with its author, who is `null` once they were erased. */
export type NoteRow = typeof chatNotes.$inferSelect & { staffUserId: string | null };

type ChatKey = Pick<NewNote, 'tenantId' | 'conversationId'>;

const stored = rowsOf(chatNotes, 'tenantId', 'conversationId', 'noteId');
/** `deleteNote` returns whether the chat had the note. */
export const { remove: deleteNote } = stored;

export const countNotes = (tx: TenantTx, { tenantId, conversationId }: ChatKey): Promise<number> =>
  stored.count(tx, { tenantId, conversationId });

export async function insertNote(tx: TenantTx, note: NewNote): Promise<void> {
  await tx.db.insert(chatNotes).values(note);
}

const withAuthors = (tx: TenantTx) =>
  tx.db
    .select({ ...getTableColumns(chatNotes), staffUserId: staff.userId })
    .from(chatNotes)
    .leftJoin(staff, and(eq(staff.tenantId, chatNotes.tenantId), eq(staff.staffId, chatNotes.staffId)));

/** Newest first, one more than the page's limit. */
export const listNotes = (
  tx: TenantTx,
  { tenantId, conversationId }: ChatKey,
  { limit, before }: PageRequest,
): Promise<NoteRow[]> =>
  withAuthors(tx)
    .where(
      and(
        eq(chatNotes.tenantId, tenantId),
        eq(chatNotes.conversationId, conversationId),
        before ? lt(chatNotes.noteId, before) : undefined,
      ),
    )
    .orderBy(desc(chatNotes.noteId))
    .limit(limit + 1);

export async function getNote(tx: TenantTx, tenantId: string, noteId: string): Promise<NoteRow | undefined> {
  const [row] = await withAuthors(tx).where(
    and(eq(chatNotes.tenantId, tenantId), eq(chatNotes.noteId, noteId)),
  );
  return row;
}
