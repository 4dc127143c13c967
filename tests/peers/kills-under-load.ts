// A server that is killed again and again while many resources are created, changed and deleted. A
// request that fails because the server is not there is repeated, as a client does it.
import type { Mortal } from "./crash-steps.ts";
import type { Tried } from "./resources.ts";
import { waitUntil } from "./wait.ts";

export interface Load {
  readonly server: Mortal;
  /** How many lives there are, and how many of them go on at the same time. */
  readonly lives: number;
  readonly parallel: number;
  /** The server is killed each time this many lives have ended. */
  readonly killEvery: number;
  readonly live: (index: number) => Promise<void>;
}

/** Returns the number of kills, when all lives have ended. */
export async function killUnderLoad(load: Load): Promise<number> {
  const { server, lives, parallel, killEvery, live } = load;
  const left = Array.from({ length: lives }, (_, index) => index);
  let ended = 0;
  const work = async (): Promise<void> => {
    for (let index = left.shift(); index !== undefined; index = left.shift()) {
      await live(index);
      ended += 1;
    }
  };
  const kill = async (): Promise<number> => {
    let kills = 0;
    while ((kills + 1) * killEvery < lives) {
      const next = (kills + 1) * killEvery;
      await waitUntil(`${next} lives to end`, () => ended >= next);
      await server.kill9();
      await server.start();
      kills += 1;
    }
    return kills;
  };
  const [kills] = await Promise.all([kill(), ...Array.from({ length: parallel }, work)]);
  return kills;
}

/** Until a request has one of the statuses. A repeated creation may find what it has created. */
export async function untilStatus(
  what: string,
  request: () => Promise<Tried>,
  ...statuses: readonly number[]
): Promise<void> {
  let last = "";
  const isDone = async (): Promise<boolean> => {
    const { status, text } = await request().catch((error: unknown) => {
      return { status: 0, text: String(error) };
    });
    last = `${status} ${text}`;
    return statuses.includes(status);
  };
  await waitUntil(what, isDone).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${last}`);
  });
}
