import { faultsOf } from '../fault.ts';

const src = (name: string) => `services/webhooks/src/${name}.ts`;
const test = (name: string) => `services/webhooks/test/${name}.test.ts`;

export const webhookFaults = [
  ...faultsOf(src('admission/domain/verify-secret'), test('admission/domain/verify-secret'), [
    ['production takes deliveries without a secret', 'return !options.isProduction;', 'return true;'],
    ['one right secret of two is enough', 'presentedSecrets.every(', 'presentedSecrets.some('],
  ]),
  ...faultsOf(src('admission/domain/ambient-messages'), test('admission/domain/ambient-messages'), [
    ['everything that a group says is kept', 'if (until - nowMs > minuteMs) return false;', ''],
  ]),
  ...faultsOf(src('admission/domain/balancer-notice'), test('admission/domain/balancer-notice'), [
    ['a stranger over the limit passes for a balancer', 'if (isPublicAddress(address)) return;', ''],
  ]),
  ...faultsOf(src('delivery/domain/pace'), test('delivery/domain/pace'), [
    ['a burst is one message longer', '(pace.burst - 1)', 'pace.burst'],
    [
      'who comes later passes those that wait',
      'botWaitMs === 0 && (isBooked || bot.bookedMs === 0)',
      'botWaitMs === 0',
    ],
  ]),
  ...faultsOf(src('endpoints/domain/endpoint-cache'), test('endpoints/domain/endpoint-cache'), [
    [
      'what was read before a change is remembered after it',
      'if (value && isCurrent()) this.#remembered.set',
      'if (value) this.#remembered.set',
    ],
    [
      'a change leaves what is remembered',
      'this.#loading.delete(key);\n    this.#remembered.delete(key);',
      'this.#loading.delete(key);',
    ],
  ]),
  ...faultsOf(src('files/domain/spool'), test('files/domain/spool'), [
    ['deliveries may fill the disk', 'await this.held.add(chunk.length);', ''],
    ['a file of a delivery has a name', 'await unlink(path);', ''],
  ]),
  ...faultsOf(src('identity/domain/verify-delivery'), test('identity/domain/verify-delivery'), [
    ['bytes that are no text pass for what was signed', ' || !isUtf8(body)', ''],
    ['an event needs no right signature', 'webhook.verify(body, { ...shown });', ''],
  ]),
  ...faultsOf(src('identity/domain/read-event'), test('identity/domain/read-event'), [
    [
      'the name of a kind may be of the prototype',
      'Object.hasOwn(readers, envelope.type) ? readers[envelope.type] : undefined',
      'readers[envelope.type]',
    ],
    ['an event happened when it was sent', 'readIdpMoment(envelope.timestamp) ?? signedAt', 'signedAt'],
  ]),
  ...faultsOf(src('platforms/telegram/domain/address'), test('platforms/telegram/domain/read-update'), [
    ["another bot's command is answered", 'if (command?.isForAnother) return undefined;', ''],
  ]),
  ...faultsOf(src('platforms/telegram/domain/read-message'), test('platforms/telegram/domain/read-update'), [
    [
      "another bot's messages are answered",
      'if (message.from?.is_bot && !message.sender_chat) return "another bot\'s message";',
      '',
    ],
  ]),
];
