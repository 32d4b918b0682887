import { freePort, portFault } from '../../embedded/free-port.ts';
import { StartError } from '../../embedded/start-error.ts';

/** Returns the gateway's port. @throws StartError if it can't be used. */
export async function gatewayPort(port: number, host: string): Promise<number> {
  if (port === 0) return await freePort();
  const fault = await portFault(port, host);
  if (!fault) return port;
  if (fault === 'EADDRINUSE')
    throw new StartError(
      `PORT ${port} is taken: stop the process that uses it, or set PORT to another number`,
    );
  if (fault === 'EACCES')
    throw new StartError(`PORT ${port} is reserved for root: set PORT to 1024 or higher`);
  throw new StartError(`PORT ${port} can't be used on ${host} (${fault}): set PORT to another number`);
}

/** Returns the preferred port if it is free, so that addresses stay valid across restarts, or else any free port. */
export async function preferredPort(port: number): Promise<number> {
  return port <= 65535 && !(await portFault(port, '127.0.0.1')) ? port : await freePort();
}
