import { expect, test } from 'vitest';
import { createNames } from '../../src/bus/names.ts';
import { consumedOwners, natsPermissions } from '../../src/bus/permissions.ts';
import { requests } from '../../src/events/catalogue.ts';

const names = createNames('test');
const services = Object.keys(consumedOwners);

/** Whether a subject falls under one of these patterns. */
const covers = (patterns: readonly string[], subject: string): boolean =>
  patterns.some((pattern) =>
    new RegExp(
      `^${pattern.replaceAll('.', '\\.').replaceAll('$', '\\$').replaceAll('*', '[^.]+').replace(/>$/, '.+')}$`,
    ).test(subject),
  );

test.each(requests.map((request) => [request.name, request] as const))(
  '%s can be asked by the services that it names, and heard by its owner alone',
  (_name, request) => {
    const subject = names.request(request);
    const askers = services.filter((service) => covers(natsPermissions('test', service).publish, subject));
    const hearers = services.filter((service) => covers(natsPermissions('test', service).subscribe, subject));
    expect(askers.sort()).toEqual([...request.callers].sort());
    expect(hearers).toEqual([request.owner]);
  },
);
