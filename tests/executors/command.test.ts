// CommandRuns with real programs: outputs, secrets, the user and environment of the program, its
// deletion, and a server that is killed.
import assert from "node:assert/strict";
import { existsSync, readdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import { isAlive } from "../peers/process-tree.ts";
import { condition } from "../peers/resources.ts";
import type { Reconciled, Resources } from "../peers/resources.ts";
import { waitUntil } from "../peers/wait.ts";
import { filesWith, startRig } from "./terraform-rig.ts";
import type { ExecutorRig } from "./terraform-rig.ts";

interface Command extends Reconciled {
  readonly status?: Reconciled["status"] & {
    readonly outputs?: JsonObject;
    readonly secretOutputs?: { readonly name: string };
    readonly exitCode?: number;
    readonly run?: JsonObject;
  };
}

const sentinel = "sentinel-77d0-command";
const skip = process.platform !== "linux";
/** Only the superuser runs programs as other users. */
const isOther = process.geteuid?.() !== 0;

describe("a CommandRun", { skip }, () => {
  let rig: ExecutorRig;
  let commands: Resources<Command>;
  before(async () => {
    rig = await startRig({ policy: { command: { programs: ["/bin/sh"] } } });
    commands = rig.of<Command>("CommandRun");
  });
  after(async () => await rig?.[Symbol.asyncDispose]());

  const shell = (script: string, more: JsonObject = {}): JsonObject => {
    return { program: "/bin/sh", args: ["-c", script], ...more };
  };
  const outputOf = async (name: string): Promise<string> => {
    const logs = await rig.list("executorlogs", `executors.setpoint.dev/owner-name=${name}`);
    return logs.map((log) => textAt(log, "spec", "text")).join("");
  };

  it("has outputs from its last JSON line, and its input and arguments", async () => {
    const script =
      'read -r given; echo "{\\"given\\":\\"$given\\",\\"word\\":\\"$WORD\\"}"; echo end';
    const spec = shell(script, { stdin: "hello\n", env: { WORD: "w" } });
    await commands.create("plain", spec);
    const ready = await commands.ready("plain");
    assert.deepEqual(ready.status?.outputs, { given: "hello", word: "w" });
    assert.equal(ready.status.exitCode, 0);
    assert.match(await outputOf("plain"), / end\n/);
  });

  it("runs as another user, with no other environment and no access to the data", async () => {
    const data = rig.server.folder;
    const script = `id -u; env; ls '${data}' 2>&1; cat '${data}/admin.token' 2>&1; echo done`;
    await commands.create("confined", shell(script));
    await commands.ready("confined");
    const text = await outputOf("confined");
    const names = [...text.matchAll(/ ([A-Za-z_]\w*)=/g)].map(([, name = ""]) => name).toSorted();
    assert.deepEqual(
      names.filter((name) => !["PWD", "_", "OLDPWD"].includes(name)),
      ["HOME", "PATH", "SETPOINT_IDEMPOTENCY_KEY"],
    );
    if (process.geteuid?.() === 0) {
      assert.match(text, / (?:18|19|20|21)\d{8}\n/);
      assert.match(text, /admin\.token: Permission denied/);
    }
  });

  it(
    "ends with its processes, also those that leave its process group",
    { skip: isOther },
    async () => {
      const script = `setsid env -i /bin/sleep 600 & mkdir '${rig.cloud}'/escaped.$!; sleep 0.2`;
      await commands.create("escaping", shell(script));
      await commands.ready("escaping");
      const folder = readdirSync(rig.cloud).find((name) => name.startsWith("escaped.")) ?? "";
      const pid = Number(folder.split(".")[1]);
      assert.ok(pid > 1);
      assert.equal(isAlive(pid), false);
      rmdirSync(join(rig.cloud, folder));
    },
  );

  it("runs as another user than every other run", { skip: isOther }, async () => {
    const users: string[] = [];
    for (const name of ["one-user", "other-user"]) {
      await commands.create(name, shell("id -u"));
      await commands.ready(name);
      users.push(/ (\d+)\n/.exec(await outputOf(name))?.[1] ?? "");
    }
    assert.notEqual(users[0], users[1]);
  });

  it("keeps secret variables and outputs out of records, logs and files", async () => {
    const script = 'echo "printed $TOKEN"; echo "{\\"token\\":\\"$TOKEN-out\\",\\"n\\":1}"';
    const more = { secretEnv: { TOKEN: sentinel }, secretOutputs: ["token"] };
    await commands.create("secrets", shell(script, more));
    const ready = await commands.ready("secrets");
    assert.deepEqual(ready.status?.outputs, { n: 1 });
    const name = ready.status.secretOutputs?.name ?? "";
    const { body } = await rig.server.ask(`/api/v1/namespaces/default/secrets/${name}`);
    const { data } = JSON.parse(body.toString()) as { readonly data: Record<string, string> };
    assert.equal(Buffer.from(data["token"] ?? "", "base64").toString(), `${sentinel}-out`);
    assert.match(await outputOf("secrets"), /printed \[hidden\]/);
    for (const kind of ["commandruns", "executorruns", "executorlogs"]) {
      assert.ok(!JSON.stringify(await rig.list(kind)).includes(sentinel), kind);
    }
    assert.deepEqual(filesWith(rig.server.folder, sentinel), []);
    assert.deepEqual(filesWith(rig.runFolder, sentinel), []);
    assert.ok(!rig.server.log().includes(sentinel));
  });

  it("hides a secret variable in an output that is not secret", async () => {
    const script = 'echo "{\\"url\\":\\"https://x/$TOKEN\\",\\"n\\":1}"';
    await commands.create("repeating", shell(script, { secretEnv: { TOKEN: sentinel } }));
    const ready = await commands.ready("repeating");
    assert.deepEqual(ready.status?.outputs, { url: "https://x/[hidden]", n: 1 });
    assert.deepEqual(filesWith(rig.server.folder, sentinel), []);
  });

  it("runs once for each generation, and its other program before it is deleted", async () => {
    const onDestroy = { program: "/bin/sh", args: ["-c", `rmdir '${rig.cloud}'/made.*`] };
    const script = `mkdir '${rig.cloud}'/made.$$`;
    await commands.create("once", shell(script, { onDestroy }));
    await commands.ready("once");
    const annotations = { note: "not the spec" };
    await commands.patch("once", { metadata: { annotations } });
    await commands.ready("once");
    assert.deepEqual(rig.objects(), ["made"]);
    await commands.delete("once");
    await commands.gone("once");
    assert.deepEqual(rig.objects(), []);
  });

  it("reports the exit code of its program, and a program that takes too long", async () => {
    await commands.create("failing", shell("echo why; exit 7"));
    const failed = await commands.says("failing", "Synced", "ProgramFailed");
    assert.match(condition(failed, "Synced")?.message ?? "", /ended with the code 7/);
    const more = { timeoutSeconds: 1, cancelGraceSeconds: 1 };
    await commands.create("slow", shell("exec sleep 600", more));
    const slow = await commands.says("slow", "Synced", "TimedOut");
    assert.match(condition(slow, "Synced")?.message ?? "", /took longer than 1 s/);
  });

  it("is refused for a program that no policy names, and for reserved variables", async () => {
    const other = await commands.tryCreate("denied", { program: "/bin/ls" });
    assert.equal(other.status, 403);
    assert.match(other.text, /no ExecutorPolicy allows \/bin\/ls in the namespace default/);
    const reserved = shell("true", { env: { LD_PRELOAD: "/x.so" } });
    const refused = await commands.tryCreate("reserved", reserved);
    assert.equal(refused.status, 422);
    assert.match(refused.text, /spec\.env.*LD_PRELOAD.*is reserved/);
  });

  it("that is cancelled reports it, and leaves no process", async () => {
    await commands.create("cancelled", shell(`mkdir '${rig.cloud}'/on.1; exec sleep 600`));
    await waitUntil("the program", () => rig.objects().includes("on"));
    const annotations = { "environments.setpoint.dev/cancel": "operation-3" };
    await commands.patch("cancelled", { metadata: { annotations } });
    await commands.says("cancelled", "Synced", "Cancelled");
    const left = existsSync(rig.runFolder) ? readdirSync(rig.runFolder) : [];
    assert.deepEqual(
      left.filter((name) => name.startsWith("cancelled")),
      [],
    );
  });

  it("of a stopped server finishes and does not run again", async () => {
    const mark = join(rig.cloud, "begun");
    const script = `mkdir '${mark}'.$$; sleep 4; mkdir '${rig.cloud}'/finished.$$; echo '{"a":1}'`;
    await commands.create("handed", shell(script));
    await waitUntil("the program", () => rig.objects().includes("begun"));
    assert.equal(await rig.server.stop(), 0);
    await rig.server.start();
    const ready = await commands.ready("handed");
    assert.deepEqual(ready.status?.outputs, { a: 1 });
    assert.equal(rig.objects().filter((name) => name === "begun").length, 1);
    assert.equal(rig.objects().filter((name) => name === "finished").length, 1);
  });
});
