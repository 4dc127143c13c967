/**
 * The files of a new module, as `setpoint init` writes them: a kind with a reconciler, its test, an
 * example object, and what npm and TypeScript need. Pure: names in, texts out.
 */
import { SetpointError } from "../../kernel/errors.ts";

export interface ScaffoldInput {
  /** Lowercase words with hyphens, such as "web-site": the module and its files. */
  readonly name: string;
  /** How npm finds this Setpoint, such as "file:../setpoint-1.2.0.tgz". */
  readonly setpoint: string;
  /** In a clone the types come from the sources, and in the package from emitted files. */
  readonly isClone: boolean;
  readonly versions: { readonly typescript: string; readonly nodeTypes: string };
}

/** Path and text of each file. */
export type Scaffold = ReadonlyMap<string, string>;

const group = "example.dev";

export function scaffold(input: ScaffoldInput): Scaffold {
  const { name } = input;
  checkName(name);
  const kind = kindName(name);
  return new Map([
    ["package.json", packageJson(input)],
    ["tsconfig.json", tsconfig(input)],
    [`${name}.ts`, moduleText(name, kind)],
    [`${name}.test.ts`, testText(name, kind)],
    [`${name}.yaml`, objectText(kind)],
    ["README.md", readme(name, kind)],
    [".gitignore", "node_modules/\nsetpoint-data/\n"],
  ]);
}

export function checkName(name: string): void {
  if (/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) && name.length <= 40) return;
  const message =
    `${JSON.stringify(name)} is not a valid module name: use at most 40 lowercase letters, ` +
    "digits and hyphens, starting with a letter";
  throw new SetpointError("config.invalid", message, {
    details: { name },
    suggestion: "for example: setpoint init web-site",
  });
}

function kindName(name: string): string {
  return name
    .split("-")
    .map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)
    .join("");
}

function packageJson({ name, setpoint, versions }: ScaffoldInput): string {
  return json({
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    scripts: {
      start: `setpoint dev --module ${name}.ts`,
      test: `tsc && setpoint test ${name}.test.ts`,
    },
    devDependencies: {
      "@types/node": versions.nodeTypes,
      setpoint,
      typescript: versions.typescript,
    },
  });
}

function tsconfig({ isClone }: ScaffoldInput): string {
  return json({
    compilerOptions: {
      target: "es2023",
      lib: ["es2023", "esnext.disposable"],
      module: "nodenext",
      types: ["node"],
      ...(isClone ? { customConditions: ["setpoint-source"], lib: ["esnext"] } : {}),
      noEmit: true,
      strict: true,
      skipLibCheck: true,
      exactOptionalPropertyTypes: true,
      noPropertyAccessFromIndexSignature: true,
      noUncheckedIndexedAccess: true,
      allowImportingTsExtensions: true,
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
    },
  });
}

function moduleText(name: string, kind: string): string {
  return `// The kind ${kind} and its reconciler: each ${kind} gets a ConfigMap with its text.
import { defineModule, describeKind, done } from "setpoint";
import type { Context, Outcome, Resource } from "setpoint";

const kind = describeKind({
  apiVersion: "${group}/v1",
  kind: "${kind}",
  plural: "${pluralOf(kind)}",
  spec: { type: "object", required: ["text"], properties: { text: { type: "string" } } },
});

/** Runs after each change of the resource. It may run twice, so each call has the same result. */
async function reconcile(resource: Resource, { children }: Context): Promise<Outcome> {
  await children.apply({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: \`${name}-\${resource.metadata.name}\` },
    data: resource.spec ?? {},
  });
  return done();
}

export default defineModule({ name: "${name}", kinds: [{ kind, reconciler: { reconcile } }] });
`;
}

function testText(name: string, kind: string): string {
  return `import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestServer } from "setpoint/testing";
import module from "./${name}.ts";

test("a ${kind} keeps a ConfigMap with its text, also after its deletion", async (t) => {
  const server = await startTestServer(module);
  t.after(async () => await server[Symbol.asyncDispose]());
  const configMap = { apiVersion: "v1", kind: "ConfigMap", name: "${name}-first" };

  await server.apply({
    apiVersion: "${group}/v1",
    kind: "${kind}",
    metadata: { name: "first" },
    spec: { text: "Hello" },
  });
  await server.pass();
  assert.deepEqual((await server.get(configMap))?.["data"], { text: "Hello" });

  await server.delete(configMap);
  await server.pass();
  assert.deepEqual((await server.get(configMap))?.["data"], { text: "Hello" });
});
`;
}

function objectText(kind: string): string {
  return `apiVersion: ${group}/v1
kind: ${kind}
metadata:
  name: first
spec:
  text: Hello
`;
}

function readme(name: string, kind: string): string {
  return `# ${name}

A Setpoint module with the kind \`${kind}\`.

\`\`\`sh
npm install
npm test      # checks the types and runs ${name}.test.ts in a server in memory
npm start     # runs a server with the module, and reloads it when you edit ${name}.ts
\`\`\`

In a second terminal:

\`\`\`sh
export KUBECONFIG=$PWD/setpoint-data/kubeconfig
kubectl apply -f ${name}.yaml
kubectl wait --for=condition=Ready ${kind.toLowerCase()}/first
kubectl get configmap ${name}-first -o yaml
\`\`\`
`;
}

/** The regular plural of English, as kubectl users expect it. */
export function pluralOf(kind: string): string {
  const word = kind.toLowerCase();
  if (/(s|x|z|ch|sh)$/.test(word)) return `${word}es`;
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return `${word}s`;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
