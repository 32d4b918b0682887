import { importing } from './skewed-clock.ts';

/**
 * Settings of a process whose resolver knows this name as loopback's, until `SIGUSR2`, which makes it fail as one that
 * reaches no name server, and with the next one know the name again.
 */
export function ownNames(name: string): { NODE_OPTIONS: string } {
  return importing(`
    import dns from 'node:dns';
    const real = dns.lookup;
    let isAway = false;
    process.on('SIGUSR2', () => { isAway = !isAway; });
    const lookup = (host, options, done) => {
      if (typeof options === 'function') return lookup(host, {}, options);
      if (host !== '${name}') return real(host, options, done);
      const fault = Object.assign(new Error('getaddrinfo EAI_AGAIN ' + host), { code: 'EAI_AGAIN', hostname: host, syscall: 'getaddrinfo' });
      if (isAway) return void setTimeout(done, 10, fault);
      return real('127.0.0.1', options, done);
    };
    dns.lookup = lookup;`);
}
