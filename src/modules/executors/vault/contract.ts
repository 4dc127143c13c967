/**
 * What the Vault client relies on, as tests against a running server with a KV engine (version 2)
 * at `secret/`. tests/executors/ runs them against a double, and against a real server when
 * SETPOINT_TEST_VAULT names one.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ServiceRefused } from "../../../engine/external/call-service.ts";
import type { VaultClient, VaultDoor } from "./client.ts";
import { isDeleted } from "./decide-secret.ts";
import { vaultReadiness } from "./vault-health.ts";

export interface VaultUnderTest extends AsyncDisposable {
  readonly door: VaultDoor;
  readonly token: string;
}

/** After every time in this test. */
const farMs = Date.parse("9999-01-01T00:00:00Z");
const place = { mount: "secret", path: "setpoint-contract/a ü" };

export function vaultContract(name: string, open: () => Promise<VaultUnderTest>): void {
  describe(`the Vault client: ${name}`, () => {
    let peer: VaultUnderTest;
    let vault: VaultClient;
    before(async () => {
      peer = await open();
      vault = peer.door.with(peer.token, []);
      await vault.destroy(place, [1]);
    });
    after(async () => {
      await vault.destroy(place, [1]);
      await peer[Symbol.asyncDispose]();
    });
    const latest = async () => {
      const metadata = await vault.metadata(place);
      const current = metadata?.currentVersion;
      return metadata?.versions.find(({ version }) => version === current);
    };

    it("reports the health by its status code", async () => {
      assert.equal(vaultReadiness(await peer.door.health()).status, "True");
    });

    it("refuses a wrong token, and does not show it", async () => {
      const wrong = peer.door.with("wrong-token-1", []);
      await assert.rejects(wrong.metadata(place), (error) => {
        assert.ok(error instanceof ServiceRefused);
        assert.equal(error.outcome.reason, "CredentialsRefused");
        assert.doesNotMatch(error.message, /wrong-token-1/);
        return true;
      });
    });

    it("reports a secret that never existed as absent", async () => {
      assert.equal(await vault.metadata(place), undefined);
      assert.equal(await vault.read(place, 1), undefined);
    });

    it("writes with the version that it replaces, and loses against another writer", async () => {
      assert.deepEqual(await vault.write(place, { a: "1" }, 0), { kind: "written", version: 1 });
      assert.deepEqual(await vault.write(place, { a: "2" }, 0), { kind: "conflict" });
      assert.deepEqual(await vault.write(place, { a: "2" }, 1), { kind: "written", version: 2 });
      assert.deepEqual(await vault.write(place, { a: "3" }, 1), { kind: "conflict" });
      assert.deepEqual(await vault.read(place, 2), { a: "2" });
    });

    it("keeps the mark of an owner across versions", async () => {
      await vault.mark(place, { owner: "x", "owner-name": "y/z" });
      await vault.write(place, { a: "3" }, 2);
      assert.deepEqual((await vault.metadata(place))?.custom, { owner: "x", "owner-name": "y/z" });
    });

    it("counts on after a deletion: the version that is replaced is the deleted one", async () => {
      await vault.softDelete(place, [3]);
      assert.equal(isDeleted(await latest(), farMs), true);
      assert.equal((await vault.metadata(place))?.currentVersion, 3);
      assert.equal(await vault.read(place, 3), undefined);
      assert.deepEqual(await vault.write(place, { a: "4" }, 0), { kind: "conflict" });
      assert.deepEqual(await vault.write(place, { a: "4" }, 3), { kind: "written", version: 4 });
      assert.equal(isDeleted(await latest(), farMs), false);
    });

    it("destroys all versions with the metadata", async () => {
      await vault.destroy(place, [1, 2, 3, 4]);
      assert.equal(await vault.metadata(place), undefined);
      assert.deepEqual(await vault.write(place, { a: "1" }, 0), { kind: "written", version: 1 });
    });
  });
}
