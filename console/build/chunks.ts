import { join } from 'node:path';
import type { Rolldown } from 'vite';
import { consoleFolder } from './sources.ts';

type Group = Rolldown.CodeSplittingGroup;
type Context = Rolldown.ChunkingContext;

/** The frame, and the pages whose first view counts. */
const firstViews = ['main.tsx', 'pages/home/home.tsx', 'pages/inbox/inbox.tsx'];

/** The files of the first view are few, because each is a request. Everything else that pages share is loaded later. */
export const chunks = (): Group[] => [
  // Loaded and run before everything else, so it must import nothing of the other files.
  {
    name: 'first',
    test: /src\/api\/(?:address|first-|tokens)|inbox\/all-chats|home\/week-requests|console-paths|preload-helper/,
    priority: 3,
    includeDependenciesRecursively: false,
  },
  {
    name: 'markdown',
    test: /micromark|mdast|unist|character-entities|decode-named/,
    priority: 2,
    includeDependenciesRecursively: false,
  },
  { name: sharedByFirstViews(), minShareCount: 2, priority: 1 },
  {
    name: 'dialog',
    test: /radix-ui|react-remove-scroll|react-style-singleton|get-nonce|use-sidecar|use-callback-ref|aria-hidden|popup-dialog/,
  },
  { name: 'pages', minShareCount: 2 },
];

/** Names the group of what the first views import, not counting what they load when it is needed. */
function sharedByFirstViews() {
  let modules: Set<string> | undefined;
  return (moduleId: string, context: Context): string | null => {
    modules ??= importedBy(
      firstViews.map((file) => join(consoleFolder, 'src', file)),
      context,
    );
    return modules.has(moduleId) ? 'shared' : null;
  };
}

function importedBy(entries: readonly string[], context: Context): Set<string> {
  const modules = new Set(entries);
  for (const id of modules)
    for (const importedId of context.getModuleInfo(id)?.importedIds ?? []) modules.add(importedId);
  return modules;
}
