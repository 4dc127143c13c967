// A Notice is a text on the board. `setpoint dev --module ./notice.ts` reconciles all of them.
import { defineModule, describeKind, done, failed, ReconcileFailure } from "setpoint";
import type { Context, Module, Outcome, Resource } from "setpoint";

interface Notice extends Resource {
  readonly spec: { readonly text: string };
}

const kind = describeKind({
  apiVersion: "board.example/v1",
  kind: "Notice",
  plural: "notices",
  spec: {
    type: "object",
    required: ["text"],
    properties: { text: { type: "string", minLength: 1 } },
  },
  status: { type: "object", properties: { url: { type: "string" } } },
});

type Send = (url: string, init: RequestInit) => Promise<Response>;

/** `send` calls the board: `fetch`, or a replacement in a test. */
export function noticeModule(send: Send): Module {
  async function ask(method: string, notice: Notice, context: Context): Promise<string> {
    const { namespace, name } = notice.metadata;
    const url = `http://127.0.0.1:8099/${namespace}.${name}`;
    const headers = { "x-token": `${context.token}` };
    const body = method === "PUT" ? notice.spec.text : null;
    await context.outside("board", async (signal) => {
      const response = await send(url, { method, headers, body, signal }).catch(unreachable);
      if (!response.ok) throw refused(response.status, await response.text());
    });
    return url;
  }

  async function reconcile(notice: Notice, context: Context): Promise<Outcome> {
    const url = await ask("PUT", notice, context);
    return done({ status: { url } });
  }

  async function remove(notice: Notice, context: Context): Promise<Outcome> {
    await ask("DELETE", notice, context);
    return done();
  }

  const reconciler = { reconcile, remove, resyncMs: 60_000 };
  return defineModule({ name: "notice", version: 1, kinds: [{ kind, reconciler }] });
}

export default noticeModule(fetch);

function unreachable(cause: unknown): never {
  throw new ReconcileFailure(failed("Unreachable", "the board does not respond"), { cause });
}

/** A retry does not help if the notice itself is invalid. */
function refused(status: number, text: string): ReconcileFailure {
  const retry = status === 422 ? "never" : "soon";
  return new ReconcileFailure(failed("Refused", text.trim(), { retry }));
}
