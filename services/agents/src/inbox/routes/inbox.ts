import { withMoments } from '@botyard/contracts/http/common';
import type { interactionsRouter } from '@botyard/contracts/http/interactions';
import { pageOf } from '@botyard/contracts/http/page';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { tenantPage } from '@botyard/shared/db/tenant-page';
import { notFound } from '@botyard/shared/http/errors';
import type { Handlers } from '@botyard/shared/http/mount';
import { tenantItem, tenantRemoval } from '@botyard/shared/http/tenant-item';
import { countChats, getConversationByChat } from '../../conversations/store/chats.ts';
import { announceChat, requireChat } from '../../takeover/domain/take-over.ts';
import { staffNames } from '../../takeover/domain/write-message.ts';
import { listChanges } from '../../takeover/store/changes.ts';
import type { Deps } from '../deps.ts';
import { staffOfChange, toChange } from '../domain/changes.ts';
import { changeCannedReply, createCannedReply, createLabel, renameLabel } from '../domain/labels.ts';
import { createNote, toNote } from '../domain/notes.ts';
import { showPresence } from '../domain/presence.ts';
import {
  deleteCannedReply,
  deleteLabel,
  getCannedReply,
  getLabel,
  listCannedReplies,
  listLabels,
} from '../store/labels.ts';
import { deleteNote, listNotes } from '../store/notes.ts';

export const inboxHandlers = {
  countChats: ({ tenantId, botIds, query: { botId }, caller: { userId } }, { database }) =>
    withTenant(database, [tenantId], (tx) => countChats(tx, { tenantId, userId, botIds, botId })),

  listChatChanges: async ({ tenantId, params: { chatId }, query }, deps) => {
    const rows = await withTenant(deps.database, [tenantId], async (tx) =>
      listChanges(tx, found(await getConversationByChat(tx, tenantId, chatId), 'chat'), query),
    );
    const names = await staffNames(deps, tenantId, rows.flatMap(staffOfChange));
    return pageOf(
      rows,
      query,
      (row) => toChange(row, names),
      ({ changeId }) => changeId,
    );
  },

  showPresence: ({ tenantId, params: { chatId }, body: { isTyping }, caller: { userId } }, deps) =>
    showPresence(deps, { tenantId, chatId, userId }, isTyping ? 'typing' : 'here'),

  endPresence: ({ tenantId, params: { chatId }, caller: { userId } }, deps) =>
    showPresence(deps, { tenantId, chatId, userId }, 'gone'),

  listNotes: async ({ tenantId, params: { chatId }, query }, deps) => {
    const rows = await withTenant(deps.database, [tenantId], async (tx) =>
      listNotes(tx, found(await getConversationByChat(tx, tenantId, chatId), 'chat'), query),
    );
    const names = await staffNames(deps, tenantId, rows);
    return pageOf(
      rows,
      query,
      (row) => toNote(row, names),
      ({ noteId }) => noteId,
    );
  },

  createNote: async ({ tenantId, params: { chatId }, body, caller: { userId } }, deps) => {
    const note = await createNote(deps, { tenantId, chatId, userId }, body.text);
    return toNote(note, await staffNames(deps, tenantId, [note]));
  },

  deleteNote: ({ tenantId, params: { chatId, noteId } }, deps) =>
    withTenant(deps.database, [tenantId], async (tx) => {
      const chat = await requireChat(tx, tenantId, chatId);
      if (!(await deleteNote(tx, { ...chat, noteId }))) throw notFound('note');
      await announceChat(deps, tx, chat);
    }),

  listLabels: tenantPage(listLabels, withMoments, ({ labelId }) => labelId),

  getLabel: tenantItem('label', getLabel, withMoments),

  createLabel: async ({ tenantId, body }, deps) => withMoments(await createLabel(deps, tenantId, body)),

  updateLabel: async ({ tenantId, params: { labelId }, body: { name } }, deps) =>
    withMoments(await renameLabel(deps, { tenantId, labelId, name })),

  deleteLabel: tenantRemoval('label', deleteLabel),

  listCannedReplies: tenantPage(listCannedReplies, withMoments, ({ cannedReplyId }) => cannedReplyId),

  getCannedReply: tenantItem('canned reply', getCannedReply, withMoments),

  createCannedReply: async ({ tenantId, body }, deps) =>
    withMoments(await createCannedReply(deps, tenantId, body)),

  updateCannedReply: async ({ tenantId, params: { cannedReplyId }, body }, deps) =>
    withMoments(await changeCannedReply(deps, { tenantId, cannedReplyId, ...body })),

  deleteCannedReply: tenantRemoval('canned reply', deleteCannedReply),
} satisfies Partial<Handlers<typeof interactionsRouter, Deps>>;
