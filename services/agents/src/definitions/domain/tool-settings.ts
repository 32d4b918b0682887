import { type ToolKind, toolKinds } from '@botyard/contracts/http/tool-kinds';
import { readInput } from '@botyard/shared/http/read-input';

type Settings = Record<string, unknown>;

/** A tool's settings as its kind defines them, with defaults filled in. @throws HttpError 400 with the faults. */
export function settingsOf(kind: ToolKind, given: Settings): Settings {
  return readInput(toolKinds[kind].settings, given, { path: ['settings'] });
}

/** The same for stored settings; `null` if they no longer fit the kind. */
export function keptSettingsOf(kind: ToolKind, kept: Settings): Settings | null {
  return toolKinds[kind]?.settings.safeParse(kept).data ?? null;
}

/** The documents that a tool is bound to; empty if it isn't bound. */
export function sourceIdsOf(settings: Settings | undefined): string[] {
  const { sourceIds } = settings ?? {};
  return Array.isArray(sourceIds) ? sourceIds.map(String) : [];
}

/** The hosts that a tool may read from; empty if it doesn't read from hosts. */
export function hostsOf(settings: Settings): string[] {
  const { hosts } = settings;
  return Array.isArray(hosts) ? hosts.map(String) : [];
}

export const needsSettings = (kind: ToolKind): boolean => !toolKinds[kind].settings.safeParse({}).success;
