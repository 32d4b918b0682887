import { ofPlatforms } from '@botyard/contracts/http/platform';

const patterns = Object.values(ofPlatforms(({ publicPaths }) => publicPaths))
  .flat()
  .map(patternOf);

/** Whether a platform's adapter serves this path, which lies outside `/webhooks`: a script, or a page of its own. */
export const isPlatformPage = (path: string): boolean => patterns.some((pattern) => pattern.test(path));

/** Matches a path in lower case. `:name` stands for one segment: `/chat/:botId`. */
export function patternOf(path: string): RegExp {
  const segments = path
    .toLowerCase()
    .split('/')
    .map((segment) => (segment.startsWith(':') ? '[^/]+' : segment.replaceAll('.', '\\.')));
  return new RegExp(`^${segments.join('/')}$`);
}
