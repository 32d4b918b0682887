import { platformCapabilities } from '@botyard/contracts/http/platform';
import { platformNames } from '@botyard/contracts/platform-names';
import { providerNames, publicProviderNames } from '@botyard/contracts/providers';

/** Descriptions of enumerations, by all their values in alphabetical order. */
const meanings: Readonly<Record<string, string>> = {
  [platformNames.toSorted().join('|')]: platformNames
    .map((name) => `\`${name}\`: ${platformCapabilities[name].meaning}.`)
    .join(' '),
  'channel|group|private':
    'The kind of chat. `private`: one person and the bot. `group`: several people write. `channel`: posts are ' +
    'published to readers.',
  'admin|member':
    'The role. `admin`: may read and change the resources of the tenant. `member`: may read and use them.',
  [providerNames
    .toSorted()
    .join(
      '|',
    )]: `The provider that runs the model: ${publicProviderNames.map((name) => `\`${name}\``).join(', ')}, or \`private-llm\`, a model server run by the tenant or the operator.`,
  'calculator|current_time|external|hand_over|http_get|offer_choices|search_context':
    'The kind of tool. `current_time` returns the date and time, `calculator` evaluates expressions, ' +
    "`http_get` reads a web address, `search_context` searches the tenant's documents, `hand_over` requests " +
    'that a person take over, `offer_choices` shows choices under the answer, and `external` is a tool of an external service.',
  'agent|bot|none|platform|tenant':
    "The source of the key: the tenant's own key for an `agent`, a `bot` or the whole `tenant`, a key of the " +
    '`platform`, or `none`.',
  'in|out':
    'The direction of the message. `in`: written to the bot. `out`: written by the bot, or by staff in its place.',
  'degraded|ok': 'The status. `degraded`: a dependency does not work.',
  'degraded|starting': 'The status. `starting`: not ready yet. `degraded`: no longer ready.',
  'ok|unavailable': 'The status. `unavailable`: no response in time.',
  'invalid|unknown|valid':
    'Whether the key works. `valid`: the provider accepts it. `invalid`: the provider refuses it. `unknown`: ' +
    'the provider could not be reached.',
  'answered|apologized|command':
    'The outcome of the turn. `answered`: an agent answered. `apologized`: the agent failed and Botyard sent ' +
    'an apology. `command`: Botyard answered a command itself.',
  'agent|capability|tool': 'The kind of definition.',
  'agent|bot|capability|tool': 'The subject of the problem: a bot, or a definition of this kind.',
  'edge|policy':
    'The kind of item. `edge`: a relationship between a person and a tenant. `policy`: an access policy.',
  'api|idp':
    'The origin. `api`: created by a request. `idp`: derived from a membership at the identity provider.',
  'executed|executing|none|rolledBack|rollingBack':
    'The state. `none`: never executed. `executing` and `rollingBack`: in progress. `executed` and ' +
    '`rolledBack`: completed.',
  'done|queued|running': 'The state. `queued`: not started yet. `running`: in progress. `done`: completed.',
  'cancelled|done|failed|queued|running':
    'The state. `queued`: not started yet. `running`: in progress. `done`, `failed` and `cancelled`: ended.',
  'done|failed|running':
    'The state. `running`: in progress. `done`: all processes have been restarted. `failed`: aborted for the ' +
    'reason in `reason`.',
  'install|migration|publish|rollback':
    'How the version was created: by publishing a draft, by a rollback, by installing a template, or by a migration.',
  'admin|bot': 'The source of the record: saved by a `bot` in a chat, or by an `admin` with a request.',
  'addressed|always|never':
    'The messages that the bot answers there: only those `addressed` to it, all (`always`), or none (`never`).',
  'failed|uncertain': 'The result. `failed`: not delivered. `uncertain`: may have been delivered.',
  'failed|processing|ready':
    'The status. `processing`: not searchable yet. `ready`: searchable. `failed`: the content could not be read.',
  'html|markdown|text': 'The format of `text`.',
  'html|markdown|pdf|text': 'The format of the document.',
  'agent|bot|tenant':
    'The calls that the key is used for: those of one `agent`, of one `bot`, or all calls of the `tenant`.',
  'active|invalid': 'The status of the key. `invalid`: the provider refused it, and it is not used.',
  'all|granted': '`all`: no grant is required. `granted`: a grant is required.',
  'allow|approval|deny':
    'The decision. `allow`: the call is executed. `approval`: the call needs approval by an admin. `deny`: ' +
    'the call is refused.',
  'tools|users': 'The kind of members: people or tools.',
  'costMicroUsd|inputTokens|messages|outputTokens':
    'The limit. `costMicroUsd` is in millionths of a US dollar.',
  'day|hour': 'The length of each interval.',
  'draining|not ready|ready|starting':
    'The state. `starting`: not ready yet. `not ready`: a dependency is unavailable. `draining`: shutting ' +
    'down and not accepting new work.',
  'debug|error|fatal|info|trace|warn': 'The severity, from `trace` (lowest) to `fatal` (highest).',
  'assistant|user': 'The author of the message. `user`: a person. `assistant`: the agent.',
  'unknown|used|used_up':
    "The state of the platform's key. `used`: it is in use. `used_up`: the allowance for the month is used " +
    'up. `unknown`: the usage service does not respond.',
  'authorized|open':
    'The senders that are accepted. `authorized`: only authorized senders. `open`: everybody.',
  'completed|expired|none|pending|verified':
    'The state. `none`: not started. `pending`: waiting for a response from the platform. `verified`: the ' +
    'account is verified. `completed`: used to sign in or to link an account. `expired`: the process must be ' +
    'restarted.',
  'executing|expired|failed|refused|rejected|succeeded|uncertain':
    'The state of the call. `uncertain`: it may have been executed. `refused`: refused by a rule. `rejected`: ' +
    'rejected by an admin. `expired`: no admin decided in time.',
  'find|save':
    'The tools for records that are provided: `save` provides `save_record`, `find` provides `find_records`.',
  'adminsKeptAfterLeaving|deadLetters|keysInvalid|quotaExceeded|registrationsFailed|repliesFailed|workHeld':
    'The kind of problem. `workHeld`: messages have been waiting for more than 5 minutes.',
};

/** The description of an enumeration with these values, in any order; `undefined` if there is none. */
export const describeValues = (values: readonly unknown[]): string | undefined =>
  meanings[[...values].map(String).sort().join('|')];
