import { importing } from './skewed-clock.ts';

/**
 * Settings of a process whose resolver maps this name to loopback. `SIGUSR2` makes it fail as if it reached no name
 * server, and the next one restores it.
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
