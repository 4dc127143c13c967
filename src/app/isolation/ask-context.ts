/** The main thread's side of worker-context.ts: executes a request with the context of the run. */
import type { Context } from "../../engine/reconciler.ts";
import type { Callable } from "./packed.ts";

/** `superseded` is called once, when the resource of the run has changed. */
export function askContext(
  context: Context,
  method: string,
  given: readonly unknown[],
  superseded: (reason: unknown) => void,
): unknown {
  if (method === "superseded") return followSuperseded(context.superseded, superseded);
  const [part = "", name] = method.split(".");
  const target: unknown = Reflect.get(context, part);
  if (name === undefined) return (target as Callable)(...given);
  return (Reflect.get(target as object, name) as Callable).apply(target, [...given]);
}

function followSuperseded(signal: AbortSignal, superseded: (reason: unknown) => void): void {
  if (signal.aborted) return superseded(signal.reason);
  signal.addEventListener("abort", () => superseded(signal.reason), { once: true });
}
