// The context of a request that looks at what a run would do. It has no claim, so it writes
// nothing: `writeWithin` lets dry runs pass, and everything that a run stores is refused.

import { fencedWrite } from "../engine/run/fenced-write.ts";
import type { RunFence } from "../engine/run/fenced-write.ts";
import type { Context, Reference } from "../engine/reconciler.ts";
import type { Cause } from "../kernel/cause.ts";
import type { Clock } from "../kernel/clock.ts";
import { decodeDocument } from "../kernel/document.ts";
import type { Random } from "../kernel/random.ts";
import type { Store } from "../store/port.ts";

export interface RequestContextInput {
  readonly store: Pick<Store, "get">;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly cause: Cause;
  /** Of references that name none. */
  readonly namespace: string;
  /** Of one call to an external system. */
  readonly callTimeoutMs: number;
}

/** What a write needs of the run behind it; a request has no claim. */
export type WriteFence = Pick<RunFence, "cause"> & Partial<Pick<RunFence, "claim">>;

const causes = new WeakMap<Context, Cause>();

export function requestContext(input: RequestContextInput): Context {
  const { store, clock, random, signal, namespace: own, callTimeoutMs } = input;
  const refuse = (): never => {
    throw new Error("a request looks at resources and changes none");
  };
  const nothing = (): void => undefined;
  const context: Context = {
    signal,
    superseded: new AbortController().signal,
    token: 0,
    attempt: 1,
    clock,
    random,
    log: { debug: nothing, info: nothing, warn: nothing },
    tracer: { span: async (_name, inside) => await inside() },
    metrics: { count: nothing, gauge: nothing, observe: nothing },
    status: { patch: refuse },
    children: { apply: refuse, delete: refuse, list: refuse },
    references: {
      get: async ({ kind, namespace = own, name }: Reference) => {
        const place = kind === "namespaces" ? "" : namespace;
        const record = await store.get({ kind, namespace: place, name });
        return record && decodeDocument(record.body, record.revision);
      },
    },
    externalId: undefined,
    rememberExternalId: refuse,
    remember: refuse,
    perform: refuse,
    progress: refuse,
    outside: async (_system, call) => {
      return await call(AbortSignal.any([signal, AbortSignal.timeout(callTimeoutMs)]));
    },
    event: nothing,
  };
  causes.set(context, input.cause);
  return context;
}

/** Writes under the claim of the run; dry runs alone for a request. */
export async function writeWithin<T>(
  context: Context,
  isDryRun: boolean,
  write: (fence: WriteFence) => Promise<T>,
): Promise<T> {
  const cause = causes.get(context);
  if (cause === undefined) return await fencedWrite(context, write);
  if (!isDryRun) throw new Error("a request writes nothing");
  return await write({ cause });
}
