/** The person asked to stop, or blocked the bot, while their message waited or was being answered. */
export class GivenUp extends Error {
  override readonly name = 'GivenUp';
}
