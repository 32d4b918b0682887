/** Whether an address is on this machine, where it needs no encryption. */
export const isLoopback = ({ hostname }: URL): boolean =>
  ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
