// The outside world of the chaos tests of the engine: a little HTTP service that takes effects. It
// accepts each idempotency key once, remembers the highest token seen for a resource, and refuses
// whoever comes with a lower one. It keeps every call in order, so that a test can judge it.
// Usage: node effects-recorder.ts; prints the address it listens on.
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** What a reconciler asks for. */
export interface Effect {
  readonly uid: string;
  readonly action: "prepare" | "apply" | "remove";
  readonly generation: number;
  readonly value: number;
  readonly token: number;
  /** The same for every attempt at the same effect. */
  readonly key: string;
}

export type Verdict =
  /** Done now. */
  | "accepted"
  /** Was done before, by whomever. */
  | "duplicate"
  /** Somebody with a higher token was here: nothing happens. */
  | "stale";

export type Call = Effect & { readonly verdict: Verdict };

if (import.meta.main) {
  const calls: Call[] = [];
  const accepted = new Set<string>();
  const highest = new Map<string, number>();
  const judge = (effect: Effect): Verdict => {
    if (effect.token < (highest.get(effect.uid) ?? 0)) return "stale";
    highest.set(effect.uid, effect.token);
    if (accepted.has(effect.key)) return "duplicate";
    accepted.add(effect.key);
    return "accepted";
  };
  const server = createServer((request, response) => {
    void (async () => {
      response.setHeader("content-type", "application/json");
      if (request.method === "GET") return response.end(JSON.stringify(calls));
      const effect = JSON.parse(await textOf(request)) as Effect;
      const verdict = judge(effect);
      calls.push({ ...effect, verdict });
      return response.end(JSON.stringify({ verdict }));
    })();
  });
  server.listen(0, "127.0.0.1", () => {
    console.log(`recording on http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  });
}

/** A request that breaks off in the middle is no request: nothing was asked for. */
async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
