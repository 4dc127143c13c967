// Chance for times that many get one after the other: some in a row get the same. What settles
// together is then due together, so that it is beside each other in the indexes of the store and
// one commit changes few of their pages; and what has settled at once is still spread, in handfuls.

import type { Random } from "../../kernel/random.ts";

const handful = 64;

export function sharedRandom(random: Random): Random {
  let left = 0;
  let last = 0;
  return {
    next: () => {
      if (left === 0) {
        left = handful;
        last = random.next();
      }
      left -= 1;
      return last;
    },
    bytes: (count) => random.bytes(count),
  };
}
