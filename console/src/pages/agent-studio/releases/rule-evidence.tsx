import { TextLink } from '../../../parts/text-link.tsx';
import { evidenceWords, sideWords, titleOfRule, withOutcome } from './release-words.ts';
import type { RuleEvidence as Evidence, Release } from './use-releases.ts';

/** The chats that a rule has counted of both versions, and how near its evidence is to a withdrawal. */
export function RuleEvidence({ rule, release }: { rule: Evidence; release: Release }) {
  const { candidate, live, evidence, withdrawsAt } = rule;
  const title = titleOfRule(rule);
  const rateOf = (side: Evidence['live']) => withOutcome(rule, side) / Math.max(1, side.sessions);
  // The evidence multiplies from chat to chat, so its logarithm grows evenly.
  const progress = Math.log(Math.max(1, evidence)) / Math.log(withdrawsAt);
  const isOver = evidence >= withdrawsAt;
  return (
    <section
      aria-label={title}
      className="grid content-start gap-2 rounded-lg border border-line p-3 text-sm"
    >
      <h3 className="font-medium">{title}</h3>
      <Bar label="Candidate" words={sideWords(rule, candidate)} part={rateOf(candidate)} fill="fill-accent" />
      <Bar label="Live" words={sideWords(rule, live)} part={rateOf(live)} fill="fill-soft" />
      <Bar
        label="Evidence"
        words={evidenceWords(rule)}
        part={progress}
        fill={isOver ? 'fill-bad' : 'fill-warn'}
      />
      {withOutcome(rule, candidate) > 0 && <CandidateChats rule={rule} release={release} />}
    </section>
  );
}

/** Opens the inbox with the chats of the candidate that have the rule's outcome. */
function CandidateChats({ rule, release }: { rule: Evidence; release: Release }) {
  const { agentId, version, createdAt } = release;
  return (
    <TextLink
      to="/inbox"
      search={({ as, tenant }) => ({
        as,
        tenant,
        agent: agentId,
        version,
        outcome: rule.outcome,
        from: createdAt.slice(0, 10),
      })}
      className="justify-self-start"
    >
      Read these chats of the candidate
    </TextLink>
  );
}

interface BarProps {
  label: string;
  words: string;
  /** Between 0 and 1. */
  part: number;
  fill: string;
}

/** A bar with its words, which say the same. */
function Bar({ label, words, part, fill }: BarProps) {
  return (
    <div className="grid gap-1">
      <p className="flex flex-wrap justify-between gap-x-3">
        <span className="text-soft">{label}</span>
        <span className="tabular-nums">{words}</span>
      </p>
      <svg viewBox="0 0 100 2" preserveAspectRatio="none" aria-hidden="true" className="h-2 w-full">
        <rect width={100} height={2} rx={1} className="fill-hover" />
        <rect width={100 * Math.min(1, Math.max(0, part))} height={2} rx={1} className={fill} />
      </svg>
    </div>
  );
}
