import { platformCapabilities } from '@botyard/contracts/http/platform';
import { platformNames } from '@botyard/contracts/platform-names';
import { providerNames, publicProviderNames } from '@botyard/contracts/providers';

/** Meanings of an enumeration's values, by all its values in alphabetical order. */
const meanings: Readonly<Record<string, string>> = {
  [platformNames.toSorted().join('|')]: platformNames
    .map((name) => `\`${name}\`: ${platformCapabilities[name].meaning}.`)
    .join(' '),
  'channel|group|private':
    '`private`: one person and the bot. `group`: several people write. `channel`: posts with readers.',
  'admin|member': '`admin`: changes what the tenant has. `member`: reads and uses it.',
  [providerNames
    .toSorted()
    .join(
      '|',
    )]: `Who runs the model: ${publicProviderNames.map((name) => `\`${name}\``).join(', ')}, or \`private-llm\`, a model server of the tenant's or the operator's own.`,
  'calculator|current_time|external|hand_over|http_get|search_context':
    '`current_time` tells date and time, `calculator` calculates, `http_get` reads a web address, `search_context` searches the ' +
    "tenant's documents, `hand_over` asks for a person, `external` is a tool of an outside service.",
  'agent|bot|none|platform|tenant':
    "Whose key: the tenant's own for an `agent`, a `bot` or the whole `tenant`, the one of the `platform`, or `none`.",
  'in|out': '`in`: written to the bot. `out`: written by the bot, or by staff in its place.',
  'degraded|ok': '`degraded`: something that it needs does not work.',
  'degraded|starting': '`starting`: not ready for the first time yet. `degraded`: no longer ready.',
  'ok|unavailable': '`unavailable`: it did not answer in time.',
  'invalid|unknown|valid':
    '`valid`: the provider takes it. `invalid`: it refuses it. `unknown`: it could not be asked.',
  'answered|apologized|command':
    '`answered`: by an agent. `apologized`: the agent failed, and a sentence of ours was sent. `command`: Botyard itself answered.',
  'agent|capability|tool': 'What kind of definition it is.',
  'agent|bot|capability|tool': 'What the problem is with: a bot, or a definition of that kind.',
  'edge|policy': '`edge`: a relationship between a person and a tenant. `policy`: a rule of access.',
  'api|idp': '`api`: made by a request. `idp`: follows from a membership at the identity provider.',
  'executed|executing|none|rolledBack|rollingBack':
    '`none`: never executed. `executing` and `rollingBack` go on now; `executed` and `rolledBack` are over.',
  'done|queued|running': '`queued`: not begun yet. `running`: goes on now. `done`: all of it is over.',
  'cancelled|done|failed|queued|running':
    '`queued`: not begun yet. `running`: goes on now. `done`, `failed` and `cancelled` are over.',
  'done|failed|running':
    '`running`: goes on now. `done`: all processes are new. `failed`: given up, see `reason`.',
  'install|migration|publish|rollback':
    'How the version came to be: by publishing a draft, by a rollback, with the installation of a template, or by a migration.',
  'admin|bot': 'Who saved it: a `bot` in a chat, or an `admin` by a request.',
  'addressed|always|never': 'When the bot answers there: when it is addressed, to everything, or never.',
  'failed|uncertain': '`failed`: it did not arrive. `uncertain`: it may have arrived all the same.',
  'failed|processing|ready':
    '`processing`: not searched yet. `ready`: searched. `failed`: could not be read.',
  'html|markdown|text': 'What `text` is written in.',
  'html|markdown|pdf|text': 'What the document was given as.',
  'agent|bot|tenant':
    'For which calls the key is: those of one `agent`, of one `bot`, or all of the `tenant`.',
  'active|invalid': '`invalid`: its provider refused it, and it is not used.',
  'all|granted': '`all`: everybody may. `granted`: only where a grant says so.',
  'allow|approval|deny':
    '`allow`: the call is made. `approval`: an admin is asked first. `deny`: it is refused.',
  'tools|users': 'What its members are: people or tools.',
  'costMicroUsd|inputTokens|messages|outputTokens':
    'Which limit; `costMicroUsd` is in millionths of a US dollar.',
  'day|hour': 'How long each part of the series is.',
  'draining|not ready|ready|starting':
    '`starting`: not ready yet. `not ready`: something that it needs is missing. `draining`: it ends, and takes nothing new.',
  'debug|error|fatal|info|trace|warn': 'How grave it is, from `trace`, the least, to `fatal`.',
  'assistant|user': '`user`: what a person said. `assistant`: what the agent said.',
  'unknown|used|used_up':
    '`used`: it answers. `used_up`: its allowance for the month is spent. `unknown`: usage does not answer.',
  'authorized|open': '`authorized`: only senders who were let in may write. `open`: everybody may.',
  'completed|expired|none|pending|verified':
    '`none`: not begun. `pending`: the platform was not heard of yet. `verified`: the account is proven. `completed`: used to ' +
    'sign in or to link. `expired`: begin anew.',
  'executing|expired|failed|refused|rejected|succeeded|uncertain':
    '`uncertain`: it may have been done. `refused`: by a rule. `rejected`: by an admin. `expired`: no admin decided in time.',
  'find|save': 'Which tools for records: `save` gives `save_record`, `find` gives `find_records`.',
  'adminsKeptAfterLeaving|deadLetters|keysInvalid|quotaExceeded|registrationsFailed|repliesFailed|workHeld':
    'What somebody should look at; `workHeld`: something has waited for more than 5 minutes.',
};

/** The meaning of these values, in any order; `undefined` without one. */
export const describeValues = (values: readonly unknown[]): string | undefined =>
  meanings[[...values].map(String).sort().join('|')];
