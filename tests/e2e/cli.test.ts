// The command line as a person uses it: `bin/setpoint` from an empty folder that is not the
// repository, a real server, real signals, and a look at what is printed.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, copyFile, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openStore } from "../../src/app/open-store.ts";
import { storeConfig } from "../../src/app/config.ts";
import type { Put } from "../../src/store/port.ts";
import { root } from "../../tools/stages.ts";
import { startProgram } from "../peers/child.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Postgres } from "../peers/postgres.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import { systemCause } from "../../src/kernel/cause.ts";

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

let folder = "";
let postgres: Postgres | undefined;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-cli-"));
  postgres = await startPostgres();
});

after(async () => {
  await postgres?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function setpoint(...args: string[]): Promise<Ran> {
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  const child = spawn(join(root, "bin", "setpoint"), args, { cwd: folder, env });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}

function serve(...args: string[]) {
  const all = ["serve", "--listen", "127.0.0.1:0", ...args];
  return startProgram("src/cli/main.ts", { cwd: folder, args: all });
}

const secretText = "correct-horse-battery";

function sample(name: string): Put {
  const body = Buffer.from(
    JSON.stringify({ metadata: { name }, data: { password: secretText }, extra: "später" }),
  );
  return {
    kind: "put",
    cause: systemCause,
    key: { kind: "samples.example.dev", namespace: "team-a", name },
    uid: `uid-${name}`,
    draft: { body, terms: ["l:app=web"], secrets: ["/data/password"] },
    when: { kind: "absent" },
    due: { kind: "wake", afterMs: 0 },
    names: [{ scope: "hosts", name }],
    uses: [{ counter: "quota/team-a", amount: 1 }],
  };
}

async function fill(data: string): Promise<void> {
  const store = await openStore(storeConfig({ data }), { access: "write" });
  const answers = await store.commit([sample("one"), sample("two")]);
  assert.deepEqual(
    answers.map(({ kind }) => kind),
    ["committed", "committed"],
  );
  await store.close();
}

describe("the command line", () => {
  it("says its version", async () => {
    const { code, stdout } = await setpoint("version");
    assert.equal(code, 0);
    assert.match(stdout, /^setpoint \d+\.\d+\.\d+\nnode 24\./);
  });

  it("explains a mistake, names the option and changes nothing", async () => {
    const wrong = await setpoint("serve", "--store", "mysql://user:pass-word@host/db");
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /--store/);
    assert.ok(!wrong.stderr.includes("pass-word"));
    const unknown = await setpoint("sreve");
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /serve/);
  });

  it("serves health, refuses a second server on the same data, and stops cleanly", async () => {
    await using server = await startSetpoint({ data: join(folder, "served") });
    const stranger = { authorization: "" };
    for (const path of ["/livez", "/readyz", "/healthz"]) {
      const { status, body } = await server.ask(path, { headers: stranger });
      assert.equal(status, 200, path);
      assert.equal(body.toString().trim(), "ok");
    }
    assert.equal((await server.ask("/apis")).status, 200);
    assert.equal((await server.ask("/api/v1/secrets", { headers: stranger })).status, 403);
    assert.equal((await server.ask("/livez", { method: "POST" })).status, 200);

    const second = await setpoint("serve", "--listen", "127.0.0.1:0", "--data", "served");
    assert.equal(second.code, 1);
    assert.match(second.stderr, /store\.locked/);
    const kubeconfig = join(folder, "served", "kubeconfig");
    assert.ok(second.stderr.includes(`already runs on this data: export KUBECONFIG=${kubeconfig}`));

    const doctor = await setpoint("doctor", "--data", "served");
    assert.equal(doctor.code, 0, doctor.stdout + doctor.stderr);
    assert.match(doctor.stdout, /every invariant holds/);

    assert.equal(await server.stop(), 0);
  });

  it("says which address is in use", async () => {
    await using server = await serve("--data", "first");
    const [, address = ""] = await server.waitForLine(/ready on https:\/\/(\S+)/);
    const second = await setpoint("serve", "--listen", address, "--data", "other");
    assert.equal(second.code, 1);
    assert.match(second.stderr, /in use/);
    assert.match(second.stderr, /npm start -- --listen/);
    await assert.rejects(access(join(folder, "other")), "a refused start leaves nothing behind");
    const same = await setpoint("serve", "--listen", address, "--data", "first");
    assert.match(same.stderr, /in use/);
    assert.ok(same.stderr.includes(`export KUBECONFIG=${join(folder, "first", "kubeconfig")}`));
  });

  it("finds mistakes in the files it is given before it makes anything", async () => {
    await writeFile(join(folder, "tokens.csv"), "only-a-token\n");
    await writeFile(join(folder, "with-tokens.yaml"), "tokenFile: tokens.csv\n");
    await writeFile(join(folder, "no-policy.yaml"), "kind: Policy\n");
    const audit = ["--audit-log", "audit.log", "--audit-policy"];
    const cases: readonly (readonly [RegExp, readonly string[]])[] = [
      [/--audit-policy: .*absent\.yaml cannot be read/, [...audit, "absent.yaml"]],
      [/--audit-policy: .*no-policy\.yaml cannot be used/, [...audit, "no-policy.yaml"]],
      [/--request-log: the folder .*absent does not exist/, ["--request-log", "absent/a.log"]],
      [/line 1 of the token file/, ["--config", "with-tokens.yaml"]],
      [/configuration file: .*absent\.yaml cannot be read/, ["--config", "absent.yaml"]],
    ];
    for (const [message, args] of cases) {
      const refused = await setpoint(
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--data",
        "early",
        ...args,
      );
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, message);
      assert.match(refused.stderr, /config\.invalid/);
      await assert.rejects(access(join(folder, "early")), "a refused start leaves nothing behind");
    }
  });

  it("runs tests, and does not take a file without any for one that is right", async () => {
    const good = 'import { test } from "node:test";\ntest("a thing", () => undefined);\n';
    await writeFile(join(folder, "thing.test.ts"), good);
    await writeFile(join(folder, "thing.ts"), "export const thing = 1;\n");
    const suite = 'import { describe } from "node:test";\ndescribe("things", () => undefined);\n';
    await writeFile(join(folder, "suite.ts"), suite);
    const right = await setpoint("test", "thing.test.ts");
    assert.equal(right.code, 0, right.stderr);
    for (const file of ["thing.ts", "suite.ts"]) {
      const empty = await setpoint("test", file);
      assert.equal(empty.code, 1);
      assert.match(empty.stderr, new RegExp(`no tests in ${file} \\[config.invalid\\]`));
    }
    const mixed = await setpoint("test", "thing.test.ts", "thing.ts");
    assert.equal(mixed.code, 1);
    assert.match(mixed.stderr, /try: name the test file: setpoint test thing\.test\.ts/);
  });

  it("backs up beside a running server and restores into both databases", async () => {
    await fill(join(folder, "origin"));
    await using server = await serve("--data", "origin");
    await server.waitForLine(/ready on/);
    const backup = await setpoint("backup", "all.backup", "--data", "origin");
    assert.equal(backup.code, 0, backup.stderr);
    assert.match(backup.stdout, /verified/);

    const keys = ["--keys", join(folder, "origin", "keys.json")];
    const database = postgres?.url(await postgres.createDatabase()) ?? "";
    for (const target of ["sqlite:copy/store.db", database]) {
      const where = ["--store", target, ...keys];
      const restored = await setpoint("restore", "all.backup", ...where);
      assert.equal(restored.code, 0, restored.stderr);
      const doctor = await setpoint("doctor", ...where);
      assert.equal(doctor.code, 0, doctor.stdout);
      // The two that were filled in, and what the server itself has on its list at that moment.
      assert.match(doctor.stdout, / \d+ resources, .* [2-9] due/);
      await checkCopy(target, join(folder, "origin", "keys.json"));
      const again = await setpoint("restore", "all.backup", ...where);
      assert.equal(again.code, 1);
      assert.match(again.stderr, /store\.not_empty/);
    }
  });

  it("refuses a damaged backup whole", async () => {
    await fill(join(folder, "damaged"));
    await setpoint("backup", "good.backup", "--data", "damaged");
    await writeFile(join(folder, "bad.backup"), "this is not a backup");
    const refused = await setpoint("restore", "bad.backup", "--data", "fresh");
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /backup\.invalid/);
    const missing = await setpoint("restore", "missing.backup", "--data", "fresh");
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /missing\.backup/);
    await assert.rejects(access(join(folder, "fresh")), "a refused restore leaves nothing behind");
    const keys = ["--keys", join(folder, "damaged", "keys.json")];
    const good = await setpoint("restore", "good.backup", "--data", "fresh", ...keys);
    assert.equal(good.code, 0, good.stderr);
  });

  it("never puts a backup in the place of something else", async () => {
    await fill(join(folder, "careful"));
    for (const target of ["careful/setpoint.db", "careful/keys.json", "careful", "none/x.backup"]) {
      const refused = await setpoint("backup", target, "--data", "careful");
      assert.equal(refused.code, 1, target);
      assert.match(refused.stderr, /config\.invalid/);
    }
    assert.equal((await setpoint("backup", "again.backup", "--data", "careful")).code, 0);
    assert.equal((await setpoint("backup", "again.backup", "--data", "careful")).code, 0);
    assert.equal((await setpoint("doctor", "--data", "careful")).code, 0);
  });

  it("makes a key ring for an empty store only, and tells a wrong one", async () => {
    await fill(join(folder, "locked"));
    await setpoint("backup", "locked.backup", "--data", "locked");
    await fill(join(folder, "alien"));
    await rename(join(folder, "locked", "keys.json"), join(folder, "safe.json"));
    const start = ["serve", "--listen", "127.0.0.1:0"];
    for (const command of ["serve", "doctor", "keys"] as const) {
      const args = { serve: start, doctor: ["doctor"], keys: ["keys", "rotate"] }[command];
      const refused = await setpoint(...args, "--data", "locked");
      assert.equal(refused.code, 1, command);
      assert.match(refused.stdout + refused.stderr, /no key ring/);
    }
    const wrong = ["--data", "locked", "--keys", join(folder, "alien", "keys.json")];
    for (const args of [start, ["doctor"]]) {
      const refused = await setpoint(...args, ...wrong);
      assert.equal(refused.code, 1, args[0]);
      assert.match(
        refused.stdout + refused.stderr,
        /alien\/keys\.json is not the key ring of the store .*locked/,
      );
    }
    const right = await setpoint("doctor", "--data", "locked", "--keys", "safe.json");
    assert.equal(right.code, 0, right.stdout);
  });

  it("restores only with the right keys, and leaves nothing behind without them", async () => {
    await fill(join(folder, "source"));
    await fill(join(folder, "stranger"));
    await setpoint("backup", "source.backup", "--data", "source");
    const target = ["restore", "source.backup", "--data", "deep/new"];
    const none = await setpoint(...target);
    assert.equal(none.code, 1);
    assert.match(none.stderr, /secret\.key_missing/);
    const keyFile = join(folder, "deep", "new", "keys.json");
    assert.ok(none.stderr.includes("--keys FILE"), none.stderr);
    assert.ok(none.stderr.includes(`copy that file to ${keyFile}`), none.stderr);
    const wrong = await setpoint(...target, "--keys", "stranger/keys.json");
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /has other keys/);
    await assert.rejects(access(join(folder, "deep")), "a refused restore leaves nothing behind");
    await mkdir(join(folder, "deep", "new"), { recursive: true });
    await copyFile(join(folder, "source", "keys.json"), keyFile);
    const right = await setpoint(...target);
    assert.equal(right.code, 0, right.stderr);
    assert.match(right.stdout, /every invariant holds/);
  });

  it("names the option of a folder that cannot be made", async () => {
    await writeFile(join(folder, "file"), "");
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ["--data", ["--data", "file/x"]],
      ["--keys", ["--data", "made", "--keys", "file/x/keys.json"]],
      ["--store", ["--data", "made", "--store", "sqlite:file/x/store.db"]],
    ];
    for (const [option, args] of cases) {
      const refused = await setpoint("serve", "--listen", "127.0.0.1:0", ...args);
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /cannot be created: a file has that name.* \[config\.invalid\]/);
      assert.ok(refused.stderr.includes(`name another with ${option}\n`), refused.stderr);
    }
  });

  it("says that it has stopped, also when it is quiet", async () => {
    for (const [command, signal] of [
      ["serve", "SIGTERM"],
      ["dev", "SIGINT"],
    ] as const) {
      const args = [command, "--listen", "127.0.0.1:0", "--data", "brief"];
      await using server = await startProgram("src/cli/main.ts", { cwd: folder, args });
      await server.waitForLine(/ready on/);
      server.signal(signal);
      const { code } = await server.waitForExit({ limitMs: 120_000 });
      assert.equal(code, 0);
      assert.match(server.stdout(), /^Setpoint has stopped$/m);
    }
  });

  it("rotates keys and can still read what was sealed before", async () => {
    const data = join(folder, "rotated");
    await fill(data);
    const rotated = await setpoint("keys", "rotate", "--drop-old", "--data", "rotated");
    assert.equal(rotated.code, 0, rotated.stderr);
    assert.match(rotated.stdout, /2 changes sealed again/);
    assert.match(rotated.stdout, /: 1 old key removed/);
    const store = await openStore(storeConfig({ data }), { access: "read" });
    const found = await store.get(sample("one").key);
    assert.ok(found?.body.includes(secretText));
    await store.close();
  });

  it("changes keys only of what is there, and makes nothing", async () => {
    for (const words of [["add"], ["rotate"], ["rotate", "--drop-old"], ["drop-old"]]) {
      const refused = await setpoint("keys", ...words, "--data", "mistyped");
      assert.equal(refused.code, 1, words.join(" "));
      assert.match(
        refused.stderr,
        /there is no key ring at .*mistyped\/keys\.json, nor its folder/,
      );
      await assert.rejects(access(join(folder, "mistyped")), "nothing is made");
    }
    await fill(join(folder, "typed"));
    const keys = ["--keys", join(folder, "typed", "keys.json")];
    const refused = await setpoint("keys", "rotate", "--data", "mistyped", ...keys);
    assert.equal(refused.code, 1, refused.stderr);
    await assert.rejects(access(join(folder, "mistyped")), "nothing is made");
  });

  it("looks at a store without a ring, and with one that is damaged", async () => {
    await fill(join(folder, "ringless"));
    const ring = join(folder, "ringless", "keys.json");
    await rename(ring, `${ring}.safe`);
    const without = await setpoint("doctor", "--data", "ringless");
    assert.equal(without.code, 1);
    assert.equal(without.stdout.match(/there is no key ring/g)?.length, 1, without.stdout);
    assert.match(without.stdout, /every invariant holds/);
    await writeFile(ring, "{", { mode: 0o600 });
    const damaged = await setpoint("doctor", "--data", "ringless");
    assert.equal(damaged.code, 1);
    assert.match(damaged.stdout, /keys.*malformed/);
    assert.match(damaged.stdout, /restore the separate copy of this file/);
    assert.match(damaged.stdout, /every invariant holds/);
  });

  it("finds what is wrong with an installation", async () => {
    const nothing = await setpoint("doctor", "--data", "does-not-exist");
    assert.equal(nothing.code, 1);
    assert.match(nothing.stdout, /bad .*keys/);
  });
});

async function checkCopy(target: string, keys: string): Promise<void> {
  const store = target.startsWith("sqlite:") ? `sqlite:${join(folder, target.slice(7))}` : target;
  const copy = await openStore(storeConfig({ store, keys }), { access: "write" });
  try {
    const original = sample("one");
    const found = await copy.get(original.key);
    assert.deepEqual(found?.body, original.draft.body);
    assert.deepEqual(await copy.nameHolder({ scope: "hosts", name: "one" }), original.key);
    assert.equal((await copy.counter("quota/team-a")).value, 2);
    const claimed = await copy.claim({
      owner: "test",
      kinds: [original.key.kind],
      limit: 10,
      leaseMs: 1_000,
    });
    assert.equal(claimed.length, 2, "work that was due is due");
  } finally {
    await copy.close();
  }
}
