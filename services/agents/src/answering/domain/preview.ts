import { chatPreview } from '@botyard/contracts/events/chat-hints';
import { platformCapabilities } from '@botyard/contracts/http/platform';
import { signal as sendSignal } from '@botyard/shared/bus/signals';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { Deps } from '../deps.ts';

const everyMs = 150;
/** A window shows the beginning of a longer answer until the whole one is there. */
const maxUnits = 8000;

/**
 * Shows an answer while it is written, where the platform can. It is a hint and nothing more: it is stored nowhere, may
 * be lost, and is withdrawn by a new attempt and by an end without an answer.
 */
export class Preview {
  readonly #show: (text: string | null) => void;
  #text = '';
  #shown = '';
  #timer: NodeJS.Timeout | undefined;

  private constructor(show: (text: string | null) => void) {
    this.#show = show;
  }

  /** `undefined` where the platform shows none. */
  static of(
    { bus }: Pick<Deps, 'bus'>,
    { botId, platform, place }: ClaimedConversation,
    turnId: string,
  ): Preview | undefined {
    if (!platformCapabilities[platform].capabilities.previews) return undefined;
    const { platformChatId, threadId } = place;
    return new Preview((text) =>
      sendSignal(bus, chatPreview, { botId, chat: { platformChatId, threadId }, turnId, text }),
    );
  }

  readonly watch = {
    onBegin: (): void => this.withdraw(),
    onText: (text: string): void => {
      this.#text += text;
      if (this.#timer) return;
      this.#tell();
      this.#timer = setTimeout(() => this.#tell(), everyMs);
    },
    onTool: (): void => this.withdraw(),
  };

  /** The stored answer replaces the preview; without one it is withdrawn. */
  end({ isAnswered }: { isAnswered: boolean }): void {
    if (!isAnswered) this.withdraw();
    this.#stop();
  }

  withdraw(): void {
    this.#stop();
    this.#text = '';
    if (this.#shown !== '') this.#show(null);
    this.#shown = '';
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #tell(): void {
    this.#timer = undefined;
    const text = this.#text.slice(0, maxUnits).toWellFormed();
    if (text === this.#shown) return;
    this.#shown = text;
    this.#show(text);
  }
}
