const sliceMs = 12;

/** Finds the nonce of a proof of work, in slices between which the page lives on. */
export async function work(challenge, bits) {
  const prefix = `${challenge}.`;
  for (let nonce = 0; ; ) {
    const end = performance.now() + sliceMs;
    while (performance.now() < end) {
      for (let count = 0; count < 64; count += 1, nonce += 1)
        if (zeroBits(sha256(prefix + nonce)) >= bits) return String(nonce);
    }
    await new Promise((resolve) => setTimeout(resolve));
  }
}

function zeroBits(words) {
  let bits = 0;
  for (const word of words) {
    bits += Math.clz32(word);
    if (word !== 0) return bits;
  }
  return bits;
}

const fraction = (value) => ((value - Math.floor(value)) * 2 ** 32) | 0;
const primes = [];
for (let number = 2; primes.length < 64; number += 1)
  if (primes.every((prime) => number % prime !== 0)) primes.push(number);
const roundConstants = primes.map((prime) => fraction(Math.cbrt(prime)));
const initial = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const schedule = new Int32Array(64);
const rotate = (word, by) => (word >>> by) | (word << (32 - by));

/** SHA-256 of ASCII, as 32-bit words. The browser's own has a promise for each hash, and exists on secure pages only. */
export function sha256(text) {
  const { length } = text;
  const blocks = new Int32Array((((length + 8) >> 6) + 1) * 16);
  for (let at = 0; at < length; at += 1) blocks[at >> 2] |= text.charCodeAt(at) << (24 - (at % 4) * 8);
  blocks[length >> 2] |= 0x80 << (24 - (length % 4) * 8);
  blocks[blocks.length - 1] = length * 8;
  const hash = Int32Array.from(initial);
  for (let block = 0; block < blocks.length; block += 16) compress(hash, blocks.subarray(block, block + 16));
  return hash;
}

function compress(hash, block) {
  let [a, b, c, d, e, f, g, h] = hash;
  for (let round = 0; round < 64; round += 1) {
    if (round < 16) schedule[round] = block[round];
    else {
      const early = schedule[round - 15];
      const late = schedule[round - 2];
      const first = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
      const second = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
      schedule[round] = (schedule[round - 16] + first + schedule[round - 7] + second) | 0;
    }
    const choice = (e & f) ^ (~e & g);
    const upper = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const one = (h + upper + choice + roundConstants[round] + schedule[round]) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const two = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) hash[index] += word;
}
