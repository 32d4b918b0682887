import { startNodeProcess } from './node-process.ts';
import type { Unit } from './supervisor.ts';

interface ToolServerOptions {
  root: string;
  port: number;
  onLine: (line: string, from: 'stdout' | 'stderr') => void;
}

/** Runs the sandbox's MCP server. It gets nothing of the environment, because one of its tools returns that. */
export const toolServerUnit = ({ root, port, onLine }: ToolServerOptions): Unit => ({
  name: 'tool-server',
  start: async () =>
    startNodeProcess({
      script: 'tools/sandbox/tool-server/main.ts',
      cwd: root,
      env: { NODE_ENV: 'development', SANDBOX_TOOL_SERVER_PORT: String(port) },
      onLine,
    }),
});
