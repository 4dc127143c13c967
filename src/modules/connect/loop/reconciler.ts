// The reconciler of a kind that is kept in a service: the same for all of them, whatever the
// service. Failures to reach it and refusals become outcomes here, in words that hold no secret.

import { done, failed } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import { isMadeOutside } from "../kinds/kept-object.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { ExchangeFailed } from "../http/exchange.ts";
import type { CompiledBinding } from "../kinds/compiled-binding.ts";
import { HookFailed } from "./hooks.ts";
import { isKept } from "./management.ts";
import { prepare } from "./prepare.ts";
import type { LoopPorts } from "./prepare.ts";
import { reconcileObject } from "./reconcile.ts";
import { removeForGood } from "./removing.ts";
import { sealBook } from "./sealing.ts";
import { Refused } from "./session.ts";
import type { Session } from "./session.ts";

export function connectReconciler(ports: LoopPorts, compiled: CompiledBinding): Reconciler {
  const run = async (
    resource: Resource,
    context: Context,
    what: "reconcile" | "remove",
    work: (session: Session) => Promise<Outcome>,
  ): Promise<Outcome> => {
    let session: Session | undefined;
    try {
      const prepared = await prepare(ports, compiled, resource, context, what);
      if (prepared.kind === "ends") return prepared.outcome;
      ({ session } = prepared);
      if (ports.seal !== undefined) await sealBook(session, ports.seal);
      return await work(session);
    } catch (error) {
      return failureOf(error, session);
    }
  };
  return {
    kind: compiled.kind,
    reconcile: (resource, context) => run(resource, context, "reconcile", reconcileObject),
    remove: async (resource, context) => {
      if (isKept(resource)) {
        context.event("Normal", "Detached", "the object was kept in the service");
        return done();
      }
      // What was never begun needs neither its parent nor its connection to go.
      if (!isMadeOutside(resource)) return done();
      return await run(resource, context, "remove", removeForGood);
    },
    observe: (resource, context) =>
      run(resource, context, "reconcile", (session) =>
        reconcileObject({
          ...session,
          management: { ...session.management, manage: "observe" },
        }),
      ),
  };
}

function failureOf(error: unknown, session: Session | undefined): Outcome {
  const status = session === undefined ? {} : { status: session.book.changes() };
  if (error instanceof Refused) return { ...error.outcome, ...status };
  if (error instanceof ExchangeFailed) {
    const name = session?.client.settings.name ?? "";
    return failed(error.reason, `the connection ${name}: ${error.message}`, status);
  }
  if (error instanceof DOMException && error.name === "TimeoutError") {
    return failed("Timeout", error.message, status);
  }
  if (error instanceof HookFailed) return failed("HookFailed", error.message, status);
  if (isSetpointError(error, "resource.invalid")) {
    return failed("Invalid", error.message, { retry: "never", ...status });
  }
  throw error;
}
