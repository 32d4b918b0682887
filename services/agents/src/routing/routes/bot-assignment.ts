import type { Assignment, botAssignmentRouter } from '@botyard/contracts/http/bot-assignment';
import { withMoments } from '@botyard/contracts/http/common';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { tenantPage } from '@botyard/shared/db/tenant-page';
import { notFound } from '@botyard/shared/http/errors';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { assignAgent, changeAssignment } from '../domain/change-assignments.ts';
import {
  type AssignmentRow,
  deleteAssignment,
  getAssignment,
  listAssignments,
} from '../store/assignments.ts';

export const botAssignmentHandlers: Handlers<typeof botAssignmentRouter, Deps> = {
  listAssignments: tenantPage(listAssignments, toAssignment, ({ assignmentId }) => assignmentId),

  createAssignment: async ({ tenantId, body }, deps) => toAssignment(await assignAgent(deps, tenantId, body)),

  getAssignment: ({ tenantId, params: { assignmentId } }, { database }) =>
    withTenant(database, [tenantId], async (tx) =>
      toAssignment(found(await getAssignment(tx, { tenantId, assignmentId }), 'assignment')),
    ),

  updateAssignment: async ({ tenantId, params: { assignmentId }, body }, deps) =>
    toAssignment(await changeAssignment(deps, { tenantId, assignmentId }, body)),

  deleteAssignment: ({ tenantId, params: { assignmentId } }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      if (!(await deleteAssignment(tx, { tenantId, assignmentId }))) throw notFound('assignment');
    }),
};

function toAssignment(row: AssignmentRow): Assignment {
  return {
    ...withMoments(row),
    where: {
      ...(row.chatId ? { chatId: row.chatId } : {}),
      ...(row.groupId ? { groupId: row.groupId } : {}),
      ...(row.kind ? { kind: row.kind } : {}),
      ...(row.threadId ? { threadId: row.threadId } : {}),
    },
    when: {
      ...(row.keywords.length > 0 ? { keywords: row.keywords } : {}),
      ...(row.language ? { language: row.language } : {}),
    },
  };
}
