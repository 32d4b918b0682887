import { type AppRoute, type AppSpec, maxSpecBytes } from '@botyard/contracts/http/app-spec';
import { maxBindingsOfBot } from '@botyard/contracts/http/apps-admin';
import type { SpecRouteRow } from '@botyard/contracts/http/spec-migration';
import type { AssignmentRow } from '../../../routing/store/assignments.ts';

interface BotToMigrate {
  tenantId: string;
  botId: string;
  name: string;
  /** Number of apps bound to it. */
  bindings: number;
  /** Oldest first. */
  assignments: readonly AssignmentRow[];
}

/** The spec that replaces a bot's assignments; deterministic. Routes have the assignments' order. */
export function planRoutes({ tenantId, botId, name, bindings, assignments }: BotToMigrate): SpecRouteRow & {
  spec: AppSpec;
} {
  const agentIds = [...new Set(assignments.map(({ agentId }) => agentId))];
  const keyOf = (agentId: string) => `agent-${agentIds.indexOf(agentId) + 1}`;
  const spec: AppSpec = {
    specVersion: 1,
    agents: agentIds.map((agentId) => ({ key: keyOf(agentId), agentId, capabilities: [], records: [] })),
    capabilities: [],
    recordTypes: [],
    routes: assignments.map((assignment) => ({
      name: `assignment-${assignment.assignmentId}`,
      agent: keyOf(assignment.agentId),
      where: placeOf(assignment),
      when: conditionOf(assignment),
      priority: assignment.priority,
    })),
  };
  return {
    tenantId,
    botId,
    spec,
    appName: `Routes of ${name}`.slice(0, 200).toWellFormed().trim(),
    assignmentIds: assignments.map(({ assignmentId }) => assignmentId),
    blocked: whyBlocked(spec, bindings),
  };
}

function placeOf({ botId, chatId, groupId, kind, threadId }: AssignmentRow): AppRoute['where'] {
  return {
    botId,
    ...(chatId ? { chatId } : {}),
    ...(groupId ? { groupId } : {}),
    ...(kind ? { kind } : {}),
    ...(threadId ? { threadId } : {}),
  };
}

function conditionOf({ keywords, language }: AssignmentRow): AppRoute['when'] {
  const spoken = language ? { language } : {};
  return keywords.length > 0
    ? { match: 'words', words: keywords, ...spoken }
    : { match: 'everything', ...spoken };
}

function whyBlocked(spec: AppSpec, bindings: number): string | null {
  if (bindings >= maxBindingsOfBot) return `the bot has ${maxBindingsOfBot} apps bound to it`;
  if (Buffer.byteLength(JSON.stringify(spec)) > maxSpecBytes)
    return `its assignments make a spec larger than ${maxSpecBytes / 1024} KiB`;
  return null;
}
