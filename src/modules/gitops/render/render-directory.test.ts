import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import type { GitFile } from "../../../adapters/git/port.ts";
import { manualClock } from "../../../kernel/clock.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import { inlineWork } from "../../../kernel/heavy-work.ts";
import type { HeavyWork } from "../../../kernel/heavy-work.ts";
import { manifestFunctions } from "../../../kernel/manifests/read-manifests.ts";
import { gitopsLimits } from "../limits.ts";
import type { PartInput } from "../part.ts";
import type { SourceTree } from "../source/source-trees.ts";
import { openRender } from "./open-render.ts";
import { partsOf } from "./reading.ts";
import type { Rendered, Renderer, RenderInput, RenderResult } from "./renderer.ts";

type Files = Readonly<Record<string, string>>;

const named = (name: string, more = ""): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}`;

interface Rig {
  readonly renderer: Renderer;
  readonly counts: string[];
  readonly jobs: string[];
}

function rig(run?: HeavyWork["run"]): Rig {
  const inline = inlineWork(manifestFunctions);
  const [counts, jobs]: [string[], string[]] = [[], []];
  const heavy: HeavyWork = {
    run: async (job) => {
      jobs.push(job.tenant);
      return await (run === undefined ? inline.run(job) : run(job));
    },
  };
  const meter = {
    count: (_: string, labels: object) => counts.push(Object.values(labels).join(" ")),
    observe: () => undefined,
  };
  const ports = { clock: manualClock(), meter };
  const part = openRender({ ports, configuration: {} } as unknown as PartInput);
  void part.start?.({ intents: { heavy } } as never, new AsyncDisposableStack());
  return { renderer: part.renderer, counts, jobs };
}

function treeOf(files: Files, path = "deploy", reads: string[] = []): SourceTree {
  const id = createHash("sha1").update(JSON.stringify(files)).digest("hex");
  const list: readonly GitFile[] = Object.entries(files)
    .map(([name, text]) => ({
      path: path === "" ? name : `${path}/${name}`,
      blobId: createHash("sha1").update(text).digest("hex"),
      bytes: Buffer.byteLength(text),
      isExecutable: false,
    }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const tree = {
    kind: "tree",
    commit: "c",
    path,
    treeId: id,
    rootTreeId: id,
    files: list,
  } as const;
  return {
    kind: "tree",
    tree,
    root: async () => tree,
    read: async (wanted) => {
      reads.push(...wanted.map((file) => file.path));
      const start = path === "" ? 0 : path.length + 1;
      return wanted.map((file) => Buffer.from(files[file.path.slice(start)] ?? ""));
    },
    checkout: () => Promise.reject(new Error("a directory needs no folder")),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

const directory = { isRecursive: true, include: [], exclude: [] };

function inputOf(tree: SourceTree, options: Partial<RenderInput["options"]> = {}): RenderInput {
  return {
    tree,
    tenant: "jane",
    options: {
      tool: undefined,
      directory,
      kustomize: {},
      helm: {},
      releaseName: "shop",
      namespace: "jane",
      ...options,
    },
    grants: { remoteBases: false, helm: true, isSigned: false },
  };
}

const signal = new AbortController().signal;

async function render(
  files: Files,
  options?: Partial<RenderInput["options"]>,
): Promise<RenderResult> {
  return await rig().renderer.render(inputOf(treeOf(files), options), { signal });
}

function renderedOf(result: RenderResult): Rendered {
  assert.ok(result.kind === "rendered", JSON.stringify(result));
  return result;
}

async function namesOf(files: Files, options?: Partial<RenderInput["options"]>): Promise<unknown> {
  const { objects } = renderedOf(await render(files, options));
  return objects.map(({ object }) => (object["metadata"] as { name: string }).name);
}

describe("a directory of manifests", () => {
  it("becomes objects in the order of files and documents, each with its place", async () => {
    const list = `apiVersion: v1\nkind: List\nitems:\n- ${named("d").replaceAll("\n", "\n  ")}`;
    const files = {
      "b.yml": `# x\n${named("b")}---\n---\n${named("c")}`,
      "a.json": JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: "a" } }),
      "sub/c.yaml": list,
      "README.md": "hello: [",
    };
    const { objects, tool } = renderedOf(await render(files));
    assert.equal(tool, "Directory");
    assert.deepEqual(
      objects.map(({ object, from }) => [(object["metadata"] as { name: string }).name, from]),
      [
        ["a", { file: "deploy/a.json" }],
        ["b", { file: "deploy/b.yml", line: 2 }],
        ["c", { file: "deploy/b.yml", line: 8 }],
        ["d", { file: "deploy/sub/c.yaml", line: 4 }],
      ],
    );
  });

  it("keeps integers that are not exact as numbers", async () => {
    const files = {
      "a.yaml": named("a", "count: 9007199254740993\n"),
      "b.json": '{"apiVersion":"v1","kind":"A","metadata":{"name":"b"},"count":9007199254740993}',
    };
    const { objects } = renderedOf(await render(files));
    assert.deepEqual(
      objects.map(({ object }) => object["count"]),
      [9007199254740993n, 9007199254740993n],
    );
  });

  it("reads the chosen files", async () => {
    const files = {
      "a.yaml": named("a"),
      "b.json": named("b"),
      "sub/c.yaml": named("c"),
      "sub/d.yml": named("d"),
    };
    const chosen = async (more: Partial<typeof directory> | object): Promise<unknown> =>
      await namesOf(files, { directory: { ...directory, ...more } });
    assert.deepEqual(await chosen({}), ["a", "b", "c", "d"]);
    assert.deepEqual(await chosen({ isRecursive: false }), ["a", "b"]);
    assert.deepEqual(await chosen({ include: ["*.yaml"] }), ["a", "c"]);
    assert.deepEqual(await chosen({ exclude: ["sub/*"] }), ["a", "b"]);
    assert.deepEqual(await chosen({ include: ["{a,sub/d}.*"] }), ["a", "d"]);
  });

  it("is empty without manifests", async () => {
    assert.deepEqual(await namesOf({ "README.md": "x", "a.yaml": "# nothing\n" }), []);
  });

  it("has the same digest wherever the manifests are, another one for other objects", async () => {
    const digest = async (files: Files): Promise<string> => renderedOf(await render(files)).digest;
    const one = await digest({ "a.yaml": `${named("a")}---\n${named("b")}` });
    const two = await digest({ "x.yaml": named("b"), "y/z.yml": `# moved\n${named("a")}` });
    assert.equal(one, two);
    assert.notEqual(one, await digest({ "a.yaml": `${named("a")}---\n${named("b", "x: 1\n")}` }));
  });

  it("names the file, the line and the object of each error", async () => {
    const result = await render({
      "a.yaml": named("a"),
      "b.yaml": `${named("b")}---\napiVersion: v1\nkind: Secret\nmetadata: {}\n`,
      "c.yaml": "kind: Pod\nmetadata: {name: c}\n",
      "d.yaml": "- 1\n",
      "e.yaml": `a: 1\nb: [\n`,
      "f.json": '{"apiVersion": "v1",\n "a": 1,\n "a": 2}',
      "g.yaml": "apiVersion: v1\nkind: List\nitems:\n- kind: A\n- 7\n",
    });
    assert.ok(result.kind === "refused" && result.reason === "ManifestInvalid");
    assert.deepEqual(
      result.errors.map(({ file, line, message }) => `${file}:${line} ${message}`),
      [
        "deploy/b.yaml:6 Secret has no metadata.name",
        "deploy/c.yaml:1 Pod c has no apiVersion",
        "deploy/d.yaml:1 a manifest must be an object with apiVersion and kind",
        "deploy/e.yaml:3 the indentation is wrong",
        "deploy/f.json:3 the key occurs twice in one object",
        "deploy/g.yaml:4 A has no apiVersion",
        "deploy/g.yaml:5 a manifest must be an object with apiVersion and kind",
      ],
    );
    assert.equal(
      result.message,
      "deploy/b.yaml line 6: Secret has no metadata.name, and 6 further errors",
    );
  });

  it("shows no value of a Secret that cannot be read", async () => {
    const secret = (data: string): string =>
      `apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n${data}`;
    const result = await render({
      "a.yaml": secret("  p: hunter2: x\n"),
      "b.yaml": secret("  p: [hunter2\n"),
      "c.json": '{"kind": "Secret", "stringData": {"p": hunter2}}',
      "d.json": '{"kind": "Secret", "stringData": {"p": "hunter2}}',
      "e.yaml": "hunter2",
    });
    assert.equal(result.kind, "refused");
    assert.doesNotMatch(JSON.stringify(result), /hunter2/);
  });

  it("shows at most twenty errors, of one file or many", async () => {
    const bad = "kind: A\n---\n".repeat(15);
    const result = await render({ "a.yaml": bad, "b.yaml": bad });
    assert.ok(result.kind === "refused");
    assert.equal(result.errors.length, gitopsLimits.maxManifestErrors);
  });

  it("refuses hostile files with a reason", async () => {
    const levels = Array.from({ length: 30 }, (_, level) => {
      const last = level === 0 ? "lol" : `*a${level - 1}`;
      return `a${level}: &a${level} [${Array.from({ length: 9 }, () => last).join(", ")}]`;
    });
    const bomb = await render({ "a.yaml": named("a", levels.join("\n")) });
    assert.ok(bomb.kind === "refused");
    assert.match(
      bomb.message,
      /^deploy\/a.yaml line \d+: aliases repeat too much of the document$/,
    );
    const binary = await render({ "a.yaml": "\uFFFD\u0000\u0001" });
    assert.ok(binary.kind === "refused");
  });

  it("reads no file that is too large", async () => {
    const reads: string[] = [];
    const { tree, ...rest } = treeOf({ "a.yaml": named("a") }, "deploy", reads);
    const files = tree.files.map((file) => ({ ...file, bytes: 50_000_000 }));
    const large = { ...rest, tree: { ...tree, files } };
    const result = await rig().renderer.render(inputOf(large), { signal });
    assert.ok(result.kind === "refused" && result.reason === "TooLarge");
    assert.match(result.message, /^deploy\/a.yaml: the file has 50000000 bytes/);
    assert.deepEqual(reads, []);
  });

  it("uses a result again for the same tree, tenant and options only", async () => {
    const { renderer, counts, jobs } = rig();
    const tree = treeOf({ "a.yaml": named("a") });
    await renderer.render(inputOf(tree), { signal });
    const again = await renderer.render(inputOf(tree), { signal });
    assert.equal(renderedOf(again).objects.length, 1);
    assert.deepEqual(counts, ["Directory rendered", "Directory cached"]);
    await renderer.render({ ...inputOf(tree), tenant: "bob" }, { signal });
    await renderer.render(inputOf(tree, { directory: { ...directory, exclude: ["a*"] } }), {
      signal,
    });
    assert.deepEqual(jobs, ["jane", "bob"]);
    assert.equal(counts.at(-1), "Directory rendered");
  });

  it("is refused as busy, too slow or too large, and read the next time", async () => {
    const inline = inlineWork(manifestFunctions);
    const codes = ["request.overloaded", "request.timeout", "request.too_large"] as const;
    const reasons: string[] = [];
    const left = [...codes];
    const { renderer } = rig(async (job) => {
      const code = left.shift();
      if (code !== undefined) throw new SetpointError(code, "x");
      return await inline.run(job);
    });
    const tree = treeOf({ "a.yaml": named("a") });
    while (reasons.length <= codes.length) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const result = await renderer.render(inputOf(tree), { signal });
      reasons.push(result.kind === "refused" ? result.reason : result.kind);
    }
    assert.deepEqual(reasons, ["Busy", "TimedOut", "TooLarge", "rendered"]);
  });

  it("is read in parts", () => {
    const file = (bytes: number): GitFile => ({
      path: "a",
      blobId: "",
      bytes,
      isExecutable: false,
    });
    const sizes = [100_000, 500_000, 9_000_000, 1, 2].map(file);
    assert.deepEqual(
      [...partsOf(sizes)].map((part) => part.map(({ bytes }) => bytes)),
      [[100_000], [500_000], [9_000_000], [1, 2]],
    );
  });
});

describe("a path that needs a tool", () => {
  it("is a directory if the deployment states that", async () => {
    const files = { "a.yaml": named("a"), "kustomization.yaml": named("b") };
    assert.deepEqual(await namesOf(files, { tool: "Directory" }), ["a", "b"]);
    assert.deepEqual(await namesOf({ "a.yaml": named("a"), "sub/Chart.yaml": named("c") }), [
      "a",
      "c",
    ]);
  });
});
