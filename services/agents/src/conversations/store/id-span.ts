/** More than the largest difference between the clock that makes identifiers and the one that writes `created_at`. */
const slackMs = 3_600_000;

/**
 * Identifiers are ordered by time. Rows made from `from` on and before `to` have identifiers between these two, so an
 * index by identifier finds them. For an exact result, the timestamps have to be compared too.
 */
export function idSpan({ from, to }: { from?: Date | undefined; to?: Date | undefined }): {
  first: string | null;
  last: string | null;
} {
  return {
    first: from ? smallestIdAt(from.getTime() - slackMs) : null,
    last: to ? smallestIdAt(to.getTime() + slackMs) : null,
  };
}

function smallestIdAt(ms: number): string {
  const time = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}
