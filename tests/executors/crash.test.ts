// A server is killed, suspended or stopped while Terraform creates objects one after the other. The
// state stays correct, no object is created twice, and at no time do two processes of Terraform run
// for one stack.
import assert from "node:assert/strict";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { textAt } from "../../src/kernel/json-read.ts";
import { findPostgres } from "../../tools/peers.ts";
import { isAlive } from "../peers/process-tree.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";
import {
  chain,
  startRig,
  terraformProcesses,
  watchProcesses,
  withoutTerraform,
} from "./terraform-rig.ts";
import type { ExecutorRig } from "./terraform-rig.ts";

const names = ["a", "b", "c", "d"];

for (const store of ["SQLite", "PostgreSQL"] as const) {
  const noStore = store === "PostgreSQL" && findPostgres() === undefined;
  describe(`during an apply (${store})`, { skip: withoutTerraform || noStore }, () => {
    let rig: ExecutorRig;
    before(async () => {
      rig = await startRig({ store });
    });
    after(async () => await rig?.[Symbol.asyncDispose]());

    /** The server alone: its supervisors and programs live on. */
    const killServer = async (): Promise<void> => {
      const { pid } = rig.server;
      assert.ok(pid !== undefined);
      process.kill(pid, "SIGKILL");
      await waitUntil("the server to end", () => !isAlive(pid));
    };
    const created = async (count: number): Promise<void> => {
      await waitUntil(`${count} objects`, () => rig.objects().length >= count);
    };
    const isFinished = async (name: string): Promise<void> => {
      const ready = await rig.stacks.ready(name);
      assert.deepEqual(rig.objects(), names);
      assert.equal(ready.status?.state?.resources, names.length);
      assert.equal(ready.status.run, undefined);
    };
    const removed = async (name: string): Promise<void> => {
      await rig.stacks.delete(name);
      await rig.stacks.gone(name);
      assert.deepEqual(rig.objects(), []);
      const left = existsSync(rig.runFolder) ? readdirSync(rig.runFolder) : [];
      assert.deepEqual(left, []);
      assert.deepEqual(terraformProcesses(rig.runFolder), []);
    };

    it("a server that is killed and started again leaves no second process or object", async () => {
      using watch = watchProcesses(rig.runFolder);
      await rig.stacks.create("killed", chain(names, rig.cloud, 1));
      await created(2);
      await killServer();
      await rig.server.start();
      await isFinished("killed");
      assert.equal(watch.most(), 1);
      const runs = await rig.list("executorruns", "executors.setpoint.dev/owner-name=killed");
      const phases = runs.map((run) => textAt(run, "status", "phase")).toSorted();
      assert.deepEqual(phases, ["Interrupted", "Succeeded"]);
      await removed("killed");
    });

    it("a server that is killed with all that it started leaves no second object", async () => {
      using watch = watchProcesses(rig.runFolder);
      await rig.stacks.create("tree", chain(names, rig.cloud, 1));
      await created(2);
      await rig.server.kill9();
      assert.deepEqual(terraformProcesses(rig.runFolder), []);
      await rig.server.start();
      await isFinished("tree");
      assert.equal(watch.most(), 1);
      await removed("tree");
    });

    it("a server that is killed twice in a row leaves no second process or object", async () => {
      using watch = watchProcesses(rig.runFolder);
      await rig.stacks.create("twice", chain(names, rig.cloud, 1));
      await created(1);
      await killServer();
      await rig.server.start();
      await created(2);
      await killServer();
      await rig.server.start();
      await isFinished("twice");
      assert.equal(watch.most(), 1);
      await removed("twice");
    });

    it("a killed server whose program ignores signals starts no second program", async () => {
      const commands = rig.of("CommandRun");
      const [pid, seen] = [`${rig.cloud}/pid`, `${rig.cloud}/overlap`];
      const script = `
trap '' INT TERM
mkdir '${rig.cloud}/begun.'$$
if [ -e '${pid}' ]; then
  kill -0 "$(cat '${pid}')" && mkdir '${seen}.'$$
  exit 0
fi
echo $$ >'${pid}'
sleep 15`;
      const args = ["-c", script];
      await commands.create("deaf", { program: "/bin/sh", args, cancelGraceSeconds: 30 });
      const begun = (): number => rig.objects().filter((name) => name === "begun").length;
      await waitUntil("the program", () => begun() === 1);
      await killServer();
      await rig.server.start();
      await waitUntil("the second run", () => begun() === 2, { limitMs: 60_000 });
      await commands.ready("deaf");
      assert.ok(!rig.objects().includes("overlap"));
      await commands.delete("deaf");
      await commands.gone("deaf");
      for (const name of readdirSync(rig.cloud)) {
        rmSync(join(rig.cloud, name), { recursive: true });
      }
    });

    it("a server that is stopped hands Terraform over, and no resource is tainted", async () => {
      using watch = watchProcesses(rig.runFolder);
      await rig.stacks.create("stopped", chain(names, rig.cloud, 2));
      await created(1);
      const [pid] = terraformProcesses(rig.runFolder);
      assert.equal(await rig.server.stop(), 0);
      assert.deepEqual(terraformProcesses(rig.runFolder), [pid]);
      await rig.server.start();
      await isFinished("stopped");
      assert.equal(watch.most(), 1);
      const text = JSON.stringify(await rig.list("executorlogs"));
      assert.doesNotMatch(text, /tainted|Interrupt received/);
      await removed("stopped");
    });
  });
}

const skip = withoutTerraform || findPostgres() === undefined;
describe("two servers of one PostgreSQL on one machine", { skip }, () => {
  it("let the second take over from a suspended server, whose writes are refused", async () => {
    await using rig = await startRig({ store: "PostgreSQL" });
    using watch = watchProcesses(rig.runFolder);
    await rig.stacks.create("paused", chain(names, rig.cloud, 1));
    await waitUntil("two objects", () => rig.objects().length >= 2);
    rig.server.pause();
    const second = await startSetpoint(rig.secondServer());
    try {
      const path = rig.stacks.path("paused");
      const isReady = async (): Promise<boolean> => {
        const { body } = await second.ask(path);
        return /"type":"Ready","status":"True"/.test(body.toString());
      };
      await waitUntil("the second server to finish", isReady, { limitMs: 120_000 });
      assert.deepEqual(rig.objects(), names);
      const earlier = (await second.ask(path)).body.toString();
      rig.server.resume();
      await waitUntil("the first server to answer", async () => {
        const { status } = await rig.server.ask("/readyz");
        return status === 200;
      });
      assert.deepEqual(rig.objects(), names);
      const serial = (text: string): string => /"serial":\d+/.exec(text)?.[0] ?? "";
      assert.equal(serial((await second.ask(path)).body.toString()), serial(earlier));
      assert.equal(watch.most(), 1);
      assert.deepEqual(terraformProcesses(rig.runFolder), []);
    } finally {
      await second[Symbol.asyncDispose]();
    }
  });
});
