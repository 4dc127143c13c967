// The files of deploy/: checked by the programs that read them, as far as these are here.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { findHelm } from "../../tools/peers.ts";
import { parseYaml } from "../../src/kernel/yaml.ts";
import { root } from "../../tools/stages.ts";
import { wrongFields } from "./manifest-fields.ts";

type Manifest = Readonly<Record<string, unknown>>;

const deploy = join(root, "deploy");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly version: string;
};

function manifestsOf(text: string): readonly Manifest[] {
  return text
    .split(/^---$/m)
    .map((part) => parseYaml(part).value as Manifest | null)
    .filter((manifest) => manifest !== null);
}

function run(command: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  assert.equal(status, 0, `${command} ${args.join(" ")}: ${stdout}${stderr}`);
  return `${stdout}${stderr}`;
}

describe("manifests of Kubernetes", () => {
  it("have only fields that the Kubernetes API has, and the version of this release", () => {
    const folder = join(deploy, "kubernetes");
    for (const name of readdirSync(folder)) {
      const text = readFileSync(join(folder, name), "utf8");
      const manifests = manifestsOf(text);
      assert.ok(manifests.length > 2, name);
      for (const manifest of manifests) assert.deepEqual(wrongFields(manifest), [], name);
      const images = Array.from(text.matchAll(/image: .*:(.*)/g), ([, tag]) => tag);
      assert.deepEqual([...new Set(images)], [version]);
    }
  });

  it("with a wrong field are found by the check of this test", () => {
    const text = readFileSync(join(deploy, "kubernetes", "embedded.yaml"), "utf8");
    const wrong = text.replace("serviceName:", "serviceNames:").replace("port: 443", 'port: "443"');
    assert.deepEqual(manifestsOf(wrong).flatMap(wrongFields), [
      "spec.ports[0].port: not a number",
      "spec.serviceNames: unknown field",
    ]);
  });
});

describe("the Helm chart", { skip: findHelm() === undefined ? "needs helm" : false }, () => {
  const helm = findHelm() ?? "";
  const chart = join(deploy, "helm", "setpoint");
  const everything = [
    "store.kind=postgres",
    "config.history=30d",
    "tls.secretName=tls",
    "hosts={a.example}",
    "serviceMonitor.enabled=true",
    "serviceMonitor.tokenSecretName=scrape",
  ];

  it("has the version of this release and no finding of helm lint", () => {
    assert.match(run(helm, ["lint", "--strict", chart]), /0 chart\(s\) failed/);
    const text = readFileSync(join(chart, "Chart.yaml"), "utf8");
    assert.match(text, new RegExp(`^version: ${version}\nappVersion: ${version}$`, "m"));
  });

  it("renders valid manifests for both stores", () => {
    for (const values of [[], everything]) {
      const args = values.flatMap((value) => ["--set", value]);
      const manifests = manifestsOf(run(helm, ["template", "one", chart, ...args]));
      const kinds = manifests.map(({ kind }) => kind);
      assert.ok(kinds.includes(values.length === 0 ? "StatefulSet" : "Deployment"));
      const known = manifests.filter(({ kind }) => kind !== "ServiceMonitor");
      assert.deepEqual(known.flatMap(wrongFields), []);
    }
  });

  it("refuses a store that it does not know", () => {
    const args = ["template", "one", chart, "--set", "store.kind=mysql"];
    const { status, stderr } = spawnSync(helm, args, { encoding: "utf8" });
    assert.equal(status, 1);
    assert.match(stderr, /store\.kind is "mysql"; it must be embedded or postgres/);
  });
});

const analyze = "/usr/bin/systemd-analyze";
const withoutSystemd = existsSync(analyze) ? false : "needs systemd-analyze";

it("the systemd unit is valid and its exposure is low", { skip: withoutSystemd }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "setpoint-unit-"));
  try {
    const text = await readFile(join(deploy, "systemd", "setpoint.service"), "utf8");
    const path = join(folder, "setpoint.service");
    // The program is not installed here; any program takes its place.
    await writeFile(path, text.replace("/usr/local/bin/setpoint", "/bin/true"));
    assert.equal(run(analyze, ["verify", "--man=no", "--recursive-errors=no", path]).trim(), "");
    run(analyze, ["security", "--offline=yes", "--threshold=42", path]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

it("the composition names services, volumes and files that it declares", async () => {
  const text = await readFile(join(deploy, "compose", "compose.yaml"), "utf8");
  const [composition] = manifestsOf(text) as readonly {
    readonly services: Readonly<Record<string, Service>>;
    readonly volumes: Readonly<Record<string, unknown>>;
    readonly configs: Readonly<Record<string, unknown>>;
  }[];
  assert.ok(composition !== undefined);
  const { services, volumes, configs } = composition;
  for (const [name, service] of Object.entries(services)) {
    for (const other of Object.keys(service.depends_on ?? {})) assert.ok(other in services, name);
    for (const mount of service.volumes ?? []) {
      assert.ok((mount.split(":")[0] ?? "") in volumes, `${name}: ${mount}`);
    }
    for (const { source } of service.configs ?? []) assert.ok(source in configs, name);
  }
  const { build } = services["setpoint"] ?? {};
  const context = join(deploy, "compose", build?.context ?? "");
  assert.ok(existsSync(join(context, build?.dockerfile ?? "absent")));
});

interface Service {
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly volumes?: readonly string[];
  readonly configs?: readonly { readonly source: string }[];
  readonly build?: { readonly context: string; readonly dockerfile: string };
}
