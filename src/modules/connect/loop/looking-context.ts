// The context of one who looks ahead: it reads as that of a run does, and changes nothing.

import type { Context } from "../../../engine/reconciler.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { Random } from "../../../kernel/random.ts";

export interface LookingPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly get: Context["references"]["get"];
}

export function lookingContext(ports: LookingPorts, signal: AbortSignal): Context {
  const nothing = (): void => undefined;
  const refuse = (): never => {
    throw new Error("a preview changes nothing");
  };
  return {
    signal,
    superseded: signal,
    token: 0,
    attempt: 1,
    clock: ports.clock,
    random: ports.random,
    log: { debug: nothing, info: nothing, warn: nothing },
    tracer: { span: async (_name, inside) => await inside() },
    metrics: { count: nothing, gauge: nothing, observe: nothing },
    status: { patch: () => Promise.resolve() },
    children: { apply: refuse, delete: refuse, list: refuse },
    references: { get: ports.get },
    externalId: undefined,
    rememberExternalId: refuse,
    remember: async (_name, make) => await make(),
    perform: refuse,
    progress: refuse,
    outside: async (_system, call) => await call(signal),
    event: nothing,
  };
}
