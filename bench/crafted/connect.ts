/** Objects of a service that answers with large documents, and large bindings. */
import { createServer } from "node:http";
import type { Crafted, CraftTarget } from "./request.ts";
import { get, make, numbered, send, times } from "./request.ts";
import { definition, definitionsPath, objectSchema, specSchema } from "./definitions.ts";

const connect = "/apis/connect.setpoint.dev/v1";
const things = "/apis/crafted.example.com/v1/namespaces/{ns}/things";
const group = "crafted.example.com";

/** The answer of the service to each read, by the name of the object. */
const answers: Readonly<Record<string, () => unknown>> = {
  keys: () => ({ name: "keys", free: numbered(20_000, "k", () => 1) }),
  "too-many-keys": () => ({ name: "too-many-keys", free: numbered(300_000, "k", () => 1) }),
  list: () => ({ name: "list", free: { list: times(24_000, (index) => ({ index })) } }),
  text: () => ({ name: "text", free: { text: "x".repeat(7_000_000) } }),
  deep: () => {
    let free: object = {};
    for (let depth = 0; depth < 100; depth++) free = { n: free, ...numbered(200, "w", () => 1) };
    return { name: "deep", free };
  },
};

let url: Promise<string> | undefined;

/** One service for all requests; it ends with the process. */
async function serviceUrl(): Promise<string> {
  url ??= new Promise((resolve) => {
    const server = createServer((request, response) => {
      const name = request.url?.split("/").at(-1) ?? "";
      const made = answers[name];
      request.resume();
      response.writeHead(made === undefined ? 404 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(made?.() ?? {}));
    });
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" ? address?.port : 0;
      resolve(`http://127.0.0.1:${port}`);
    });
    server.unref();
  });
  return await url;
}

function binding(more: object = {}): object {
  return {
    connection: "crafted",
    item: "/things/{name}",
    identity: { kind: "client", parameter: "name" },
    operations: {
      read: { method: "GET" },
      create: { method: "PUT", path: "/things/{name}" },
      replace: { method: "PUT" },
      delete: { method: "DELETE" },
    },
    fields: [{ path: "/name", class: "read-only", from: "override" }],
    ...more,
  };
}

async function prepare(target: CraftTarget): Promise<void> {
  await make(target, `${connect}/connections`, {
    apiVersion: "connect.setpoint.dev/v1",
    kind: "Connection",
    metadata: { name: "crafted" },
    spec: { baseUrl: await serviceUrl(), breaker: { failures: 1_000 } },
  });
  const free = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const status = { ...free };
  const schema = objectSchema({
    ...(specSchema(objectSchema({ free })) as { properties: object }).properties,
    status,
    connect: free,
  });
  const version = { subresources: { status: {} } };
  await make(target, definitionsPath, definition({ plural: "things", schemas: [schema], version }));
  await make(target, `${connect}/restkinds`, {
    apiVersion: "connect.setpoint.dev/v1",
    kind: "RestKind",
    metadata: { name: `things.${group}` },
    spec: binding(),
  });
}

function thing(name: string, spec: object): object {
  return { apiVersion: `${group}/v1`, kind: "Thing", metadata: { name }, spec };
}

/** A resource whose object the service shows; it is run when it is written. */
function observed(name: string): Crafted {
  return {
    name: `connect-observes-${name}`,
    prepare,
    send: async (target, round) => {
      const answer = await send(target, "POST", things, thing(name, { free: { round } }));
      if (round > 0) {
        const patch = {
          metadata: { annotations: { "setpoint.dev/reconcile-requested": "again" } },
        };
        await send(target, "PATCH", `${things}/${name}`, patch, "application/merge-patch+json");
      }
      await new Promise((resolve) => {
        setTimeout(resolve, 1_500);
      });
      return answer;
    },
  };
}

function planned(name: string, spec: () => object): Crafted {
  return {
    name: `connect-plans-${name}`,
    prepare,
    send: (target) => send(target, "POST", `${things}/${name}/plan`, thing(name, spec())),
  };
}

export const connectRequests: readonly Crafted[] = [
  ...Object.keys(answers).map(observed),
  ...Object.keys(answers).map((name) =>
    planned(name, () => ({ free: numbered(20_000, "k", () => 2) })),
  ),
  planned("list", () => ({ free: { list: times(24_000, (index) => ({ index: index + 1 })) } })),
  {
    name: "connect-large-binding",
    prepare,
    send: (target, round) =>
      send(target, "POST", `${connect}/restkinds`, {
        apiVersion: "connect.setpoint.dev/v1",
        kind: "RestKind",
        metadata: { name: `others${round}.${group}` },
        spec: binding({
          fields: times(5_000, (index) => ({
            path: `/a${index}/b/c`,
            class: "writable",
            from: "override",
          })),
        }),
      }),
  },
  {
    name: "connect-large-connection",
    send: (target, round) =>
      send(target, "POST", `${connect}/connections`, {
        apiVersion: "connect.setpoint.dev/v1",
        kind: "Connection",
        metadata: { name: `large-${round}` },
        spec: { baseUrl: "https://localhost:1", headers: numbered(20_000, "x-h", () => "v") },
      }),
  },
  { name: "connect-listed", prepare, send: get(things) },
];
