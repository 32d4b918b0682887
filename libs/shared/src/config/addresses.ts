/** An http address in one spelling: host in lower case, no default port, no trailing slash. */
export const normalAddress = (address: string): string => new URL(address).href.replace(/\/+$/, '');

/** Whether two texts are the same address in different spellings. A text that is no address equals only itself. */
export function isSameAddress(left: string, right: string): boolean {
  if (left === right) return true;
  return URL.canParse(left) && URL.canParse(right) && normalAddress(left) === normalAddress(right);
}
