import { createHash } from 'node:crypto';
import { ThreadPool } from '@botyard/shared/work/thread-pool';
import { TaskError } from '@botyard/shared/work/thread-tasks';
import type { Worker } from '@botyard/shared/work/worker';
import type { EquippedTool } from '../../tools/domain/equipment.ts';
import { ToolError } from '../../tools/domain/tool-error.ts';
import { wordsOfTool } from './tool-index.ts';
import type { tasks } from './tool-search-thread.ts';

/** The index of 20,000 tools takes less; the rest allows for a busy machine. */
const timeoutMs = 10_000;
/** The most pending searches per tenant. */
const maxWaiting = 16;
const maxMegabytes = 256;
/** A later search needs no new index until then. */
const idleMs = 300_000;

/**
 * Searches long lists of tools in a thread, fairly among tenants. The thread keeps the index of a list as long as the
 * list stays the same.
 */
export class ToolSearcher implements Worker {
  readonly #pool = new ThreadPool<typeof tasks>({
    file: new URL('./tool-search-thread.ts', import.meta.url),
    maxMegabytes,
    maxWaiting,
    idleMs,
  });

  /** The tools that fit the words best, at most ten. @throws ToolError; the signal's reason. */
  async find(
    tenantId: string,
    tools: readonly EquippedTool[],
    { query, signal }: { query: string; signal: AbortSignal },
  ): Promise<EquippedTool[]> {
    const search = { listKey: keyOf(tenantId, tools), query };
    const options = { owner: tenantId, timeoutMs, signal };
    try {
      const positions =
        (await this.#pool.run('find', search, options)) ??
        (await this.#pool.run('find', { ...search, tools: wordsOf(tools) }, options));
      return (positions ?? []).map((position) => tools[position]!);
    } catch (error) {
      if (!(error instanceof TaskError)) throw error;
      throw new ToolError('failed', 'the search for tools is busy; try again', { cause: error });
    }
  }

  start(): void {
    // Has no effect, because the thread starts with the first search.
  }

  async stop(): Promise<void> {
    await this.#pool.stop();
  }
}

const wordsOf = (tools: readonly EquippedTool[]) => tools.map(({ offered }) => wordsOfTool(offered));

/** Changes with every change of a list. A pin stands for the whole definition of a server's tool. */
function keyOf(tenantId: string, tools: readonly EquippedTool[]): string {
  const hash = createHash('sha256').update(tenantId);
  for (const tool of tools) {
    const pin = tool.toolId === null ? undefined : tool.pin;
    const version = pin === undefined ? wordsOfTool(tool.offered) : { name: tool.offered.name, pin };
    hash.update(JSON.stringify(version));
  }
  return hash.digest('base64');
}
