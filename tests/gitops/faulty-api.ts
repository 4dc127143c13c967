// The API of a server behind a proxy on loopback that fails some of its calls: half of them are
// refused, and the answers of the others are lost after the server has carried them out. Or none
// is answered.
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openAuthority } from "../../src/app/tls/authority.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { systemRandom } from "../../src/kernel/random.ts";
import type { Setpoint } from "../peers/setpoint.ts";

export interface FaultyApi extends AsyncDisposable {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  /** Calls that failed so far. */
  readonly failed: () => number;
  fault: () => "none" | "refused" | "lost" | "hang";
}

export async function startFaultyApi(server: Setpoint): Promise<FaultyApi> {
  const folder = await mkdtemp(join(tmpdir(), "setpoint-faulty-"));
  const authority = openAuthority({ folder, clock: systemClock, random: systemRandom });
  const { keyPem: key, certificatePem: cert } = authority.serverCertificate(["127.0.0.1"]);
  let failed = 0;
  const api: { fault: FaultyApi["fault"] } = { fault: () => "none" };
  const proxy = createServer({ key, cert }, (asked, answer) => {
    const fault = api.fault();
    if (fault !== "none") failed += 1;
    if (fault === "hang") {
      asked.resume();
      return;
    }
    if (fault === "refused") {
      asked.resume();
      answer.writeHead(503).end();
      return;
    }
    const { method = "GET", url: path = "/", headers } = asked;
    const own = { ...headers, host: new URL(server.url).host };
    const sent = request(`${server.url}${path}`, { ca: server.ca, method, headers: own });
    sent.on("response", (response) => {
      if (fault === "lost") {
        response.resume();
        response.on("end", () => answer.destroy());
        return;
      }
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    sent.on("error", () => answer.destroy());
    asked.pipe(sent);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    ca: authority.certificatePem,
    failed: () => failed,
    get fault() {
      return api.fault;
    },
    set fault(fault) {
      api.fault = fault;
    },
    async [Symbol.asyncDispose]() {
      proxy.closeAllConnections();
      proxy.close();
      await rm(folder, { recursive: true });
    },
  };
}
