import { faultsOf } from '../fault.ts';

const src = (name: string) => `libs/shared/src/${name}.ts`;
const test = (name: string) => `libs/shared/test/${name}.test.ts`;

export const sharedFaults = [
  ...faultsOf(src('auth/identity'), test('auth/identity'), [
    [
      'an identity for another service is taken',
      '        audience,\n        algorithms',
      '        algorithms',
    ],
    ['an identity of the future is taken', 'aheadMs > identityLeewaySeconds * 1000', 'false'],
  ]),
  ...faultsOf(src('auth/access'), test('auth/any-admin-or-operator'), [
    [
      'a member counts as an admin',
      'caller.isOperator || administersAny(caller) ? admitted',
      'caller.isOperator || caller.roles.size > 0 ? admitted',
    ],
  ]),
  ...faultsOf(src('bus/remembered'), test('bus/remembered'), [
    ['what is remembered is used while the bus is away', 'return this.#bus.isConnected ? ', 'return true ? '],
    [
      'an answer from before a change is remembered',
      'if (this.#changes === changesBefore) this.#values.set',
      'this.#values.set',
    ],
    [
      'a change drops nothing',
      'if (known.tenantId === tenantId) this.#values.delete(name);',
      'known.tenantId === name;',
    ],
  ]),
  ...faultsOf(src('bus/dead-letters'), test('bus/dead-letters'), [
    ['pauses between tries grow without an end', 'Math.min(60_000, ', 'Math.min(600_000, '],
  ]),
  ...faultsOf(src('http/bounded-body'), test('http/bounded-body'), [
    ['an answer may be of any size', 'if (bytes > maxBytes) throw new AnswerTooLargeError(maxBytes);', ''],
  ]),
  ...faultsOf(src('http/egress/public-address'), test('http/egress/public-address'), [
    ["a cloud's metadata is a public address", "'169.254.0.0/16',", ''],
    ['a private address behind NAT64 is public', '...specialIpv4.map(ipv4ThroughNat64)', ''],
    ['an address with a zone is public', "!address.includes('%') && ", ''],
  ]),
  ...faultsOf(src('http/egress/egress'), test('http/egress/egress'), [
    ['an address is not checked before it is called', 'if (!isVouchedFor) checkAddress(url);', ''],
    [
      'a name may lead to a private address',
      "if (!found.every(isFine)) return callback(notPublic(), '');",
      '',
    ],
    ['an address may have a password in it', 'url.username || url.password', 'false'],
  ]),
  ...faultsOf(src('http/local-request'), test('http/local-request'), [
    ['a request that came through a proxy is local', 'if (proxyHeader) return', 'if (false) return'],
    ['a request with two hosts is local', 'furtherHosts.length > 0 || ', ''],
    ['a request of another machine is local', "!isPeer(socket.remoteAddress ?? '')", 'false'],
    ['a page of another origin is local', '(origin) => isSameOrigin(origin, host)', '() => true'],
  ]),
  ...faultsOf(src('http/cookies'), test('http/cookies'), [
    [
      'the first of two cookies with one name counts',
      'values.length === 1 ? values[0] : undefined',
      'values[0]',
    ],
    ['pages can read a cookie', "'HttpOnly', ", ''],
  ]),
  ...faultsOf(src('secrets/handover'), test('secrets/handover'), [
    ['a key opens a second answer', 'privateKey = undefined;', ''],
  ]),
  ...faultsOf(src('secrets/keyring'), test('secrets/keyring'), [
    ['a sealed value opens in another row', 'protectedHeader.bnd !== fingerprint(binding)', 'false'],
    [
      'a sealed value opens after a change that decodes alike',
      "!sealed.split('.').every(isCanonical)",
      'false',
    ],
    ['two keys may have one id', 'keys.size !== entries.length', 'false'],
  ]),
  ...faultsOf(src('secrets/secret'), test('secrets/secret'), [
    ['a mask shows a short secret', "secret.length < 12 ? '…' : ", ''],
    [
      'a secret is written into JSON',
      "toJSON(): string {\n    return '[secret]';",
      'toJSON(): string {\n    return this.#value;',
    ],
  ]),
  ...faultsOf(src('service/stalls'), test('service/stalls'), [
    ['a stall shows after twenty seconds', 'const shownAfterMs = 5000;', 'const shownAfterMs = 20_000;'],
    ['a stall is logged with each failure', ' || entry.logged === entry.reason', ''],
  ]),
  ...faultsOf(src('service/clock-watch'), test('service/clock-watch'), [
    ['a clock that is ahead is not noticed', 'Math.abs(offsetMs) > maxApartMs', 'offsetMs > maxApartMs'],
  ]),
  ...faultsOf(src('mail/organization-domains'), test('mail/organization-domains'), [
    ['everybody with the same mail provider is of one organization', ' || publicDomains.has(domain)', ''],
  ]),
  ...faultsOf(src('db/failures'), test('db/failures'), [
    ['a wrong password of the database is a fault of the request', '(08...|28...|', '(08...|'],
  ]),
  ...faultsOf(src('work/round-robin-queue'), test('work/round-robin-queue'), [
    [
      'one owner is served until nothing of it waits',
      'this.#queues.delete(owner);\n      if (queue.items.length > 0) this.#queues.set(owner, queue);',
      'if (queue.items.length === 0) this.#queues.delete(owner);',
    ],
  ]),
  ...faultsOf(src('work/semaphore'), test('work/semaphore'), [
    ['a slot that is given back stays taken', 'this.#running -= 1;', ''],
  ]),
  ...faultsOf(src('work/resting-gate'), test('work/noisy-tenant-throttle'), [
    ['a noisy tenant does not rest', '* restsFor', '* 0'],
    ['a piece that hangs holds up all others', 'Math.min(maxSpacingMs, evenly', 'Math.min(evenly'],
    ['a delivery waits for ever', 'Math.max(1, late)', '1'],
  ]),
  ...faultsOf(src('work/batcher'), test('work/batcher'), [
    [
      'one bad item fails all that came with it',
      'batch.length === 1 || this.#options.isOutage(error)',
      'batch.length > 0',
    ],
    [
      'a batch may be of any size',
      'this.#waiting.take(maxBatch)',
      'this.#waiting.take(Number.POSITIVE_INFINITY)',
    ],
    [
      'results of a batch change places',
      'resolve(results[index] as Result)',
      'resolve(results.at(-1 - index) as Result)',
    ],
    ['owners of items do not take turns', 'this.#options.ownerOf(item)', "''"],
  ]),
  ...faultsOf(src('work/leased-queue/leased-queue'), test('work/leased-queue/leased-queue'), [
    ['a queue stops before its jobs', 'await Promise.all(this.#ends);', ''],
    ['a lost lease aborts nothing', 'this.#jobs.get(job)?.abort(new LeaseLost())', 'undefined'],
    [
      'a reserved slot that is given back stays taken',
      '      giveBack: () => {\n        this.#reserved.delete(reserved);',
      '      giveBack: () => {',
    ],
    ['a tenant may have all reserved slots', '?? 0) >= share)', '?? 0) >= slots)'],
  ]),
];
