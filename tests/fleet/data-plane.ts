// A data plane for the tests of the agent: another Setpoint server as the Kubernetes API, with the
// kind that agents apply. The test plays the operator, which writes the status of objects.
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";

const group = "dinosaurs.example.dev";
const objectsPath = `/apis/${group}/v1/manageddinosaurs`;

export interface TestDataPlane extends AsyncDisposable {
  readonly setpoint: Setpoint;
  /** The object of an instance; undefined when it does not exist. */
  object(id: string): Promise<JsonObject | undefined>;
  untilObject(id: string, isWanted?: (object: JsonObject) => boolean): Promise<JsonObject>;
  untilGone(id: string): Promise<void>;
  patch(id: string, patch: JsonObject): Promise<void>;
  /** What an operator reports about an instance. */
  report(id: string, status: JsonObject): Promise<void>;
  ids(): Promise<readonly string[]>;
  /** Namespaces of instances that exist. */
  namespaces(): Promise<readonly string[]>;
}

export async function startDataPlane(): Promise<TestDataPlane> {
  const setpoint = await startSetpoint();
  const ask = async (path: string, method = "GET", body?: JsonObject): Promise<JsonObject> => {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const headers = { "content-type": type };
    const given = body === undefined ? { method } : { method, body, headers };
    const answer = await setpoint.ask(path, given);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${String(answer.body)}`);
    return JSON.parse(String(answer.body)) as JsonObject;
  };
  const all = async (): Promise<readonly JsonObject[]> =>
    objectsAt(await ask(objectsPath), "items");
  const object = async (id: string): Promise<JsonObject | undefined> =>
    (await all()).find((one) => textAt(one, "metadata", "name") === id);
  const pathOf = async (id: string): Promise<string> => {
    const namespace = textAt(await object(id), "metadata", "namespace");
    return `/apis/${group}/v1/namespaces/${namespace}/manageddinosaurs/${id}`;
  };
  await ask("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "POST", definition());
  return {
    setpoint,
    object,
    untilObject: async (id, isWanted = () => true) =>
      await waitUntil(`the object of ${id}`, async () => {
        const found = await object(id);
        return found !== undefined && isWanted(found) ? found : undefined;
      }),
    untilGone: async (id) => {
      await waitUntil(`no object of ${id}`, async () => (await object(id)) === undefined);
    },
    patch: async (id, patch) => void (await ask(await pathOf(id), "PATCH", patch)),
    report: async (id, status) => {
      await ask(`${await pathOf(id)}/status`, "PATCH", { status });
    },
    ids: async () => (await all()).map((one) => textAt(one, "metadata", "name")).sort(),
    namespaces: async () => {
      const selector = encodeURIComponent("fleet.setpoint.dev/instance");
      const list = await ask(`/api/v1/namespaces?labelSelector=${selector}`);
      return objectsAt(list, "items").map((one) => textAt(one, "metadata", "name"));
    },
    [Symbol.asyncDispose]: async () => await setpoint[Symbol.asyncDispose](),
  };
}

function definition(): JsonObject {
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const schema = { type: "object", properties: { spec: open, status: open } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `manageddinosaurs.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "manageddinosaurs", singular: "manageddinosaur", kind: "ManagedDinosaur" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: schema },
        },
      ],
    },
  };
}
