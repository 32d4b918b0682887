/**
 * `node mortal-server.ts <port> <file> <method> <count>`: an MCP server that ends, as by kill -9, with the given message
 * of this method, or after it has answered that (`answered`). It writes a line for each call into the file. Without a
 * method it lives.
 */
import { appendFileSync } from 'node:fs';
import { FakeMcpServer } from '@botyard/testing/fake/fake-mcp-server';

const [, , port, file = '', method, count = '1'] = process.argv;
const die = () => process.kill(process.pid, 'SIGKILL');
const server = new FakeMcpServer();
let messagesLeft = Number(count);
server.misbehave = (message, res) => {
  if (message.method === 'tools/call') appendFileSync(file, 'call\n');
  if (method === 'answered' && message.method === 'tools/call') res.once('finish', die);
  if (message.method === method && --messagesLeft === 0) die();
  return false;
};
const requestedSchema = { type: 'object', properties: {} };
const why = { method: 'elicitation/create', params: { message: 'Go on?', requestedSchema } };
let calls = 0;
server.reply = () => {
  calls += 1;
  const isQuestion = method === 'tools/call' && count === '2' && calls === 1;
  const question = { resultType: 'input_required', inputRequests: { why }, requestState: 'kept' };
  return (isQuestion ? question : { content: [{ type: 'text', text: 'Hello' }] }) as never;
};
await server.listen(Number(port));
process.stdout.write('listening\n');
