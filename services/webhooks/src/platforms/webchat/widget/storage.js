const memory = new Map();
const names = ['session', 'start', 'messages', 'waiting', 'readTo', 'mail', 'handling'];

/**
 * What survives a reload, of one visitor: `''` for one who isn't signed in, so that no history is shown to another one.
 * Where a browser allows no storage, such as in a frame without cookies, it lives as long as the page.
 */
export function createStorage(bot, user) {
  const prefix = `botyard:${bot}:${user}:`;
  const attempt = (work) => {
    try {
      return work(window.localStorage);
    } catch {
      return undefined;
    }
  };
  return {
    read(name) {
      const text = attempt((storage) => storage.getItem(prefix + name)) ?? memory.get(prefix + name);
      try {
        return text === undefined || text === null ? undefined : JSON.parse(text);
      } catch {
        return undefined;
      }
    },
    write(name, value) {
      const text = JSON.stringify(value);
      memory.set(prefix + name, text);
      attempt((storage) => storage.setItem(prefix + name, text));
    },
    remove(name) {
      memory.delete(prefix + name);
      attempt((storage) => storage.removeItem(prefix + name));
    },
    clear() {
      for (const name of names) this.remove(name);
    },
  };
}

/** `crypto.randomUUID` exists on secure pages only. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
