/** Templates, environments, plans and searches that cost much more than their documents. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer } from "../../tests/peers/setpoint.ts";
import type { Crafted, CraftTarget } from "./request.ts";
import { get, make, numbered, send, times } from "./request.ts";

const walk = "/api/v1/search/graph/environments/many-instances-0?namespace={ns}";
const apiVersion = "environments.setpoint.dev/v1";
const group = `/apis/${apiVersion}/namespaces/{ns}`;
/** Enough for the runs that a request causes to show what they cost. */
const workMs = 4_000;

type Spec = Readonly<Record<string, unknown>>;

function template(id: string, spec: Spec): object {
  const metadata = { name: `${id}.v1` };
  return { apiVersion, kind: "Template", metadata, spec: { id, version: 1, ...spec } };
}

function entry(key: string, data: unknown, more: object = {}): object {
  return { key, template: { apiVersion: "v1", kind: "ConfigMap", data }, ...more };
}

/** A new Template in each round, because a stored one cannot change. */
function templated(name: string, spec: () => Spec): Crafted {
  return {
    name: `environments-template-${name}`,
    send: (target, round) =>
      send(target, "POST", `${group}/templates`, template(`${name}-${round}`, spec())),
  };
}

async function deploy(target: CraftTarget, name: string, of: string, more: Spec): Promise<Answer> {
  return await send(target, "POST", `${group}/environments`, {
    apiVersion,
    kind: "Environment",
    metadata: { name },
    spec: { templates: [`${of}.v1`], ...more },
  });
}

/** An Environment of a Template, with the work that it causes. */
function deployed(name: string, spec: () => Spec, more: () => Spec = () => ({})): Crafted {
  return {
    name: `environments-deploy-${name}`,
    prepare: async (target) => {
      await make(target, `${group}/templates`, template(name, spec()));
    },
    send: async (target, round) => {
      const answer = await deploy(target, `${name}-${round}`, name, more());
      await sleep(workMs);
      return answer;
    },
  };
}

/** A Plan of an Environment that was created before. */
function planned(name: string, spec: () => Spec, more: () => Spec = () => ({})): Crafted {
  return {
    name: `environments-plan-${name}`,
    prepare: async (target) => {
      await make(target, `${group}/templates`, template(`plan-${name}`, spec()));
      await deploy(target, `plan-${name}`, `plan-${name}`, more());
      await sleep(workMs * 4);
    },
    send: async (target) => {
      const answer = await send(target, "POST", `${group}/plans`, {
        apiVersion,
        kind: "Plan",
        metadata: { generateName: "plan-" },
        spec: { environment: `plan-${name}` },
      });
      await sleep(workMs);
      return answer;
    },
  };
}

const numbers = { numbers: { type: "array", items: { type: "integer" } } };
const many = { numbers: times(900, (index) => index) };
/** Near the cost that one expression may have. */
const costly = "parameters.numbers.filter(a, parameters.numbers.exists(b, b == a + 200)).size()";

const nested = `${times(12, (n) => `[1].exists(v${n}, `).join("")}true${")".repeat(12)}`;

const wide = (count = 10_000): Spec => ({
  resources: times(count, (at) =>
    entry(
      `r${at}`,
      { a: `\${parameters.p}-\${environment.name}` },
      { dependsOn: at === 0 ? [] : [`r${at - 1}`] },
    ),
  ),
  parameters: { p: { type: "string", default: "x" } },
});

const dependent = (): Spec => ({
  resources: [
    ...times(450, (at) => entry(`a${at}`, { v: "1" })),
    ...times(200, (at) => entry(`b${at}`, { v: "1" }, { dependsOn: times(400, (to) => `a${to}`) })),
  ],
});

export const environmentRequests: readonly Crafted[] = [
  templated("many-entries", () => wide()),
  templated("many-texts", () => ({
    resources: [
      entry(
        "one",
        numbered(60_000, "k", () => "${environment.name}"),
      ),
    ],
  })),
  templated("long-expression", () => ({
    resources: [entry("one", { a: `\${${times(20_000, () => "1").join(" + ")} > 1 ? 'a' : 'b'}` })],
  })),
  templated("long-expressions", () => ({
    resources: times(60, (at) =>
      entry(`r${at}`, { a: `\${[${times(15_000, () => "1").join(",")}].size() > 1 ? 'a' : 'b'}` }),
    ),
  })),
  templated("nested-macros", () => ({
    resources: times(40, (at) =>
      entry(`r${at}`, {
        a: `\${${nested} ? 'a' : 'b'}`,
      }),
    ),
  })),
  templated("unknown-names", () => ({
    resources: times(5_000, (at) =>
      entry(`resource-number-${at}`, { a: `\${resources.resourc-number-x${at}}` }),
    ),
  })),
  templated("unknown-dependencies", () => ({
    resources: times(4_000, (at) =>
      entry(
        `resource-number-${at}`,
        { a: "b" },
        { dependsOn: times(20, (to) => `resourcenumber${at}x${to}`) },
      ),
    ),
  })),
  templated("wrong-texts", () => ({
    resources: [
      entry(
        "one",
        numbered(40_000, "k", () => "${environment.name"),
      ),
    ],
  })),
  templated("group-dependencies", () => ({
    resources: times(9_000, (at) => entry(`r${at}`, { a: "b" }, { group: `g${at % 200}` })),
    resourceGroups: times(200, (at) => ({
      id: `g${at}`,
      dependsOn: times(at, (to) => `g${to}`),
    })),
  })),
  templated("dense-graph", () => ({
    resources: times(700, (at) =>
      entry(
        `r${at}`,
        { a: "b" },
        { dependsOn: times(Math.min(at, 500), (to) => `r${at - to - 1}`) },
      ),
    ),
  })),
  templated("parameter-schemas", () => ({
    parameters: numbered(500, "p", () => ({
      type: "object",
      properties: numbered(60, "f", () => ({ type: "string", pattern: "^[a-z]{1,50}$" })),
    })),
    resources: [entry("one", { a: "b" })],
  })),
  deployed(
    "costly-counts",
    () => ({
      parameters: numbers,
      resources: times(300, (at) => entry(`r${at}`, { a: "b" }, { count: `\${${costly} * 0}` })),
    }),
    () => ({ parameters: many }),
  ),
  deployed(
    "costly-texts",
    () => ({
      parameters: numbers,
      resources: [
        entry(
          "one",
          numbered(300, "k", () => `\${string(${costly})}`),
        ),
      ],
    }),
    () => ({ parameters: many }),
  ),
  deployed("many-instances", () => ({
    resources: times(20, (at) => entry(`r${at}`, { a: "b" }, { count: 1_000 })),
  })),
  deployed(
    "large-parameter",
    () => ({
      parameters: { p: { type: "object" } },
      resources: times(20, (at) => entry(`r${at}`, { a: "${parameters.p.k0}" }, { count: 100 })),
    }),
    () => ({ parameters: { p: numbered(20_000, "k", () => "v") } }),
  ),
  deployed("counted-dependencies", () => ({
    resources: [
      ...times(100, (at) => entry(`a${at}`, { v: "1" }, { count: 100 })),
      ...times(100, (at) =>
        entry(`b${at}`, { v: "1" }, { count: 100, dependsOn: times(100, (to) => `a${to}`) }),
      ),
    ],
  })),
  deployed("large-documents", () => ({
    resources: times(2, (at) =>
      entry(
        `r${at}`,
        numbered(4_000, "k", () => "${environment.name}"),
      ),
    ),
  })),
  planned("dependencies", dependent),
  planned("large-document", () => ({
    parameters: { p: { type: "string", default: "x" } },
    resources: [
      entry(
        "one",
        numbered(4_000, "k", () => "${parameters.p}"),
      ),
    ],
  })),
  {
    name: "environments-rest-template",
    send: (target, round) =>
      send(target, "POST", "/api/v1/templates?namespace={ns}", {
        id: `rest-${round}.v1`,
        spec: { id: `rest-${round}`, version: 1, ...wide(1_500) },
      }),
  },
  {
    name: "environments-rest-unknown-fields",
    send: (target) =>
      send(target, "POST", "/api/v1/environments?namespace={ns}", {
        id: "unknown",
        spec: { templates: ["none.v1"], ...numbered(14_000, "unknown", () => 1) },
      }),
  },
  {
    name: "environments-rest-parameters",
    send: (target) =>
      send(target, "POST", "/api/v1/environments?namespace={ns}", {
        id: "parameters",
        spec: { templates: ["plan-dependencies.v1"], parameters: numbered(20_000, "p", () => 1) },
      }),
  },
  { name: "environments-rest-list", send: get("/api/v1/templates?namespace={ns}&limit=1000") },
  {
    name: "environments-graph",
    send: get("/api/v1/environments/many-instances-0/graph?namespace={ns}"),
  },
  { name: "environments-search-common", send: get("/api/v1/search?q=r&limit=100") },
  { name: "environments-search-long", send: get(`/api/v1/search?q=${"a ".repeat(400)}`) },
  {
    name: "environments-search-syntax",
    send: get(`/api/v1/search?q=${encodeURIComponent('NEAR("a" "b", 99) OR a* NOT "')}`),
  },
  {
    name: "environments-search-walk",
    send: get(`${walk}&direction=dependants&depth=10`),
  },
];
