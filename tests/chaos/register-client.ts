// A client of concurrency.test.ts: callers that read, create, increment and delete a few shared
// registers until SIGTERM, and a follower that reads the log from its beginning. It prints each
// call with its times and its answer, and checkpoints of a running digest over the log: two
// processes that print the same digest at the same revision have seen the same changes in the same
// order.
//
//   sh tools/run tests/chaos/register-client.ts URL NAME SEED
import { createHash } from "node:crypto";
import { isSetpointError } from "../../src/kernel/errors.ts";
import type { Random } from "../../src/kernel/random.ts";
import { seededRandom } from "../../src/kernel/random.ts";
import type { Answer, Store, Write } from "../../src/store/port.ts";
import { chaosDraft, chaosKey, parseChaos } from "./documents.ts";
import { codeOf, nowUs, writeLine } from "./evidence.ts";
import type { Action, Operation, Version, WriteOutcome } from "./linearizable.ts";
import { openTarget } from "./target.ts";
import { systemCause } from "../../src/kernel/cause.ts";

export type ClientLine =
  | { readonly kind: "operation"; readonly register: string; readonly operation: Operation }
  | { readonly kind: "order"; readonly revision: number; readonly digest: string }
  | { readonly kind: "problem"; readonly text: string };

export const registerKind = "registers.chaos";
export const registers = ["r0", "r1", "r2"];
/** Only incremented, never deleted: its number counts the acknowledged increments. */
export const counterRegister = "counter";

const callers = 4;
/** Revisions from one checkpoint to the next. */
export const orderEvery = 50;

export async function runClient(
  store: Store,
  options: { readonly name: string; readonly seed: number; readonly signal: AbortSignal },
): Promise<void> {
  const { name, seed, signal } = options;
  const stopping = new AbortController();
  const following = followOrder(store, stopping.signal);
  await Promise.all(
    Array.from({ length: callers }, async (_, index) => {
      const caller = new Caller(store, `${name}.${index}`, seededRandom(seed * 100 + index));
      while (!signal.aborted) await caller.act();
    }),
  );
  stopping.abort();
  await following;
}

class Caller {
  readonly #store: Store;
  readonly #name: string;
  readonly #random: Random;
  #count = 0;

  constructor(store: Store, name: string, random: Random) {
    this.#store = store;
    this.#name = name;
    this.#random = random;
  }

  async act(): Promise<void> {
    const choice = this.#random.next();
    const index = Math.floor(this.#random.next() * registers.length);
    const register = choice < 0.4 ? counterRegister : (registers[index] ?? counterRegister);
    const held = await this.#read(register);
    if (held === undefined) return; // The read failed, and said so.
    if (held === null) return await this.#create(register);
    if (register === counterRegister || choice < 0.85) return await this.#increment(register, held);
    await this.#delete(register, held);
  }

  async #read(register: string): Promise<Version | null | undefined> {
    const beginUs = nowUs();
    try {
      const record = await this.#store.get(chaosKey(registerKind, register));
      const found =
        record === undefined
          ? null
          : { value: valueOf(parseChaos(record.body).spec), revision: record.revision };
      this.#say(register, beginUs, { kind: "read", found });
      return found;
    } catch (error) {
      if (!isRetryable(error)) say({ kind: "problem", text: `read: ${codeOf(error)}` });
      return undefined;
    }
  }

  async #create(register: string): Promise<void> {
    const spec = { op: this.#operation(), number: 1 };
    const key = chaosKey(registerKind, register);
    const draft = chaosDraft(key, { uid: spec.op, spec });
    const write = {
      kind: "put",
      cause: systemCause,
      key,
      uid: spec.op,
      draft,
      when: { kind: "absent" },
    } as const;
    await this.#submit(register, write, (outcome) => ({
      kind: "create",
      value: valueOf(spec),
      outcome,
    }));
  }

  async #increment(register: string, expected: Version): Promise<void> {
    const key = chaosKey(registerKind, register);
    const [number = "0", uid = ""] = expected.value.split(" ");
    const spec = { op: this.#operation(), number: Number(number) + 1, uid };
    const draft = chaosDraft(key, { uid, spec });
    const when = { kind: "revision", revision: expected.revision } as const;
    await this.#submit(
      register,
      { kind: "put", cause: systemCause, key, uid, draft, when },
      (outcome) => ({
        kind: "swap",
        expected,
        value: valueOf(spec),
        outcome,
      }),
    );
  }

  async #delete(register: string, expected: Version): Promise<void> {
    const key = chaosKey(registerKind, register);
    const when = { kind: "revision", revision: expected.revision } as const;
    const write = { kind: "delete", cause: systemCause, key, when } as const;
    await this.#submit(register, write, (outcome) => ({
      kind: "delete",
      cause: systemCause,
      expected,
      outcome,
    }));
  }

  async #submit(
    register: string,
    write: Write,
    action: (outcome: WriteOutcome) => Action,
  ): Promise<void> {
    const beginUs = nowUs();
    try {
      const [answer] = await this.#store.commit([write]);
      this.#say(register, beginUs, action(outcomeOf(answer)));
    } catch (error) {
      if (isSetpointError(error, "store.outcome_unknown")) {
        this.#say(register, beginUs, action({ kind: "unknown" }));
      } else if (!isRetryable(error)) {
        say({ kind: "problem", text: `commit: ${codeOf(error)}` });
      }
    }
  }

  #operation(): string {
    return `${this.#name}.${++this.#count}`;
  }

  #say(register: string, beginUs: number, action: Action): void {
    const operation = { process: this.#name, beginUs, endUs: nowUs(), action };
    say({ kind: "operation", register, operation });
  }
}

/** The uid travels in the value, so that whoever read a value can write under its identity. */
function valueOf(spec: {
  readonly op: string;
  readonly number?: number;
  readonly uid?: unknown;
}): string {
  const uid = typeof spec.uid === "string" ? spec.uid : spec.op;
  return `${spec.number ?? 0} ${uid} ${spec.op}`;
}

function outcomeOf(answer: Answer | undefined): WriteOutcome {
  if (answer?.kind === "committed") return { kind: "done", revision: answer.revision };
  const code = answer?.kind === "refused" ? answer.error.code : answer?.kind;
  switch (code) {
    case "resource.conflict":
      return { kind: "conflict" };
    case "resource.not_found":
      return { kind: "missing" };
    case "resource.already_exists":
      return { kind: "exists" };
    default:
      say({ kind: "problem", text: `unexpected answer ${code}` });
      return { kind: "unknown" };
  }
}

/** Not applied, and said so: the caller may simply try again. */
function isRetryable(error: unknown): boolean {
  return isSetpointError(error, "store.unavailable") || isSetpointError(error, "store.overloaded");
}

async function followOrder(store: Store, signal: AbortSignal): Promise<void> {
  let position = 0;
  let digest = "";
  const read = async (): Promise<void> => {
    const { changes } = await store.changes(position, orderEvery);
    for (const { revision, type, body } of changes) {
      const text = `the follower saw ${revision} after ${position}`;
      if (revision !== position + 1) say({ kind: "problem", text });
      position = revision;
      digest = createHash("sha256")
        .update(`${digest}${revision}${type}`)
        .update(body)
        .digest("hex");
      if (revision % orderEvery === 0) say({ kind: "order", revision, digest });
    }
  };
  while (!signal.aborted) {
    try {
      await store.advancedBeyond(position, signal);
      await read();
    } catch (error) {
      if (signal.aborted) break;
      if (!isRetryable(error)) say({ kind: "problem", text: `follow: ${codeOf(error)}` });
    }
  }
  for (let isBehind = true; isBehind;) {
    try {
      const { revision: head } = await store.head();
      await read();
      isBehind = position < head;
    } catch (error) {
      if (!isRetryable(error)) throw error;
    }
  }
  say({ kind: "order", revision: position, digest });
}

function say(line: ClientLine): void {
  writeLine(line);
}

if (import.meta.main) {
  const [target = "", name = "client", seed = "1"] = process.argv.slice(2);
  const stopping = new AbortController();
  process.once("SIGTERM", () => stopping.abort());
  await using store = await openTarget(target);
  say({ kind: "order", revision: 0, digest: "" });
  await runClient(store, { name, seed: Number(seed), signal: stopping.signal });
}
