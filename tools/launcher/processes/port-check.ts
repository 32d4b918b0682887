import { freePort, portFault } from '../../embedded/free-port.ts';
import { StartError } from '../../embedded/start-error.ts';

/** The gateway's port. @throws StartError when another process has it. */
export async function gatewayPort(port: number, host: string): Promise<number> {
  if (port === 0) return await freePort();
  const fault = await portFault(port, host);
  if (!fault) return port;
  if (fault === 'EADDRINUSE')
    throw new StartError(`PORT ${port} is taken: stop what listens there, or set PORT to another number`);
  if (fault === 'EACCES')
    throw new StartError(`PORT ${port} is reserved for root: set PORT to a number from 1024 on`);
  throw new StartError(`PORT ${port} can't be used on ${host} (${fault})`);
}

/** The wanted port where it is free, so that an address in a browser stays good over restarts; else any. */
export async function preferredPort(port: number): Promise<number> {
  return port <= 65535 && !(await portFault(port, '127.0.0.1')) ? port : await freePort();
}
