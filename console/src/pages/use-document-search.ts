import type { Schema } from '@botyard/client/client';
import { postAction, putAction, useAction } from '../api/use-action.ts';
import { useList } from '../api/use-answer.ts';

type Agent = Pick<Schema<'AgentDefinition'>, 'id' | 'name' | 'toolIds' | 'capabilityIds'>;
type Tool = Schema<'ToolDefinition'>;

/** The name of the tool that is created if there is none that searches all documents. */
const toolName = 'search_knowledge';
const limit = 500;

const searches = ({ kind }: Tool): boolean => kind === 'search_context';
const searchesAll = (tool: Tool): boolean => searches(tool) && sourcesOf(tool).length === 0;
const sourcesOf = ({ settings }: Tool): readonly unknown[] =>
  Array.isArray(settings.sourceIds) ? settings.sourceIds : [];

/** The tools with which agents search the tenant's documents, and how an agent gets one that searches them all. */
export function useDocumentSearch() {
  const tools = useList('/api/definitions/tools', { query: { limit } });
  const capabilities = useList('/api/definitions/capabilities', { query: { limit } });
  const give = useAction<{ id: string }>();
  const createTool = () =>
    give.mutateAsync(
      postAction('Tool created', '/api/definitions/tools', {
        body: { name: toolName, kind: 'search_context', settings: {} },
      }),
    );
  return {
    isReady: tools.data !== undefined && capabilities.data !== undefined,
    isBusy: give.isPending,
    error: give.error,
    isSearching: ({ toolIds, capabilityIds }: Agent): boolean => {
      const ofCapabilities = capabilities.data?.filter(({ id }) => capabilityIds.includes(id)) ?? [];
      const all = new Set([...toolIds, ...ofCapabilities.flatMap((capability) => capability.toolIds)]);
      return tools.data?.some((tool) => searches(tool) && all.has(tool.id)) ?? false;
    },
    giveTo: async ({ id, name, toolIds }: Agent): Promise<void> => {
      const toolId = tools.data?.find(searchesAll)?.id ?? (await createTool()).id;
      if (toolIds.includes(toolId)) return;
      await give.mutateAsync(
        putAction(`${name} searches the documents`, '/api/definitions/agents/{id}', {
          names: { id },
          body: { toolIds: [...toolIds, toolId] },
        }),
      );
    },
  };
}
