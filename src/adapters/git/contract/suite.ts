/**
 * The contract of port.ts as tests, against a git host that speaks smart HTTP over TLS. An
 * implementation calls it from a test file of its own, with a host on loopback.
 */
import assert from "node:assert/strict";
import { mkdtemp, readFile, readdir, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { systemTimers } from "../../../kernel/timers.ts";
import type { Git, GitOptions, GitRepository, OpenGit } from "../port.ts";

/** What the suite asks of a host; tests/gitops/git-remote.ts has it. */
export interface ContractHost extends AsyncDisposable {
  readonly port: number;
  readonly caBundle: string;
  /** The bare repositories, NAME.git. */
  readonly folder: string;
  readonly requests: readonly { readonly path: string; readonly username: string | undefined }[];
  fault:
    | { readonly kind: "hang" }
    | { readonly kind: "status"; readonly status: number }
    | { readonly kind: "redirect"; readonly to: string }
    | undefined;
  url(name: string): string;
  create(
    name: string,
    options?: { readonly login?: Login; readonly sendsAnyCommit?: boolean },
  ): Promise<void>;
  commit(name: string, change: ContractChange): Promise<string>;
  tag(
    name: string,
    tag: { readonly tag: string; readonly commit: string; readonly isAnnotated?: boolean },
  ): Promise<void>;
}

export interface ContractChange {
  readonly branch?: string;
  readonly files: Readonly<
    Record<
      string,
      string | null | { readonly link: string } | { readonly submodule: string } | Executable
    >
  >;
}

interface Executable {
  readonly executable: string;
}

interface Login {
  readonly username: string;
  readonly password: string;
}

interface Fixture {
  readonly host: ContractHost;
  readonly git: Git;
  readonly folder: string;
  readonly open: (more?: Partial<GitOptions>) => Promise<Git>;
  readonly at: (name: string, more?: Partial<GitRepository>) => GitRepository;
}

type Given = () => Fixture;

const never = new AbortController().signal;
const limits = { maxFiles: 100, maxBytes: 10_000, maxFileBytes: 5_000 };

export function gitContract(
  name: string,
  openGit: OpenGit,
  startHost: () => Promise<ContractHost>,
): void {
  describe(`the git port: ${name}`, () => {
    let fixture: Fixture | undefined;
    const given = (): Fixture => {
      assert.ok(fixture);
      return fixture;
    };
    before(async () => {
      const folder = await mkdtemp(join(tmpdir(), "git-contract-"));
      const host = await startHost();
      const open: Fixture["open"] = async (more = {}) =>
        await openGit({
          program: "git",
          folder,
          maxPrograms: 4,
          maxRepositoryBytes: 50_000_000,
          maxCacheBytes: 100_000_000,
          resolveTimeoutMs: 60_000,
          fetchTimeoutMs: 60_000,
          ...more,
        });
      const at: Fixture["at"] = (repository, more = {}) => ({
        url: host.url(repository),
        cache: repository,
        tenant: "jane",
        credential: undefined,
        caBundle: host.caBundle,
        refuseAddress: () => undefined,
        ...more,
      });
      fixture = { host, git: await open(), folder, open, at };
    });
    after(async () => {
      const { host, git, folder } = given();
      await git[Symbol.asyncDispose]();
      await host[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    });
    refContract(given);
    branchContract(given);
    fileContract(given);
    hostileContract(given);
    lossContract(given);
    hostContract(given);
    localContract(given);
  });
}

function localContract(given: Given): void {
  test("a local repository is read below the folder for them, and nothing else is", async () => {
    const { host, open, at } = given();
    await host.create("near");
    const commit = await host.commit("near", { files: { "deploy/a.yaml": "a: 1" } });
    const elsewhere = await mkdtemp(join(tmpdir(), "git-elsewhere-"));
    await symlink(join(host.folder, "near.git"), join(elsewhere, "link.git"));
    await using git = await open({ localRepositories: host.folder });
    const near = at("near", { url: "local://near.git", cache: "near-local" });
    const resolved = await git.resolve(near, "main", never);
    assert.deepEqual(resolved, { kind: "resolved", commit, ref: "refs/heads/main" });
    const fetched = await git.fetch(near, { commit, ref: "refs/heads/main" }, never);
    assert.equal(fetched.kind, "fetched", JSON.stringify(fetched));
    const tree = await git.tree(near, commit, "deploy", limits, never);
    assert.ok(tree.kind === "tree" && tree.files.length === 1);

    const reasonOf = async (url: string, from: Git = git): Promise<string> => {
      const end = await from.resolve(at("near", { url, cache: url }), "main", never);
      return end.kind === "problem" ? end.reason : end.kind;
    };
    assert.equal(await reasonOf("local://absent.git"), "RepositoryNotFound");
    assert.equal(await reasonOf(`file://${host.folder}/near.git`), "InvalidUrl");
    assert.equal(await reasonOf("local://../near.git"), "InvalidUrl");
    assert.equal(await reasonOf("local://near.git", given().git), "InvalidUrl", "without a folder");
    await using other = await open({ localRepositories: elsewhere });
    assert.equal(await reasonOf("local://link.git", other), "RepositoryNotFound");
    await rm(elsewhere, { recursive: true });
  });
}

function refContract(given: Given): void {
  test("a branch, a tag, a tag object, HEAD and a commit resolve to a commit", async () => {
    const { host, git, at } = given();
    await host.create("refs");
    const first = await host.commit("refs", { files: { a: "1" } });
    await host.tag("refs", { tag: "light", commit: first });
    await host.tag("refs", { tag: "object", commit: first, isAnnotated: true });
    const second = await host.commit("refs", { files: { a: "2" } });
    await host.tag("refs", { tag: "main", commit: first });
    for (const [ref, commit, full] of [
      ["", second, "refs/heads/main"],
      ["HEAD", second, "refs/heads/main"],
      ["main", second, "refs/heads/main"],
      ["refs/tags/main", first, "refs/tags/main"],
      ["light", first, "refs/tags/light"],
      ["object", first, "refs/tags/object"],
      [first, first, undefined],
    ] as const) {
      const resolved = await git.resolve(at("refs"), ref, never);
      assert.deepEqual(resolved, { kind: "resolved", commit, ref: full }, ref);
    }
    for (const ref of ["absent", "--upload-pack=id", "a b", "main^"]) {
      const problem = await git.resolve(at("refs"), ref, never);
      assert.partialDeepStrictEqual(problem, { kind: "problem", reason: "RefNotFound" }, ref);
    }
  });

  test("a commit is fetched once, also where the host sends only tips of refs", async () => {
    const { host, git, at } = given();
    for (const [name, sendsAnyCommit] of [
      ["any", true],
      ["tips", false],
    ] as const) {
      await host.create(name, { sendsAnyCommit });
      const old = await host.commit(name, { files: { a: "1" } });
      await host.commit(name, { files: { a: "2" } });
      const wanted = { commit: old, ref: "refs/heads/main" };
      const both = [git.fetch(at(name), wanted, never), git.fetch(at(name), wanted, never)];
      for (const fetched of await Promise.all(both)) {
        assert.deepEqual(fetched, { kind: "fetched", commit: old, isNew: true }, name);
      }
      const again = await git.fetch(at(name), wanted, never);
      assert.deepEqual(again, { kind: "fetched", commit: old, isNew: false });
      const absent = { commit: "1".repeat(40), ref: "refs/heads/main" };
      const problem = await git.fetch(at(name), absent, never);
      assert.partialDeepStrictEqual(problem, { reason: "CommitNotFound" }, name);
    }
  });
}

function branchContract(given: Given): void {
  test("the branches of a repository are listed, and too many are a problem", async () => {
    const { host, git, at } = given();
    await host.create("branches");
    const main = await host.commit("branches", { files: { a: "1" } });
    const other = await host.commit("branches", { branch: "feature/Cart-9", files: { a: "2" } });
    await host.tag("branches", { tag: "v1", commit: main });
    assert.deepEqual(await git.branches(at("branches"), 10, never), {
      kind: "branches",
      branches: [
        { name: "feature/Cart-9", commit: other },
        { name: "main", commit: main },
      ],
    });
    const many = await git.branches(at("branches"), 1, never);
    assert.equal(many.kind === "problem" && many.reason, "TooLarge");
    const absent = await git.branches(at("absent-branches"), 1, never);
    assert.equal(absent.kind === "problem" && absent.reason, "RepositoryNotFound");
  });
}

function fileContract(given: Given): void {
  test("files of a path are listed, read and written", async () => {
    const { host, git, at } = given();
    await host.create("files");
    const commit = await host.commit("files", {
      files: { "deploy/b.sh": { executable: "#!/bin/sh\n" }, "deploy/a/x.yaml": "x", other: "o" },
    });
    await git.fetch(at("files"), { commit, ref: undefined }, never);
    const tree = await git.tree(at("files"), commit, "./deploy/", limits, never);
    assert.ok(tree.kind === "tree", JSON.stringify(tree));
    const listed = tree.files.map(({ path, bytes, isExecutable }) => [path, bytes, isExecutable]);
    assert.deepEqual(listed, [
      ["deploy/a/x.yaml", 1, false],
      ["deploy/b.sh", 10, true],
    ]);
    const read = await git.read(at("files"), tree.files.toReversed(), never);
    assert.ok(read.kind === "contents");
    const texts = read.contents.map((bytes) => Buffer.from(bytes).toString());
    assert.deepEqual(texts, ["#!/bin/sh\n", "x"]);
    const checkout = await git.checkout(at("files"), tree, never);
    assert.ok(checkout.kind === "checkout");
    const { folder: target } = checkout;
    assert.equal(await readFile(join(target, "deploy/a/x.yaml"), "utf8"), "x");
    assert.equal((await stat(join(target, "deploy/b.sh"))).mode & 0o777, 0o755);
    await checkout[Symbol.asyncDispose]();
    await assert.rejects(stat(target), { code: "ENOENT" });
    const file = await git.tree(at("files"), commit, "other", limits, never);
    assert.ok(file.kind === "tree");
    assert.deepEqual(
      file.files.map(({ path }) => path),
      ["other"],
    );
    const absent = await git.tree(at("files"), commit, "absent", limits, never);
    assert.partialDeepStrictEqual(absent, { reason: "PathNotFound" });
  });

  test("the id of a tree changes with its files alone", async () => {
    const { host, git, at } = given();
    await host.create("ids");
    const ids: string[] = [];
    for (const files of [{ "a/x": "1", b: "1" }, { b: "2" }, { "a/x": "2" }]) {
      const commit = await host.commit("ids", { files });
      await git.fetch(at("ids"), { commit, ref: undefined }, never);
      const tree = await git.tree(at("ids"), commit, "a", limits, never);
      assert.ok(tree.kind === "tree");
      ids.push(tree.treeId);
    }
    assert.equal(ids[0], ids[1]);
    assert.notEqual(ids[1], ids[2]);
  });
}

function hostileContract(given: Given): void {
  test("links, submodules, and paths that are too large are refused", async () => {
    const { host, git, at } = given();
    await host.create("hostile");
    const commit = await host.commit("hostile", {
      files: {
        "link/a": { link: "/etc/passwd" },
        "module/a": { submodule: "1".repeat(40) },
        "large/a": "x".repeat(5_001),
        "many/a": "x".repeat(5_000),
        "many/b": "x".repeat(5_000),
        "many/c": "x",
        "good/a": "a",
      },
    });
    await git.fetch(at("hostile"), { commit, ref: undefined }, never);
    for (const [path, reason] of [
      ["link", "UnsafeTree"],
      ["module", "UnsafeTree"],
      ["large", "TooLarge"],
      ["many", "TooLarge"],
      ["../hostile", "PathNotFound"],
      ["good\nHEAD", "PathNotFound"],
    ] as const) {
      const problem = await git.tree(at("hostile"), commit, path, limits, never);
      assert.partialDeepStrictEqual(problem, { kind: "problem", reason }, path);
    }
    const good = await git.tree(at("hostile"), commit, "good", limits, never);
    assert.equal(good.kind, "tree");
  });

  test("a repository that is too large is not kept", async () => {
    const { host, open, at } = given();
    await host.create("huge");
    const random = Array.from({ length: 3_000 }, (_, index) => `${Math.sin(index)}`).join("");
    const commit = await host.commit("huge", { files: { a: random } });
    await using git = await open({ maxRepositoryBytes: 10_000 });
    await git.fetch(at("huge"), { commit, ref: undefined }, never);
    const next = await host.commit("huge", { files: { a: "small" } });
    const fetched = await git.fetch(at("huge"), { commit: next, ref: undefined }, never);
    assert.partialDeepStrictEqual(fetched, { kind: "fetched" });
    assert.ok(git.cacheBytes() < 10_000, `${git.cacheBytes()}`);
  });
}

function lossContract(given: Given): void {
  test("copies that something else removed are fetched again", async () => {
    const { host, folder, open, at } = given();
    await host.create("lost");
    const commit = await host.commit("lost", { files: { a: "1" } });
    const parent = await mkdtemp(join(folder, "lost-"));
    await using git = await open({ folder: parent });
    const wanted = { commit, ref: undefined };
    await git.fetch(at("lost"), wanted, never);
    for (const name of await readdir(parent)) await rm(join(parent, name), { recursive: true });
    const lost = await git.tree(at("lost"), commit, "", limits, never);
    assert.partialDeepStrictEqual(lost, { reason: "CommitNotFound" });
    assert.partialDeepStrictEqual(await git.fetch(at("lost"), wanted, never), { isNew: true });
    assert.equal((await git.tree(at("lost"), commit, "", limits, never)).kind, "tree");
  });
}

function hostContract(given: Given): void {
  test("a credential is used, and a wrong one is a problem that does not show it", async () => {
    const { host, git, at } = given();
    const login = { username: "jane", password: 'pass"word: with $odd \\ characters' };
    await host.create("closed", { login });
    const commit = await host.commit("closed", { files: { a: "1" } });
    const credential = { kind: "basic", ...login } as const;
    const resolved = await git.resolve(at("closed", { credential }), "main", never);
    assert.partialDeepStrictEqual(resolved, { commit });
    for (const wrong of [undefined, { ...credential, password: "wrong-secret" }]) {
      const cache = wrong === undefined ? "closed-none" : "closed-wrong";
      const problem = await git.resolve(at("closed", { credential: wrong, cache }), "main", never);
      assert.partialDeepStrictEqual(problem, { reason: "AuthenticationFailed" });
      assert.doesNotMatch(JSON.stringify(problem), /wrong-secret/);
    }
  });

  test("problems tell hosts, repositories, certificates and addresses apart", async () => {
    const { host, git, at } = given();
    await host.create("there");
    await host.commit("there", { files: { a: "1" } });
    const url = (text: string): GitRepository => at(text, { url: text });
    for (const [repository, reason] of [
      [at("absent"), "RepositoryNotFound"],
      [at("there", { caBundle: undefined, cache: "no-ca" }), "CertificateInvalid"],
      [at("there", { refuseAddress: () => "not allowed", cache: "no" }), "AddressRefused"],
      [url("https://127.0.0.1:1/a"), "HostUnreachable"],
      [url("https://absent.invalid/a"), "HostUnreachable"],
      [url("http://127.0.0.1/a"), "InvalidUrl"],
      [url("file:///etc"), "InvalidUrl"],
      [url("git@127.0.0.1:a"), "AuthenticationFailed"],
    ] as const) {
      const problem = await git.resolve(repository, "main", never);
      assert.partialDeepStrictEqual(problem, { kind: "problem", reason }, repository.url);
      assert.doesNotMatch(JSON.stringify(problem), /git-contract-/);
    }
  });

  test("faults of a host are problems, and a redirect is not followed", async () => {
    const { host, git, at } = given();
    await host.create("faulty");
    await host.commit("faulty", { files: { a: "1" } });
    for (const [fault, reason] of [
      [{ kind: "status", status: 503 }, "HostUnreachable"],
      [{ kind: "status", status: 429 }, "Busy"],
      [{ kind: "redirect", to: host.url("there").replace("/there.git", "") }, "InvalidUrl"],
    ] as const) {
      host.fault = fault;
      const sent = host.requests.length;
      const problem = await git.resolve(at("faulty"), "main", never);
      host.fault = undefined;
      assert.partialDeepStrictEqual(problem, { reason }, fault.kind);
      assert.equal(host.requests.length, sent + 1);
    }
  });

  test("a call to a host that hangs ends at its limit, and at an abort", async () => {
    const { host, open, at } = given();
    await using git = await open({ resolveTimeoutMs: 300 });
    await host.create("hangs");
    const commit = await host.commit("hangs", { files: { a: "1" } });
    host.fault = { kind: "hang" };
    const problem = await git.resolve(at("hangs"), "main", never);
    assert.partialDeepStrictEqual(problem, { reason: "TimedOut" });
    const stop = new AbortController();
    const asked = host.requests.length;
    const wanted = { commit, ref: undefined };
    const fetching = git.fetch(at("hangs"), wanted, stop.signal);
    while (host.requests.length === asked) await systemTimers.sleep(5);
    stop.abort(new Error("given up"));
    await assert.rejects(fetching, /given up/);
    host.fault = undefined;
    assert.partialDeepStrictEqual(await git.fetch(at("hangs"), wanted, never), { isNew: true });
  });

  test("a host that hangs does not delay the calls of another tenant", async () => {
    const { host, open, at } = given();
    await using git = await open();
    for (const name of ["slow", "quick"]) await host.create(name);
    await host.commit("slow", { files: { a: "1" } });
    const commit = await host.commit("quick", { files: { a: "1" } });
    const stop = new AbortController();
    host.fault = { kind: "hang" };
    const hanging = Array.from({ length: 10 }, async (_, index) => {
      await git.resolve(at("slow", { cache: `slow-${index}` }), "main", stop.signal);
    });
    const asked = host.requests.length;
    while (host.requests.length === asked) await systemTimers.sleep(5);
    host.fault = undefined;
    const resolved = await git.resolve(at("quick", { tenant: "bob" }), "main", never);
    assert.partialDeepStrictEqual(resolved, { commit });
    stop.abort();
    await Promise.allSettled(hanging);
  });
}
