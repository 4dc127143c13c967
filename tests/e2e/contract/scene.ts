// Where the tests with kubectl play: one server, one kubectl, a kind of widgets that has everything
// a kind can have, and for each test a namespace of its own, so that tests can run side by side.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Following, Kubectl, Ran, RunOptions } from "../../peers/kubectl.ts";
import type { Setpoint } from "../../peers/setpoint.ts";

export const group = "e2e.example.dev";
export const apiVersion = `${group}/v1`;

export interface Scene {
  readonly server: Setpoint;
  readonly kubectl: Kubectl;
}

/** What each part of the suite is given: the scene once it is set, and the version in use. */
export interface Stage {
  readonly scene: () => Scene;
  /** The 32 of kubectl 1.32. */
  readonly minor: number;
}

/** Words of a command, written in one text where none of them has a space. */
export type Words = string | readonly string[];

export interface Room {
  readonly namespace: string;
  run(words: Words, options?: RunOptions): Promise<Ran>;
  ok(words: Words, input?: unknown): Promise<string>;
  refused(words: Words, input?: unknown): Promise<string>;
  json<T>(words: Words, input?: unknown): Promise<T>;
  follow(words: Words): Following;
  /** Makes a widget without kubectl. */
  widget(name: string, spec?: object, labels?: object): Promise<void>;
  /** A file in the home of kubectl. */
  file(name: string, content: unknown): Promise<string>;
}

let rooms = 0;

export async function openRoom({ server, kubectl }: Scene): Promise<Room> {
  const namespace = `room-${(rooms += 1)}`;
  await post(server, "/api/v1/namespaces", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: namespace },
  });
  const all = (words: Words): readonly string[] => [
    ...(typeof words === "string" ? words.split(" ") : words),
    `--namespace=${namespace}`,
  ];
  const ok = async (words: Words, input?: unknown): Promise<string> =>
    await kubectl.ok(all(words), { input });
  return {
    namespace,
    ok,
    run: async (words, options) => await kubectl.run(all(words), options),
    refused: async (words, input) => await kubectl.refused(all(words), { input }),
    json: async <T>(words: Words, input?: unknown) => JSON.parse(await ok(words, input)) as T,
    follow: (words) => kubectl.follow(all(words)),
    widget: async (name, spec, labels) => {
      await post(server, `/apis/${apiVersion}/namespaces/${namespace}/widgets`, {
        ...widget(name, spec, labels),
      });
    },
    file: async (name, content) => {
      const path = join(kubectl.home, `${namespace}-${name}`);
      const text = typeof content === "string" ? content : JSON.stringify(content);
      await writeFile(path, text, { mode: 0o700 });
      return path;
    },
  };
}

export async function post(server: Setpoint, path: string, body: object): Promise<void> {
  const { status, body: answer } = await server.ask(path, { method: "POST", body });
  assert.equal(status, 201, answer.toString());
}

export function widget(name: string, spec: object = { size: 3 }, labels?: object): object {
  return { apiVersion, kind: "Widget", metadata: { name, ...(labels && { labels }) }, spec };
}

export function configMap(name: string, data: object = { a: "1" }, labels?: object): object {
  const metadata = { name, ...(labels && { labels }) };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data };
}

/** For a test of something that came with a version of kubectl. */
export function since(minor: number, first: number): { readonly skip: string | false } {
  return { skip: minor >= first ? false : `kubectl 1.${minor} does not know it yet` };
}

const condition = {
  type: "object",
  properties: Object.fromEntries(
    ["type", "status", "reason", "message", "lastTransitionTime"].map((name) => [
      name,
      { type: "string" },
    ]),
  ),
};

const schema = {
  type: "object",
  description: "A widget for the tests.",
  properties: {
    spec: {
      type: "object",
      required: ["size"],
      properties: {
        size: { type: "integer", minimum: 1, description: "How big it is." },
        color: { type: "string", default: "red" },
        replicas: { type: "integer", default: 1 },
        ports: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["port"],
          items: {
            type: "object",
            required: ["port"],
            properties: { port: { type: "integer" }, name: { type: "string" } },
          },
        },
      },
    },
    status: {
      type: "object",
      properties: {
        replicas: { type: "integer" },
        selector: { type: "string" },
        conditions: { type: "array", items: condition },
      },
    },
  },
};

export const widgets = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: {
      plural: "widgets",
      singular: "widget",
      kind: "Widget",
      shortNames: ["wg"],
      categories: ["all"],
    },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: schema },
        subresources: {
          status: {},
          scale: {
            specReplicasPath: ".spec.replicas",
            statusReplicasPath: ".status.replicas",
            labelSelectorPath: ".status.selector",
          },
        },
        selectableFields: [{ jsonPath: ".spec.color" }],
        additionalPrinterColumns: [
          { name: "Size", type: "integer", jsonPath: ".spec.size" },
          { name: "Color", type: "string", jsonPath: ".spec.color", priority: 1 },
          { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
        ],
      },
    ],
  },
};
