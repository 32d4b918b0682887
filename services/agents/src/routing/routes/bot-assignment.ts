import type { Assignment, botAssignmentRouter } from '@botyard/contracts/http/bot-assignment';
import { withMoments } from '@botyard/contracts/http/common';
import { tenantPage } from '@botyard/shared/db/tenant-page';
import type { Handlers } from '@botyard/shared/http/mount';
import { tenantItem, tenantRemoval } from '@botyard/shared/http/tenant-item';
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

  getAssignment: tenantItem('assignment', getAssignment, toAssignment),

  updateAssignment: async ({ tenantId, params: { assignmentId }, body }, deps) =>
    toAssignment(await changeAssignment(deps, { tenantId, assignmentId }, body)),

  deleteAssignment: tenantRemoval('assignment', deleteAssignment),
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
