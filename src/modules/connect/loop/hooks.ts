// Calls the hooks of a kind around each other, the innermost being what is done without any. What a
// hook throws is told by the name of the hook and of its module alone: its text may hold anything.

import type { ConnectHooks, Hook, HookVerdict, HookWrite } from "../connect-hooks.ts";
import type { Resource } from "../../../kernel/resource.ts";

export interface NamedHooks {
  /** The name of the module. */
  readonly module: string;
  readonly hooks: ConnectHooks;
}

export class HookFailed extends Error {
  constructor(module: string, hook: string, cause: unknown) {
    const name = cause instanceof Error ? cause.name : typeof cause;
    super(`the hook ${hook} of the module ${module} failed (${name})`, { cause });
    this.name = "HookFailed";
  }
}

type HookName = Exclude<keyof ConnectHooks, "kind" | "validate">;

export async function throughHooks<I, O>(
  all: readonly NamedHooks[],
  name: HookName,
  given: {
    readonly input: I;
    readonly resource: Resource;
    readonly last: (input: I) => Promise<O>;
  },
): Promise<O> {
  const about = { resource: given.resource };
  const from = (index: number): ((input: I) => Promise<O>) => {
    const one = all[index];
    if (one === undefined) return given.last;
    const hook = one.hooks[name] as unknown as Hook<I, O> | undefined;
    if (hook === undefined) return from(index + 1);
    const next = from(index + 1);
    return async (input) => {
      try {
        return await hook(input, next, about);
      } catch (error) {
        // What the innermost throws on purpose, and what an inner hook was named for, stays.
        if (error instanceof HookFailed || isPassed(error)) throw error;
        throw new HookFailed(one.module, name, error);
      }
    };
  };
  return await from(0)(given.input);
}

/** Ends of runs and failures with an outcome of their own go through. */
function isPassed(error: unknown): boolean {
  return error instanceof Error && "outcome" in error;
}

export function verdictOf(all: readonly NamedHooks[], change: HookWrite): HookVerdict {
  const from = (index: number): ((given: HookWrite) => HookVerdict) => {
    const one = all[index];
    if (one === undefined) return () => ({ errors: [], warnings: [] });
    const { validate } = one.hooks;
    if (validate === undefined) return from(index + 1);
    return (given) => {
      try {
        return validate(given, from(index + 1));
      } catch (error) {
        if (error instanceof HookFailed) throw error;
        throw new HookFailed(one.module, "validate", error);
      }
    };
  };
  return from(0)(change);
}
