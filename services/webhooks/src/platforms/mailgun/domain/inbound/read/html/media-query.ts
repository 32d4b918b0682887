type Answer = 'yes' | 'no' | 'unknown';

/** The reader's screen: a desktop's, in light colours. */
const widthPx = 1000;
const heightPx = 700;
const maxUnits = 1000;

/** Whether a media query applies to the reader. Features that aren't known here may apply. */
export function matchesMedia(query: string): Answer {
  const queries = query
    .slice(0, maxUnits)
    .toLowerCase()
    .split(',')
    .map((one) => one.trim());
  const answers = queries.map((one) => (one === '' ? 'yes' : matchesOne(one)));
  if (answers.includes('yes')) return 'yes';
  return answers.includes('unknown') ? 'unknown' : 'no';
}

function matchesOne(query: string): Answer {
  const isInverted = /^not\b/.test(query);
  const parts = query.replace(/^(?:not|only)\b/, '').split(/\band\b/);
  const answers = parts.map((part) => matchesPart(part.trim()));
  const answer = answers.includes('no') ? 'no' : answers.includes('unknown') ? 'unknown' : 'yes';
  if (!isInverted || answer === 'unknown') return answer;
  return answer === 'yes' ? 'no' : 'yes';
}

const of = (isTrue: boolean): Answer => (isTrue ? 'yes' : 'no');

function matchesPart(part: string): Answer {
  if (!part.startsWith('(')) {
    if (part === 'screen' || part === 'all' || part === '') return 'yes';
    return /^(?:print|speech|aural|braille|embossed|handheld|projection|tty|tv)$/.test(part)
      ? 'no'
      : 'unknown';
  }
  const [, name = '', value = ''] = /^\(\s*([\w-]{1,60})\s*(?::\s*([^()]{0,60}))?\)$/.exec(part) ?? [];
  const [, edge, side] = /^(min|max)-(?:device-)?(width|height)$/.exec(name) ?? [];
  if (edge) {
    const px = pixelsOf(value);
    const size = side === 'width' ? widthPx : heightPx;
    return px === undefined ? 'unknown' : of(edge === 'min' ? size >= px : size <= px);
  }
  return matchesFeature(name, value.trim());
}

function matchesFeature(name: string, value: string): Answer {
  if (name === 'orientation') return of(value === 'landscape');
  if (name === 'prefers-color-scheme') return of(value === 'light');
  if (name === 'hover' || name === 'any-hover') return of(value !== 'none');
  if (name === 'color') return 'yes';
  if (name === 'monochrome') return 'no';
  if (/^(?:-webkit-min-device-pixel-ratio|min--moz-device-pixel-ratio|min-resolution)$/.test(name)) {
    const ratio = Number.parseFloat(value) / (value.endsWith('dpi') ? 96 : 1);
    return Number.isNaN(ratio) ? 'unknown' : of(ratio <= 1);
  }
  return 'unknown';
}

function pixelsOf(value: string): number | undefined {
  const [, digits, unit] = /^\s*(-?[\d.]{1,12})(px|em|rem|pt)?\s*$/.exec(value) ?? [];
  if (digits === undefined) return undefined;
  return Number.parseFloat(digits) * (unit === 'em' || unit === 'rem' ? 16 : unit === 'pt' ? 4 / 3 : 1);
}
