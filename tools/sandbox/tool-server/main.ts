/**
 * `node tools/sandbox/tool-server/main.ts` runs an MCP server to try tools with. The launcher starts it with a port and
 * nothing else in its environment, because one of its tools returns the environment.
 */
import { readCommandLine } from '../../command-line/read-command-line.ts';
import { startToolServer } from './tool-server.ts';

readCommandLine({
  name: 'node tools/sandbox/tool-server/main.ts',
  about: 'Starts the MCP server of the sandbox on a port of this machine.',
  examples: [
    {
      command: 'SANDBOX_TOOL_SERVER_PORT=3003 node tools/sandbox/tool-server/main.ts',
      about: 'the server at http://127.0.0.1:3003/mcp',
    },
    { command: 'node tools/sandbox/tool-server/main.ts', about: 'the same, on the port by default' },
  ],
});

const server = await startToolServer(Number(process.env.SANDBOX_TOOL_SERVER_PORT ?? 3003));
const stop = async () => {
  await server.close();
  process.exit(0);
};
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop());
// The launcher has died, so nothing else would stop this process.
process.on('disconnect', () => void stop());
