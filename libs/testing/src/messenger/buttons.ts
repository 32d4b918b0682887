/** Inline keyboards: the bot's buttons, and its acknowledgements of presses. */
import { type Bot, type Button, badRequest, type MessengerEvent } from './types.ts';

/** The platform's limit on unacknowledged presses. */
const maxOpen = 100;
const maxDataBytes = 64;

/** Stores a press in an update, which has to be acknowledged. */
export function openCallback(bot: Bot, update: Record<string, unknown>): void {
  const query = update.callback_query;
  if (typeof query !== 'object' || query === null || !('id' in query)) return;
  bot.openCallbacks = [...bot.openCallbacks, String(query.id)].slice(-maxOpen);
}

/** Accepts one acknowledgement per press; any other is refused as too old. */
export function answerCallback(bot: Bot, params: Record<string, unknown>): MessengerEvent {
  const queryId = String(params.callback_query_id ?? '');
  const text = String(params.text ?? '');
  if (text.length > 200) throw badRequest('MESSAGE_TOO_LONG');
  if (!bot.openCallbacks.includes(queryId))
    throw badRequest('query is too old and response timeout expired or query ID is invalid');
  bot.openCallbacks = bot.openCallbacks.filter((id) => id !== queryId);
  const isAlert = params.show_alert === true || params.show_alert === 'true';
  return { type: 'callback', botId: bot.id, queryId, text, isAlert };
}

/** The buttons of `reply_markup`; none for another kind of keyboard. */
export function inlineKeyboard(markup: unknown): Button[][] {
  let keyboard: unknown = markup;
  try {
    keyboard = typeof markup === 'string' ? JSON.parse(markup) : markup;
  } catch {
    throw badRequest("can't parse reply keyboard markup JSON object");
  }
  const rows = (keyboard as { inline_keyboard?: unknown } | undefined)?.inline_keyboard;
  if (!Array.isArray(rows)) return [];
  return rows.map((row: unknown) => {
    if (!Array.isArray(row)) throw badRequest('field "inline_keyboard" must be of type Array of Arrays');
    return row.map(checkedButton);
  });
}

function checkedButton(button: Record<string, unknown>): Button {
  const text = String(button?.text ?? '');
  if (text === '') throw badRequest('field "text" must be of type String');
  if (typeof button.url === 'string') return { text, url: button.url };
  const data = String(button.callback_data ?? '');
  if (data === '') throw badRequest('text buttons are unallowed in the inline keyboard');
  if (Buffer.byteLength(data) > maxDataBytes) throw badRequest('BUTTON_DATA_INVALID');
  return { text, data };
}
