// This release takes over the store of each earlier one, under load: on PostgreSQL while servers of
// both versions run, on SQLite by a restart. Then back, because every release promises that for the
// release before it (docs/reference/compatibility.md).
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { root } from "../../tools/stages.ts";
import { startProgram } from "../peers/child.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Postgres } from "../peers/postgres.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint, SetpointOptions } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";
import { checkContent, moduleFile } from "./content.ts";
import { backupOf, loadIntoPostgres, openEmbedded, programOf, releases } from "./fixtures.ts";
import { Load } from "./load.ts";

const opened = new AsyncDisposableStack();
let folder: string;
let postgres: Postgres;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-releases-"));
  opened.defer(async () => await rm(folder, { recursive: true, force: true }));
  postgres = opened.use(await startPostgres());
});
after(async () => await opened.disposeAsync());

// The history of a fixture is as old as its release.
const args = ["--module", join(root, moduleFile), "--no-console", "--history", "forever"];
const current = "src/cli/main.ts";

for (const release of releases()) {
  const { version } = release;
  const data = (name: string): string => join(folder, `${version}-${name}`);

  describe(`a store of release ${version}`, () => {
    it("is taken over in an embedded file, with all of its content", async () => {
      await openEmbedded(release, data("embedded"));
      await using server = await startSetpoint({ data: data("embedded"), args });
      await checkContent(server, "new");
      assert.equal(await server.stop(), 0);
      await succeeds(["doctor", "--data", data("embedded")]);
    });

    it("is restored from its backup, into both databases", async () => {
      const store = postgres.url(await postgres.createDatabase());
      for (const [name, where] of [
        ["restored", []],
        ["restored-shared", ["--store", store]],
      ] as const) {
        const keys = join(release.folder, "keys.json");
        await succeeds([
          "restore",
          backupOf(release),
          "--data",
          data(name),
          "--keys",
          keys,
          ...where,
        ]);
        const more = { data: data(name), keys, ...(name === "restored" ? {} : { store }), args };
        await using server = await startSetpoint(more);
        await checkContent(server, "restored", { hasHistory: false });
      }
    });

    it("keeps every acknowledged write when its server is upgraded and returns", async (t) => {
      const old = await programOf(release);
      if (old === undefined) return t.diagnostic(`NOT TESTED: no commit ${release.commit} here`);
      await openEmbedded(release, data("restarted"));
      await using load = new Load("restarted");
      for (const [index, program] of [old, current, old].entries()) {
        await using server = await startSetpoint({ data: data("restarted"), program, args });
        if (index === 0) load.start([server]);
        load.servers = [server];
        await grows(load);
        await checkContent(server, `restart-${index}`);
        // The load continues while the server stops: what it acknowledges until then is kept.
        assert.equal(await server.stop(), 0, server.log());
        load.servers = [];
      }
      await using server = await startSetpoint({ data: data("restarted"), args });
      load.servers = [server];
      await load.stop();
      await load.check(server);
    });

    it("is taken over in PostgreSQL while servers of both versions write, and back", async (t) => {
      const old = await programOf(release);
      if (old === undefined) return t.diagnostic(`NOT TESTED: no commit ${release.commit} here`);
      const store = await loadIntoPostgres(release, postgres, data("old"));
      const keys = join(data("old"), "keys.json");
      const start = async (name: string, program: string): Promise<Setpoint> => {
        const options: SetpointOptions = { data: data(name), store, keys, program, args };
        return await startSetpoint(options);
      };
      await using load = new Load("both");
      await using first = await start("old", old);
      await checkContent(first, "before");
      load.start([first]);
      await grows(load);
      await using upgraded = await start("new", current);
      load.servers = [first, upgraded];
      await grows(load);
      await checkContent(first, "old-of-both");
      await checkContent(upgraded, "new-of-both");
      load.servers = [upgraded];
      assert.equal(await first.stop(), 0, first.log());
      await grows(load);
      await checkContent(upgraded, "alone");
      await using returned = await start("old", old);
      load.servers = [upgraded, returned];
      await grows(load);
      load.servers = [returned];
      assert.equal(await upgraded.stop(), 0, upgraded.log());
      await checkContent(returned, "back");
      await load.stop();
      await load.check(returned);
      await succeeds(["doctor", "--data", data("new"), "--store", store, "--keys", keys]);
    });
  });
}

it("there is a release with a fixture", () => {
  assert.ok(releases().length > 0);
});

async function grows(load: Load): Promise<void> {
  const enough = load.count + 40;
  await waitUntil("acknowledged writes", () => load.count >= enough);
}

async function succeeds(words: readonly string[]): Promise<void> {
  await using program = await startProgram(current, { args: words });
  const { code } = await program.waitForExit();
  assert.equal(code, 0, `${program.stdout()}${program.stderr()}`);
}
