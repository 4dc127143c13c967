/**
 * What an attack program is: the load of one tenant that must not disturb another. Each file of
 * attacks/ exports `attacks`, and the bench runs each attack against a server of its own
 * (tenants.ts). An attack runs in its own process, sends traffic to the target alone, and ends when
 * its signal is aborted. Refusals by the server are the expected result: an attack ignores them.
 */
import { LoadConnection, requestBytes } from "./http-load.ts";
import type { Answer, LoadTarget } from "./http-load.ts";

export interface Attack {
  /** In the table and on the command line, such as `endless-bodies`. Unique among all attacks. */
  readonly name: string;
  /** Creates the data that the attack needs, before anything is measured. */
  prepare?(target: AttackTarget): Promise<void>;
  /** Resolves soon after the signal is aborted. */
  run(target: AttackTarget, signal: AbortSignal): Promise<void>;
}

export interface AttackTarget extends LoadTarget {
  /** The namespace of the attacker, who has the role `edit` in it. */
  readonly namespace: string;
  /** Two accounts with that role. */
  readonly accounts: readonly Account[];
  /** Two accounts without any role. */
  readonly strangers: readonly Account[];
  /** The administrator, for `prepare` alone: administrators are exempt from admission. */
  readonly admin: Account;
}

export interface Account {
  readonly user: string;
  readonly token: string;
}

export interface SentBody {
  readonly type: string;
  readonly text: string;
}

/** One request on its own connection. */
export async function askOnce(
  target: LoadTarget,
  { token }: Account,
  [method, path]: readonly [method: string, path: string],
  body?: SentBody,
): Promise<Answer> {
  using connection = await LoadConnection.open(target);
  return await new Promise<Answer>((resolve, reject) => {
    connection.ask(requestBytes(method, path, token, body), resolve, reject);
  });
}

/** Repeats `once` in `count` loops until the signal is aborted; a failure does not end a loop. */
export async function inLoops(
  count: number,
  signal: AbortSignal,
  once: (loop: number) => Promise<unknown>,
): Promise<void> {
  const loop = async (_: unknown, index: number): Promise<void> => {
    while (!signal.aborted) {
      try {
        await once(index);
      } catch {
        // The server may refuse or close the connection: the next attempt opens another one.
        await new Promise((resolve) => {
          setTimeout(resolve, retryMs);
        });
      }
    }
  };
  await Promise.all(Array.from({ length: count }, loop));
}

const retryMs = 50;
