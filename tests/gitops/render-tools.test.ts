// Kustomizations and charts, rendered by the real programs in the real sandbox. A tree is a folder
// of the test; tests/gitops/slice.test.ts has the way from a commit.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { GitTree } from "../../src/adapters/git/port.ts";
import type { ProcessRunner } from "../../src/adapters/process/port.ts";
import { openProcessRunner } from "../../src/adapters/process/runner.ts";
import { openSandbox } from "../../src/adapters/sandbox/open-sandbox.ts";
import type { Sandbox } from "../../src/adapters/sandbox/port.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { inlineWork } from "../../src/kernel/heavy-work.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import { manifestFunctions } from "../../src/kernel/manifests/read-manifests.ts";
import { systemTimers } from "../../src/kernel/timers.ts";
import type { PartInput } from "../../src/modules/gitops/part.ts";
import { openRender } from "../../src/modules/gitops/render/open-render.ts";
import type {
  Rendered,
  RenderGrants,
  RenderOptions,
  RenderResult,
  Renderer,
} from "../../src/modules/gitops/render/renderer.ts";
import type { SourceTree } from "../../src/modules/gitops/source/source-trees.ts";
import { findHelm, findKubectl } from "../../tools/peers.ts";

type Files = Readonly<Record<string, string>>;

const { signal } = new AbortController();
let folder: string;
let runner: ProcessRunner;
/** Runs of tools. */
let runs = 0;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "render-tools-"));
  runner = openProcessRunner({ timers: systemTimers });
});

after(async () => {
  await runner[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

function opened(more: { readonly helm?: string; readonly sandbox?: Sandbox } = {}): Renderer {
  const real = openSandbox(runner);
  const counting: Sandbox = {
    run: async (request) => {
      runs += 1;
      return await real.run(request);
    },
  };
  const ports = {
    clock: systemClock,
    meter: { count: () => undefined, observe: () => undefined },
    openSandbox: async () => more.sandbox ?? counting,
  };
  const configuration = { kubectl: findKubectl(), helm: more.helm ?? findHelm() };
  const part = openRender({ ports, configuration } as unknown as PartInput);
  const intents = { heavy: inlineWork(manifestFunctions) };
  void part.start?.({ intents } as never, new AsyncDisposableStack());
  return part.renderer;
}

function treeOf(files: Files, path: string): SourceTree {
  const idOf = (below: string): string =>
    createHash("sha1")
      .update(JSON.stringify(Object.entries(files).filter(([name]) => name.startsWith(below))))
      .digest("hex");
  const tree = (at: string): GitTree => ({
    kind: "tree",
    commit: "c",
    path: at,
    treeId: idOf(at === "" ? "" : `${at}/`),
    rootTreeId: idOf(""),
    files: Object.entries(files)
      .filter(([name]) => at === "" || name.startsWith(`${at}/`))
      .map(([name, text]) => ({
        path: name,
        blobId: "b",
        bytes: Buffer.byteLength(text),
        isExecutable: false,
      })),
  });
  return {
    kind: "tree",
    tree: tree(path),
    root: async () => tree(""),
    read: async (wanted) => wanted.map((file) => Buffer.from(files[file.path] ?? "")),
    checkout: async (given) => {
      const target = await mkdtemp(join(folder, "tree-"));
      for (const file of given.files) {
        await mkdir(dirname(join(target, file.path)), { recursive: true });
        await writeFile(join(target, file.path), files[file.path] ?? "");
      }
      return { kind: "checkout", folder: target, [Symbol.asyncDispose]: async () => undefined };
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

interface Wanted {
  readonly path?: string;
  readonly options?: Partial<RenderOptions>;
  readonly grants?: Partial<RenderGrants>;
  readonly renderer?: Renderer;
}

async function render(files: Files, wanted: Wanted = {}): Promise<RenderResult> {
  const { path = "deploy", options = {}, grants = {}, renderer = opened() } = wanted;
  return await renderer.render(
    {
      tree: treeOf(files, path),
      tenant: "jane",
      options: {
        tool: undefined,
        directory: { isRecursive: true, include: [], exclude: [] },
        kustomize: {},
        helm: {},
        releaseName: "shop",
        namespace: "jane",
        ...options,
      },
      grants: { remoteBases: false, helm: true, isSigned: false, ...grants },
    },
    { signal },
  );
}

async function rendered(files: Files, wanted: Wanted = {}): Promise<Rendered> {
  const result = await render(files, wanted);
  assert.ok(result.kind === "rendered", JSON.stringify(result));
  return result;
}

async function refusal(files: Files, wanted: Wanted = {}): Promise<readonly [string, string]> {
  const result = await render(files, wanted);
  assert.ok(result.kind === "refused", JSON.stringify(result));
  return [result.reason, result.message];
}

const configMap = (name: string, value = "1"): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\ndata: { key: "${value}" }\n`;

describe("a kustomization", () => {
  const overlay: Files = {
    "base/kustomization.yaml": "resources: [one.yaml, two.yaml]\n",
    "base/one.yaml": configMap("one"),
    "base/two.yaml": configMap("two"),
    "deploy/kustomization.yaml":
      "resources: [../base]\nnamePrefix: x-\npatches:\n- patch: |-\n" +
      "    { apiVersion: v1, kind: ConfigMap, metadata: { name: two }, data: { key: '2' } }\n",
  };

  test("is built with its bases and patches", async () => {
    const { objects, tool } = await rendered(overlay);
    assert.equal(tool, "Kustomize");
    assert.deepEqual(
      objects.map(({ object }) => [
        textAt(object, "metadata", "name"),
        textAt(object, "data", "key"),
      ]),
      [
        ["x-one", "1"],
        ["x-two", "2"],
      ],
    );
    assert.deepEqual(objects[0]?.from, { file: "deploy/kustomization.yaml" });
  });

  test("takes the fields of the deployment as an overlay", async () => {
    const pod =
      "apiVersion: v1\nkind: Pod\nmetadata: { name: web }\nspec:\n" +
      "  containers: [{ name: a, image: nginx }, { name: b, image: redis:7 }]\n";
    const files = {
      "deploy/kustomization.yaml": "resources: [pod.yaml]\n",
      "deploy/pod.yaml": pod,
    };
    const { objects } = await rendered(files, {
      options: {
        kustomize: {
          namePrefix: "p-",
          nameSuffix: "-s",
          images: ["nginx:1.27", "redis=registry.example:5000/redis@sha256:00ff"],
          commonLabels: { team: "shop" },
          commonAnnotations: { note: "x" },
        },
      },
    });
    assert.partialDeepStrictEqual(objects[0]?.object, {
      metadata: { name: "p-web-s", labels: { team: "shop" }, annotations: { note: "x" } },
      spec: {
        containers: [{ image: "nginx:1.27" }, { image: "registry.example:5000/redis@sha256:00ff" }],
      },
    });
    const [reason, message] = await refusal(files, {
      options: { kustomize: { images: ["nginx"] } },
    });
    assert.equal(reason, "ToolFailed");
    assert.match(message, /spec\.source\.kustomize\.images: nginx: write for example/);
  });

  test("is built once for the same files, also of its bases", async () => {
    const renderer = opened();
    runs = 0;
    await rendered(overlay, { renderer });
    await rendered(overlay, { renderer });
    assert.equal(runs, 1);
    const changed = { ...overlay, "base/one.yaml": configMap("one", "3") };
    const { objects } = await rendered(changed, { renderer });
    assert.equal(runs, 2);
    assert.equal(textAt(objects[0]?.object, "data", "key"), "3");
    const own = {
      "deploy/kustomization.yaml": "resources: [a.yaml]\n",
      "deploy/a.yaml": configMap("a"),
    };
    await rendered(own, { renderer });
    await rendered({ ...own, "other/x.yaml": "changed" }, { renderer });
    assert.equal(runs, 3);
  });

  for (const reference of [
    "../../../etc",
    "../../etc/passwd",
    "/etc",
    "/etc/passwd",
    "../../../home/jane/app",
  ]) {
    test(`that refers to ${reference} is refused`, async () => {
      const resources = `resources: [${JSON.stringify(reference)}]\n`;
      const [reason, message] = await refusal({ "deploy/kustomization.yaml": resources });
      assert.equal(reason, "PathEscapes", message);
      assert.match(message, /outside of its repository/);
    });
  }

  for (const text of [
    "configMapGenerator: [{ name: a, files: [../../etc/passwd] }]\n",
    "configMapGenerator: [{ name: a, envs: [/etc/environment] }]\n",
    "secretGenerator: [{ name: a, files: [key=/srv/private.key] }]\n",
    "patches: [{ path: ../../etc/passwd }]\n",
    "components: [../../../srv]\n",
    "crds: [/etc/passwd]\n",
    "openapi: { path: ../../etc/passwd }\n",
    "transformers: [/etc]\n",
    "configurations: [/etc/passwd]\n",
    "replacements: [{ path: /etc/passwd }]\n",
  ]) {
    test(`with the files of the machine is refused: ${text.trim()}`, async () => {
      const [reason, message] = await refusal({
        "deploy/kustomization.yaml": `resources: [a.yaml]\n${text}`,
        "deploy/a.yaml": configMap("a"),
      });
      assert.equal(reason, "PathEscapes", message);
    });
  }

  test("with a remote base is refused, and connects to nothing without a grant", async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.on("error", () => undefined);
      socket.destroy();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const files = (reference: string): Files => ({
      "deploy/kustomization.yaml": `resources: [${JSON.stringify(reference)}]\n`,
    });
    try {
      for (const reference of [
        `https://127.0.0.1:${port}/a.yaml`,
        `http://127.0.0.1:${port}/a.yaml`,
        `https://127.0.0.1:${port}/jane/app.git//deploy?ref=main`,
        `git::https://127.0.0.1:${port}/jane/app`,
        "git@127.0.0.1:jane/app",
        `ssh://git@127.0.0.1:${port}/jane/app`,
        "github.com/jane/app//deploy?ref=main",
      ]) {
        const [reason, message] = await refusal(files(reference));
        assert.equal(reason, "RemoteBaseRefused", `${reference}: ${message}`);
        assert.match(message, /spec\.render\.remoteBases of a GitOpsPolicy/);
      }
      assert.equal(connections, 0);
      const signed = { grants: { remoteBases: true, isSigned: true } };
      const [reason, message] = await refusal(files(`http://127.0.0.1:${port}/a.yaml`), signed);
      assert.equal(reason, "RemoteBaseRefused");
      assert.match(message, /copy it into the repository, because spec\.source\.verify demands/);
      assert.equal(connections, 0, "a granted remote base of a signed commit");
      const grants = { remoteBases: true };
      const [tried] = await refusal(files(`http://127.0.0.1:${port}/a.yaml`), { grants });
      assert.equal(tried, "ToolFailed");
      assert.notEqual(connections, 0);
    } finally {
      server.close();
    }
  });

  test("that is wrong is refused with the error of the tool, and without contents", async () => {
    const missing = await refusal({ "deploy/kustomization.yaml": "resources: [absent.yaml]\n" });
    assert.equal(missing[0], "ToolFailed");
    assert.match(missing[1], /deploy\/absent\.yaml.* no such file/);
    const patched = await refusal({
      "deploy/kustomization.yaml": "resources: [a.yaml]\npatches: [{ path: p.yaml }]\n",
      "deploy/a.yaml": configMap("a"),
      "deploy/p.yaml": "kind: Secret\nstringData: { key: hidden-7 }\n",
    });
    assert.equal(patched[0], "ToolFailed");
    assert.doesNotMatch(patched[1], /hidden-7/);
    const invalid = await refusal({
      "deploy/kustomization.yaml": "resources: [a.yaml]\n",
      "deploy/a.yaml": "a: [\n",
    });
    assert.equal(invalid[0], "ToolFailed");
  });

  test("does not run plugins, programs or Helm", async () => {
    for (const text of [
      "generators: [g.yaml]\n",
      "helmCharts: [{ name: a, repo: 'https://charts.example', version: 1.0.0 }]\n",
    ]) {
      const [reason] = await refusal({
        "deploy/kustomization.yaml": text,
        "deploy/g.yaml":
          "apiVersion: v1\nkind: Own\nmetadata:\n  name: a\n  annotations:\n" +
          "    config.kubernetes.io/function: |\n      exec: { path: ./run.sh }\n",
        "deploy/run.sh": "#!/bin/sh\necho\n",
      });
      assert.equal(reason, "ToolFailed");
    }
  });

  test("is refused with a reason where the machine has no sandboxes or no kubectl", async () => {
    const files = { "deploy/kustomization.yaml": "resources: []\n" };
    const none = opened({
      sandbox: { run: async () => ({ kind: "unavailable", message: "no user namespaces" }) },
    });
    assert.deepEqual(await refusal(files, { renderer: none }), [
      "SandboxMissing",
      "no user namespaces",
    ]);
    const missing = opened({
      sandbox: { run: async () => ({ kind: "missing", message: "no kubectl" }) },
    });
    assert.deepEqual(await refusal(files, { renderer: missing }), [
      "RendererMissing",
      "no kubectl",
    ]);
  });
});

describe("a chart", () => {
  const chart: Files = {
    "deploy/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 0.1.0\n",
    "deploy/values.yaml": "color: red\nsize: 1\n",
    "deploy/prod.yaml": "color: blue\nsize: 2\n",
    "deploy/crds/widgets.yaml":
      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n" +
      "metadata: { name: widgets.example.dev }\n",
    "deploy/templates/_helpers.tpl": '{{- define "name" -}}{{ .Release.Name }}-web{{- end -}}\n',
    "deploy/templates/map.yaml":
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ include "name" . }}\n' +
      "  namespace: {{ .Release.Namespace }}\ndata:\n  color: {{ .Values.color | quote }}\n" +
      "  size: {{ .Values.size | quote }}\n  kube: {{ .Capabilities.KubeVersion.Version }}\n" +
      '  has: {{ .Capabilities.APIVersions.Has "example.dev/v1" | quote }}\n',
    "deploy/templates/hook.yaml":
      "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\n" +
      "  annotations: { helm.sh/hook: pre-install }\n",
    "deploy/templates/tests/test.yaml":
      "apiVersion: v1\nkind: Pod\nmetadata:\n  name: test\n  annotations: { helm.sh/hook: test }\n",
    "deploy/charts/sub/Chart.yaml": "apiVersion: v2\nname: sub\nversion: 0.1.0\n",
    "deploy/charts/sub/templates/s.yaml": configMap("sub"),
    "deploy/templates/NOTES.txt": "Thanks for {{ .Chart.Name }}\n",
  };
  const named = ({ objects }: Rendered): readonly string[] =>
    objects.map(({ object }) => `${textAt(object, "kind")}/${textAt(object, "metadata", "name")}`);
  const mapOf = ({ objects }: Rendered): unknown =>
    objects.find(({ object }) => textAt(object, "metadata", "name") === "shop-web")?.object["data"];

  test("becomes the objects of its templates, with subcharts, definitions and hooks", async () => {
    const result = await rendered(chart);
    assert.equal(result.tool, "Helm");
    assert.deepEqual(named(result).toSorted(), [
      "ConfigMap/shop-web",
      "ConfigMap/sub",
      "CustomResourceDefinition/widgets.example.dev",
      "Job/migrate",
    ]);
    assert.deepEqual(result.objects.map(({ from }) => from.file).toSorted(), [
      "deploy/charts/sub/templates/s.yaml",
      "deploy/crds/widgets.yaml",
      "deploy/templates/hook.yaml",
      "deploy/templates/map.yaml",
    ]);
    assert.partialDeepStrictEqual(mapOf(result), { color: "red", size: "1", has: "false" });
  });

  test("takes value files, values and parameters, where later ones win", async () => {
    const helm = { valueFiles: ["prod.yaml"], skipCrds: true, kubeVersion: "1.29.3" };
    const apiVersions = ["example.dev/v1"];
    const ofFile = await rendered(chart, { options: { helm: { ...helm, apiVersions } } });
    assert.deepEqual(mapOf(ofFile), { color: "blue", size: "2", kube: "v1.29.3", has: "true" });
    assert.ok(!named(ofFile).some((name) => name.startsWith("CustomResourceDefinition")));
    const values = { size: 3, color: "green" };
    const ofValues = await rendered(chart, { options: { helm: { ...helm, values } } });
    assert.partialDeepStrictEqual(mapOf(ofValues), { color: "green", size: "3" });
    const parameters = [{ name: "color", value: String.raw`a,b=\c`, forceString: true }];
    const all = await rendered(chart, { options: { helm: { ...helm, values, parameters } } });
    assert.partialDeepStrictEqual(mapOf(all), { color: String.raw`a,b=\c`, size: "3" });
    const moved = await rendered(chart, { options: { releaseName: "web", namespace: "bob" } });
    assert.ok(named(moved).includes("ConfigMap/web-web"), named(moved).join(", "));
  });

  test("reads value files of the repository, and none of the machine", async () => {
    const files = { ...chart, "values/prod.yaml": "color: black\n" };
    const inside = await rendered(files, {
      options: { helm: { valueFiles: ["../values/prod.yaml"] } },
    });
    assert.partialDeepStrictEqual(mapOf(inside), { color: "black" });
    for (const file of ["../../etc/passwd", "/etc/passwd"]) {
      const [reason, message] = await refusal(files, { options: { helm: { valueFiles: [file] } } });
      assert.equal(reason, "PathEscapes");
      assert.match(message, /spec\.source\.helm\.valueFiles: .* is outside of the repository/);
    }
    const read = 'x: {{ .Files.Get "../../etc/passwd" | quote }}\n';
    const template = { "deploy/templates/map.yaml": `${configMap("a")}${read}` };
    const { objects } = await rendered({ ...chart, ...template });
    const found = objects.find(({ object }) => textAt(object, "metadata", "name") === "a");
    assert.equal(found?.object["x"], "");
  });

  test("that is wrong is refused with the error of Helm", async () => {
    const failing = { "deploy/templates/map.yaml": '{{ fail "the color is missing" }}\n' };
    const [reason, message] = await refusal({ ...chart, ...failing });
    assert.equal(reason, "ToolFailed");
    assert.match(message, /templates\/map\.yaml:1:3\): the color is missing$/);
    const object = { "deploy/templates/map.yaml": "kind: ConfigMap\n" };
    const invalid = await refusal({ ...chart, ...object });
    assert.equal(invalid[0], "ManifestInvalid");
    assert.match(invalid[1], /^deploy\/templates\/map\.yaml: /);
  });

  test("is refused without the program, and by a policy", async () => {
    const [reason, message] = await refusal(chart, { renderer: opened({ helm: "no-such-helm" }) });
    assert.deepEqual(
      [reason, message],
      ["RendererMissing", "the server has no program no-such-helm"],
    );
    const denied = await refusal(chart, { grants: { helm: false } });
    assert.equal(denied[0], "PolicyDenied");
  });
});
