// The port for chance: jitter, sampling, generated names. Keys and tokens that must not be
// guessed use `bytes`, which is cryptographic in the system implementation; `next` is not.
// The seeded generator is xoshiro128** started by splitmix32: small, fast, and the same sequence
// on every machine, which is what makes a failing simulator seed a reproducible bug.

import { randomBytes } from "node:crypto";

export interface Random {
  /** A number in [0, 1). */
  next(): number;
  bytes(count: number): Uint8Array;
}

export const systemRandom: Random = {
  next: () => Math.random(),
  bytes: (count) => randomBytes(count),
};

export function seededRandom(seed: number): Random {
  const word = xoshiro128(seed);
  return {
    // 53 bits: 27 from one word above 26 from another.
    next: () => ((word() >>> 5) * 2 ** 26 + (word() >>> 6)) / 2 ** 53,
    bytes: (count) => {
      const result = new Uint8Array(count);
      for (let i = 0; i < count; i += 4) {
        const bits = word();
        for (let j = 0; j < 4 && i + j < count; j++) result[i + j] = (bits >>> (8 * j)) & 0xff;
      }
      return result;
    },
  };
}

function xoshiro128(seed: number): () => number {
  const start = splitmix32(seed);
  let a = start();
  let b = start();
  let c = start();
  let d = start() | 1; // Never all zero, from which the generator could not leave.
  return () => {
    const result = Math.imul(rotated(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotated(d, 11);
    return result;
  };
}

function splitmix32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return mixed ^ (mixed >>> 15);
  };
}

function rotated(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}
