/** Returns the value of the key. If there is none yet, it makes one and stores it. */
export function getOrInsert<Key, Value>(map: Map<Key, Value>, key: Key, make: (key: Key) => Value): Value {
  const present = map.get(key);
  if (present !== undefined) return present;
  const made = make(key);
  map.set(key, made);
  return made;
}
