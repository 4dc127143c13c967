// Requests that need no credentials: webhooks of git hosts, sign-ins of the console and the public
// documents of a service. They are limited as all others, by the address of the client.
import assert from "node:assert/strict";
import { connect as connectTwo } from "node:http2";
import type { ClientHttp2Session } from "node:http2";
import { connect as connectTcp } from "node:net";
import { describe, it } from "node:test";
import { connect as connectTls } from "node:tls";
import { waitUntil } from "../peers/wait.ts";
import { startKubeServer } from "./server.ts";
import type { KubeServer } from "./server.ts";
import { gaugeOf } from "./tenant-callers.ts";

const webhook = "/api/v1/gitops/webhooks/shop/web";
const session = "/console/api/session";
/** Both are addresses of this machine. */
const [attacker, victim] = ["127.0.0.2", "127.0.0.1"];
const streams = 120;

/** A connection from one of the addresses. */
function sessionFrom({ url, ca }: KubeServer, localAddress: string): ClientHttp2Session {
  const { port } = new URL(url);
  const opened = connectTwo(url, {
    createConnection: () =>
      connectTls({
        socket: connectTcp({ host: "127.0.0.1", port: Number(port), localAddress }),
        ca,
        ALPNProtocols: ["h2"],
      }),
  });
  opened.setMaxListeners(0);
  opened.on("error", () => undefined);
  return opened;
}

/** The status; undefined while the body of the request does not end and there is no answer. */
interface Sent {
  status: number | undefined;
}

function post(from: ClientHttp2Session, path: string, body: string, isWhole: boolean): Sent {
  const stream = from.request(
    {
      ":method": "POST",
      ":path": path,
      "content-type": "application/json",
      "sec-fetch-site": "same-origin",
    },
    { endStream: false },
  );
  const sent: Sent = { status: undefined };
  stream.on("error", () => undefined);
  stream.once("response", (headers) => (sent.status = Number(headers[":status"])));
  stream.resume();
  if (isWhole) stream.end(body);
  else stream.write(body);
  return sent;
}

async function statusOf(sent: Sent): Promise<number | undefined> {
  await waitUntil("the request is answered", () => sent.status !== undefined);
  return sent.status;
}

describe("bodies without credentials that never end", () => {
  for (const path of [webhook, session]) {
    it(`hold a part of the places of bodies at ${path}, and none of another address`, async () => {
      await using server = await startKubeServer();
      const attacking = [sessionFrom(server, attacker), sessionFrom(server, attacker)];
      const sent = attacking.flatMap((from) =>
        Array.from({ length: streams }, () => post(from, path, "{", false)),
      );
      const refused = (): number => sent.filter(({ status }) => status === 429).length;
      await waitUntil("most bodies are refused", () => refused() > streams);
      const held = await gaugeOf(server, "setpoint_bodies_in_transit");
      assert.ok(held > 0 && held < streams, `${held} bodies in transit`);
      const other = sessionFrom(server, victim);
      const answers = await Promise.all(
        Array.from({ length: 20 }, async () => await statusOf(post(other, path, "{}", true))),
      );
      assert.ok(
        answers.every((status) => status === 401 || status === 400),
        answers.join(" "),
      );
      for (const from of [...attacking, other]) from.destroy();
      await waitUntil(
        "the places are returned",
        async () => (await gaugeOf(server, "setpoint_bodies_in_transit")) === 0,
      );
      assert.deepEqual(server.errors, []);
    });
  }
});
