import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { seededRandom } from "../../../kernel/random.ts";
import type { VaultMetadata } from "./client.ts";
import { decideRemoval, decideSecret, ownerKey, ownerNameKey } from "./decide-secret.ts";
import type { SecretInput } from "./decide-secret.ts";
import { password } from "./generate.ts";
import { sessionState } from "./sessions.ts";
import { vaultReadiness } from "./vault-health.ts";

const owner = { uid: "uid-1", name: "default/db" };
const own = { [ownerKey]: owner.uid, [ownerNameKey]: owner.name };
const version = (number: number, more: object = {}) => {
  return { version: number, deletionTime: "", isDestroyed: false, ...more };
};

function metadata(more: Partial<VaultMetadata> = {}): VaultMetadata {
  return { currentVersion: 3, versions: [version(2), version(3)], custom: own, ...more };
}

function input(more: Partial<SecretInput>): SecretInput {
  return {
    metadata: metadata(),
    owner,
    recordedVersion: 3,
    isInterrupted: false,
    isApplied: true,
    isCorrected: false,
    mayTakeOver: false,
    nowMs: Date.parse("2026-01-02T00:00:00Z"),
    ...more,
  };
}

const deleted = version(3, { deletionTime: "2026-01-01T00:00:00Z" });

describe("the decision about a secret in Vault", () => {
  it("creates a secret only if no version ever existed", () => {
    const step = decideSecret(input({ metadata: undefined, recordedVersion: 0, isApplied: false }));
    assert.deepEqual(step, { kind: "write", cas: 0, corrected: undefined });
  });

  it("is settled while the recorded version is the current one", () => {
    assert.deepEqual(decideSecret(input({})), { kind: "settled" });
  });

  it("replaces the current version when the values change", () => {
    const step = decideSecret(input({ isApplied: false }));
    assert.deepEqual(step, { kind: "write", cas: 3, corrected: undefined });
  });

  it("names the deleted version as the one that it replaces", () => {
    const given = { metadata: metadata({ versions: [deleted] }), isApplied: false };
    assert.deepEqual(decideSecret(input(given)), { kind: "write", cas: 3, corrected: undefined });
  });

  it("does not take a deletion in the future for one", () => {
    const later = version(3, { deletionTime: "2027-01-01T00:00:00Z" });
    assert.equal(
      decideSecret(input({ metadata: metadata({ versions: [later] }) })).kind,
      "settled",
    );
  });

  it("reports a newer version, a deleted one and a removed secret as drift", () => {
    const cases: readonly Partial<SecretInput>[] = [
      { metadata: metadata({ currentVersion: 4, versions: [version(4)] }) },
      { metadata: metadata({ versions: [deleted] }) },
      { metadata: metadata({ versions: [version(3, { isDestroyed: true })] }) },
      { metadata: undefined },
      { metadata: metadata({ custom: {} }) },
    ];
    const kinds = cases.map((each) => {
      const step = decideSecret(input(each));
      return step.kind === "drifted" ? step.item.kind : step.kind;
    });
    assert.deepEqual(kinds, ["changed", "missing", "missing", "missing", "changed"]);
    const corrected = cases.map((each) => decideSecret(input({ ...each, isCorrected: true })).kind);
    assert.deepEqual(corrected, ["write", "write", "write", "write", "write"]);
  });

  it("does not overwrite the version of another client with a change of the spec", () => {
    const newer = metadata({ currentVersion: 4, versions: [version(4)] });
    const step = decideSecret(input({ metadata: newer, isApplied: false }));
    assert.equal(step.kind === "refuse" ? step.reason : "", "Conflict");
  });

  it("marks the version of an interrupted run instead of writing it again", () => {
    const unmarked = metadata({ currentVersion: 1, versions: [version(1)], custom: {} });
    const given = { metadata: unmarked, recordedVersion: 0, isApplied: false };
    assert.equal(decideSecret(input({ ...given, isInterrupted: true })).kind, "mark");
    assert.equal(decideSecret(input(given)).kind, "refuse");
  });

  it("refuses a secret of another owner, and names the owner", () => {
    const theirs = { [ownerKey]: "uid-2", [ownerNameKey]: "other/db" };
    const step = decideSecret(input({ metadata: metadata({ custom: theirs }), isApplied: false }));
    assert.match(step.kind === "refuse" ? step.message : "", /VaultSecret other\/db/);
    const taken = decideSecret(
      input({ metadata: metadata({ custom: theirs }), mayTakeOver: true }),
    );
    assert.equal(taken.kind, "refuse", "only a secret without an owner is taken over");
  });

  it("uses the path again that an earlier resource of the same name deleted", () => {
    const earlier = { [ownerKey]: "uid-0", [ownerNameKey]: owner.name };
    const given = { isApplied: false, recordedVersion: 0 };
    const free = metadata({ custom: earlier, versions: [deleted] });
    assert.equal(decideSecret(input({ ...given, metadata: free })).kind, "write");
    const used = metadata({ custom: earlier });
    assert.equal(decideSecret(input({ ...given, metadata: used })).kind, "refuse");
  });

  it("deletes at the end only a secret with its mark", () => {
    assert.deepEqual(decideRemoval(input({})), { kind: "remove", versions: [2, 3], current: 3 });
    assert.equal(decideRemoval(input({ metadata: undefined })).kind, "nothing");
    assert.equal(decideRemoval(input({ metadata: metadata({ custom: {} }) })).kind, "foreign");
  });
});

describe("the health of a Vault server", () => {
  it("is usable as active server and as standby, and not otherwise", () => {
    const codes = [200, 429, 473, 472, 474, 501, 503, 530, 418];
    assert.deepEqual(
      codes.map((code) => `${code} ${vaultReadiness(code).status} ${vaultReadiness(code).health}`),
      [
        "200 True Active",
        "429 True Standby",
        "473 True PerformanceStandby",
        "472 False DrSecondary",
        "474 False Unhealthy",
        "501 False Uninitialized",
        "503 False Sealed",
        "530 False Removed",
        "418 False Unknown",
      ],
    );
  });
});

describe("a session with Vault", () => {
  const at = (ms: number) => ({ nowMs: () => ms });
  const session = { atMs: 0, leaseSeconds: 60, isRenewable: true };

  it("is renewed in the last third of its time, and replaced after it", () => {
    const states = [0, 39_999, 40_000, 59_999, 60_000].map((ms) => sessionState(session, at(ms)));
    assert.deepEqual(states, ["fresh", "fresh", "renew", "renew", "expired"]);
    assert.equal(sessionState({ ...session, isRenewable: false }, at(40_000)), "expired");
    assert.equal(sessionState({ ...session, leaseSeconds: 0 }, at(1e12)), "fresh");
  });
});

describe("a generated password", () => {
  it("has the length and only characters without a special meaning", () => {
    const text = password(64, seededRandom(7));
    assert.match(text, /^[A-HJ-NP-Za-km-z2-9]{64}$/);
    assert.notEqual(text, password(64, seededRandom(8)));
  });
});
