// The request log of a real server: a line for each request, without what may be a secret.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { startSetpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";

type Line = Readonly<Record<string, unknown>>;

describe("the request log", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "setpoint-request-log-"));
  });
  after(async () => await rm(folder, { recursive: true, force: true }));

  it("has a line for each request of each surface, also refused ones and watches", async () => {
    const path = join(folder, "requests.log");
    await using server = await startSetpoint({ args: ["--request-log", path] });
    const lineOf = async (part: string): Promise<Line> =>
      await waitUntil(`the line of ${part}`, async () => {
        const lines = (await readFile(path, "utf8")).split("\n").slice(0, -1);
        const line = lines.find((each) => each.includes(part));
        return line === undefined ? undefined : (JSON.parse(line) as Line);
      });

    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const configMaps = "/api/v1/namespaces/default/configmaps";
    await server.ask(`${configMaps}?limit=1&token=hidden`, { headers: { traceparent } });
    const { time, durationMs, request, correlation, address, ...line } = await lineOf(configMaps);
    assert.deepEqual(line, {
      surface: "kube",
      method: "GET",
      path: configMaps,
      status: 200,
      trace: "0af7651916cd43dd8448eb211c80319c",
      user: "setpoint:admin",
    });
    assert.ok(Date.parse(String(time)) > 0 && Number(durationMs) >= 0);
    assert.equal(typeof request, "string");
    assert.equal(correlation, request);
    assert.match(String(address), /127\.0\.0\.1$/);

    await server.ask("/api/v1/kinds", { headers: { authorization: "Bearer wrong" } });
    const refused = await lineOf("/api/v1/kinds");
    assert.deepEqual([refused["surface"], refused["status"]], ["rest", 401]);

    const secrets = "/api/v1/namespaces/default/secrets";
    {
      using watch = await server.watch(`${secrets}?watch=1`);
      assert.equal(watch.events.length, 0);
      assert.doesNotMatch(await readFile(path, "utf8"), /secrets/);
    }
    assert.equal((await lineOf(secrets))["status"], 200);

    assert.doesNotMatch(await readFile(path, "utf8"), /hidden|wrong|limit=/);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
  });
});
