/**
 * The tabs of a browser share one stream: the tab that holds the lock reads it, and passes on what it reads. Where a
 * browser has no locks (a page without https) each tab reads a stream of its own.
 */
export function createTabs(name, onMessage) {
  let channel;
  try {
    channel = new BroadcastChannel(name);
    channel.addEventListener('message', ({ data }) => onMessage(data));
  } catch {
    channel = undefined;
  }
  const locks = channel && navigator.locks;
  return {
    tell: (message) => channel?.postMessage(message),
    /** Runs `work` in one tab at a time, until its promise ends. */
    async alone(part, work) {
      if (!locks) return await work();
      let isBegun = false;
      try {
        return await locks.request(`${name}:${part}`, () => {
          isBegun = true;
          return work();
        });
      } catch (error) {
        // A frame may not be allowed to have locks.
        if (isBegun) throw error;
        return await work();
      }
    },
  };
}
