// Calls the hooks of a kind around each other, the innermost being what is done without any. What a
// hook throws is told by the name of the hook and of its module alone: its text may hold anything.

import type { ConnectHooks, Hook, HookVerdict, HookWrite } from "../connect-hooks.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
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
  if (isSetpointError(error, "module.unavailable")) return true;
  return error instanceof Error && "outcome" in error;
}

/**
 * A hook on the main thread returns its verdict, and `next` returns one to it. A hook in a thread
 * of its own returns a promise; then all of them do.
 */
export async function verdictOf(
  all: readonly NamedHooks[],
  change: HookWrite,
): Promise<HookVerdict> {
  const from = (index: number): ((given: HookWrite) => HookVerdict) => {
    const one = all[index];
    if (one === undefined) return () => ({ errors: [], warnings: [] });
    const { validate } = one.hooks;
    if (validate === undefined) return from(index + 1);
    const named = (error: unknown): never => {
      if (error instanceof HookFailed || isPassed(error)) throw error;
      throw new HookFailed(one.module, "validate", error);
    };
    return (given) => {
      try {
        const verdict: unknown = validate(given, from(index + 1));
        return (verdict instanceof Promise ? verdict.catch(named) : verdict) as HookVerdict;
      } catch (error) {
        return named(error);
      }
    };
  };
  return await Promise.resolve(from(0)(change));
}
